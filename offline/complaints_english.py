"""How weak complaints about a reply sound in English; `complaints` says what they come to.

Whatever is heard has to end where the complaint ends: “too long” is one, “too long a walk” is not.
"""

from __future__ import annotations

import re

_LEAD = (
    r"\s*(?:(?:oh|ugh|phew|h[mu]+|um+|well|ok(?:ay)?|sorry|again|wow|man|yikes|goodness|gosh|jeez|no|nope|yes|yeah|right"
    r"|nice|thanks|thank you|good|great|fine|fair(?: enough)?|interesting|honestly|still|so|and|but)\b[\s,.!…—–-]*)*"
)
_WRITTEN = r"(?:answer|reply|replie|response|explanation)s?"
_IT = rf"(?:that|this|your (?:\w+ )?(?:{_WRITTEN}|messages?|texts?|summary)|(?:the|that|this|these|those) {_WRITTEN})"
_SOFT = (
    r"(?:(?:just|again|still|really|quite|once more|all|rather|honestly|simply|kind of|sort of|a little|a bit|a tad"
    r"|pretty|awfully|terribly|incredibly|very|far|way|much|bit) )*"
)
_BE = r"(?:'s|'re| is| was| are| were| seems?| feels?| felt) "
_THAT = rf"{_IT}{_BE}{_SOFT}"
_THAT_OR_IT = rf"(?:{_IT}|it){_BE}{_SOFT}"
_DEGREE = r"(?:(?:a )?(?:bit|little|tad)|rather|pretty|quite|awfully|terribly|very|far too|way too|much too|too)"
_SHORT = r"(?:question|yes(?:/no)?|no|answer|number|word|line|sentence|fact|time|date|name|price)s?"
_TAIL = (
    r"(?:,? (?:again|as usual|once more|really|though|honestly|for (?:me|my taste|this|that|now)"
    r"|to (?:read|take in|digest|follow|be useful)(?: (?:right )?now| on (?:my|a) phone)?|at once"
    r"|of an? (?:answer|reply|read)|an? (?:answer|reply|explanation)|for what i (?:asked|needed|wanted)"
    rf"|for (?:an?|one|such a|just an?)\b[^,.!?]{{0,24}} {_SHORT}"
    r"|for (?:an? )?\ue000+))*"
)
_STOP = r"$|[.!…;:—–)]|-\s|,(?!\s*(?:please|my|our|his|her|their|about)\b)"
_END = rf"{_TAIL}(?=\s*(?:{_STOP}|\b(?:but|i|can|could|just|and (?:i|{_SOFT}too))\b))"
_FULL = rf"{_TAIL}(?=\s*(?:{_STOP}))"
"""The end of what is a complaint only if nothing explains it away."""
_ASKED = rf"{_TAIL}(?=\s*(?:{_STOP}|\?))"
_EFFORT = (
    r"(?:all (?:of )?(?:that|this|it)(?: (?:detail|text|background|theory))?"
    r"|all (?:the|these|those) (?:details?|explanations?|options|steps|background|theory)"
    r"|(?:that|so|this) much(?: detail| text| information)?|(?:the|a) (?:whole|full|long) (?:\w+ )?"
    r"(?:history|story|essay|manual|theory|background|thing|version|lecture|novel)"
    r"|an? (?:essay|lecture|novel|treatise|sermon))"
)
_PIECE = r"(?:essay|novel|lecture|sermon|treatise|monologue|thesis|dissertation)"
_MASS = (
    r"(?:walls? of text|mouthful|long read|(?:text|info(?:rmation)?) dump|lot to (?:read|take in|digest|wade through)"
    r"|lot of (?:text|words|reading))"
)
_PART = r"(?:paragraph|line|sentence|word|point|bullet)s?"
_TIME_AGO = (
    r"(?:before|already|earlier|once|twice|yesterday|last (?:time|week|month|year|night)|the other day"
    r"|(?:several|many) times)"
)


def _opening(*wordings: str) -> re.Pattern[str]:
    return re.compile(f"{_LEAD}(?:{'|'.join(wordings)})", re.IGNORECASE)


def _anywhere(*wordings: str) -> re.Pattern[str]:
    return re.compile("|".join(wordings), re.IGNORECASE)


HEARD = {
    "length": _opening(
        rf"{_THAT_OR_IT}too (?:long|wordy|detailed|verbose|long-winded|much (?:text|detail))\b{_END}",
        rf"{_THAT}too much\b{_END}",
        rf"(?:{_SOFT})too (?:long|wordy|detailed|verbose|long-winded|much (?:text|detail|info(?:rmation)?)"
        rf"|many words)\b{_END}",
        rf"{_THAT}(?:so )?(?:long|lengthy|wordy|verbose|long-winded|endless|huge|much text)\b{_END}",
        rf"(?:it(?:'s| is) )?{_DEGREE} (?:long|lengthy|wordy|verbose|long-winded)\b{_FULL}",
        rf"(?:{_THAT})?(?:a )?(?:bit|little|tad|rather) much\b{_FULL}",
        rf"(?:too much|(?:so|too) much text|so much again|again so much)\b{_FULL}",
        rf"(?:{_THAT}|what |such )an? (?:\w+ )?(?:long|lengthy|endless|huge) {_WRITTEN}{_FULL}",
        rf"so many words\b{_FULL}",
        rf"(?:so|too) much to read\b{_FULL}",
        rf"(?:{_THAT_OR_IT})?(?:what |such |another |like )?(?:an? )?(?:whole |real |complete |awful "
        rf"|bit of an? )*{_MASS}\b{_ASKED}",
        rf"{_THAT}(?:another|(?:like )?an?) (?:whole |real |complete |bit of an? )*{_PIECE}\b{_FULL}",
        rf"(?:yet )?another {_PIECE}\b{_ASKED}",
        r"(?:i (?:(?:really|only|just) )*)?(?:didn't|did not|don't) (?:really )?(?:need|want|ask for"
        rf"|need to know) {_EFFORT}\b{_END}",
        rf"no need for {_EFFORT}\b{_FULL}",
        rf"(?:{_THAT})?(?:(?:way|far|much|a lot) (?:more|longer)|longer)(?: \w+)? than (?:i (?:asked"
        rf"|needed|wanted)(?: for)?|needed|necessary|it (?:needed|had) to be)\b{_FULL}",
        r"i (?:only |just |really )+(?:asked|wanted|needed|asked for|asked about|wanted to know"
        rf"|needed to know) (?:an? |one |the )?(?:(?:quick|short|simple|single|rough|departure) )*(?:{_SHORT}"
        rf"|yes or (?:a )?no|hint|platform|day|year|size|result)\b{_END}",
        r"i (?:only|just) asked (?:what|when|where|which|how (?:much|many|long|far|old)|if|whether)\b",
        rf"i asked for (?:an? |one )(?:single |simple |short )*{_SHORT}(?:,? not .*)?{_END}",
        rf"(?:one|an?|two)(?: \w+)? (?:{_SHORT}|yes or no) would(?: have|'ve)? (?:been (?:enough|fine|plenty)"
        rf"|be (?:enough|fine|plenty)|done|do|sufficed)\b{_FULL}",
        rf"(?:(?:that|this|it) )?could(?: have|'ve) been (?:an? |one )?(?:single |short )?(?:{_PART}"
        rf"|shorter)\b{_FULL}",
        rf"all (?:that|this) (?:just |only )?for (?:an?|one)(?: \w+)? {_SHORT}\b{_ASKED}",
        r"tl;?dr\b",
        rf"you lost me (?:half ?way|(?:after|at|by) the \w+ {_PART})",
        r"i (?:stopped|gave up|quit) reading(?: half ?way| (?:that|this|it)| (?:after|at) (?:the|two|three|a) "
        rf"(?:\w+ )?{_PART})?{_END}",
        r"i (?:didn't|couldn't|can't) (?:even )?(?:finish|get through)(?: reading)? (?:all )?(?:of )?(?:that|this"
        rf"|it)\b{_END}",
        r"(?:i )?(?:didn't|couldn't|can't|won't) read (?:all (?:of )?(?:that|this|it)|so much)(?: (?:right )?now"
        rf"| on my phone)?{_END}",
        rf"(?:do|must) i (?:really )?(?:have to |need to )?read all (?:of )?(?:that|this|it)\b{_ASKED}",
        rf"i (?:only|just) (?:read|skimmed|got through) the (?:first|last) (?:\w+ )?{_PART}\b",
        rf"i (?:skipped|skimmed)(?: over)? (?:(?:most|half|the rest) of )?(?:that|this|it)\b{_END}",
        r"i (?:got )?lost (?:you |track )?half ?way\b",
        r"my eyes glaze[sd]? over\b",
        r"you(?:'re| are) rambling\b",
        rf"you (?:really |do )+go on\b{_END}",
        rf"{_IT} (?:really )?(?:went|goes|drag(?:s|ged)) on(?: and on)?{_END}",
        rf"why (?:is (?:that|this)|was that|are (?:your|the) {_WRITTEN}) so (?:long|wordy)\b",
        r"why so (?:long|wordy|much text)\b",
        rf"(?:yet )?another (?:long|endless|huge) (?:{_WRITTEN}|text|read)\b{_ASKED}",
        rf"long (?:{_WRITTEN} )?again\b{_FULL}",
        rf"again with the (?:(?:long|endless) {_WRITTEN}|{_PIECE}s?|{_MASS}|details)\b",
    ),
    "jargon": _opening(
        rf"(?:{_THAT_OR_IT}|{_SOFT})too (?:technical|complicated|academic|advanced|theoretical)\b{_END}",
        rf"(?:{_THAT})?(?:too|so) (?:much jargon|many (?:technical )?terms|many (?:abbreviations"
        rf"|acronyms))\b{_FULL}",
        rf"{_THAT_OR_IT}(?:greek|gibberish) to me\b",
        rf"{_IT}(?:'s| is| was| went| goes)(?: \w+)? over my head\b",
        r"i (?:don't|didn't) (?:understand|know|get) (?:half|most|any|a word) of (?:that|this|these|those|the "
        r"(?:words|terms))\b",
        r"again with the (?:jargon|technical terms)\b",
    ),
    "lists": _opening(
        rf"(?:{_THAT})?(?:too|so) many (?:bullet(?: point)?s|lists|headings|tables)\b{_FULL}",
        rf"(?:yet )?another (?:bullet(?:ed)? )?(?:list|table)\b{_FULL}",
        rf"(?:bullet points|bullets|a list|lists) again\b{_FULL}",
        rf"again (?:an? |with the )?(?:bullet points|bullets|lists?|tables?|headings)\b{_ASKED}",
        r"the (?:bullet points|bullets|headings) (?:are|make)\b.{0,24}\b(?:hard|harder|annoying|distracting"
        r"|confusing|too much)\b",
        r"why (?:all )?the (?:bullet points|bullets|lists|headings)\b",
    ),
    "questions": _opening(
        rf"(?:you (?:do )?ask (?:me )?|{_THAT})?(?:far |way |just )*(?:too|so) many questions(?: back)?\b{_FULL}",
        r"you already asked (?:me )?(?:that|this)\b",
        r"you keep asking\b",
        r"stop quizzing\b",
        r"why (?:all )?the questions\b",
        rf"(?:why do you ask|you(?:'re| are) asking(?: me)?|enough(?: with the)?) (?:(?:so|too) many )?"
        rf"questions\b{_ASKED}",
        r"another question back\b",
        r"again with the questions\b",
        rf"you answer (?:\w+ )?with (?:an?|another|more) questions?\b{_END}",
        r"is this an? (?:interrogation|quiz|exam)\?",
    ),
    "memory": _opening(
        r"(?:i think )?(?:i|we)(?: did|'ve| have)?(?: already)? (?:mention(?:ed)?|talk(?:ed)? about|went over"
        rf"|covered|discussed|told you|said) (?:that|this|it)(?: to you)? {_TIME_AGO}\b{_FULL}",
        r"i(?:'ve| have)? (?:already |just )(?:told you|said|mentioned|explained)\b",
        r"i told you (?:already|this|that|twice|so(?! many| much))\b",
        rf"don't you remember(?: (?:that|this|it|me|what i said))?{_ASKED}",
        rf"you (?:don't|didn't) remember(?: (?:that|this|it))?{_ASKED}",
        r"(?:did you (?:already )?forget|have you forgotten|you(?:'ve| have) forgotten)(?: (?:that|this|it"
        rf"|me))?(?: already| again)?{_ASKED}",
        r"you forgot\b",
        rf"as i (?:said|mentioned) {_TIME_AGO}\b",
        rf"we(?:'ve| have) been (?:over|through) (?:this|that)\b{_FULL}",
        rf"you should (?:really )?(?:know|remember) (?:that|this|it)(?: by now| already)?{_FULL}",
        r"how (?:often|many times) (?:do|must) i (?:have to |need to )?(?:tell|say|repeat|explain|mention)\b",
        r"do i (?:really )?have to (?:repeat myself|(?:say|explain) (?:that|this|it) again)\b",
    ),
    "sources": _opening(
        r"(?:(?:your|the|that|this|those|these) )?(?:sources?|links?|references?|citations?)(?: you (?:gave|sent"
        r"|cited))?(?:'s| is| are| was| were| isn't| aren't| don't| doesn't)(?: \w+){0,2}? (?:outdated"
        rf"|out of date|dead|broken|rubbish|unreliable|wrong|weak|dodgy|working|work|open|exist)\b{_FULL}",
        r"(?:no|not a single|not one|without an?y?) (?:source|link|reference|citation)s?(?: (?:again|at all"
        r"|anywhere))\b",
        rf"(?:again|still) (?:no|not a single) (?:source|link|reference|citation)s?\b{_FULL}",
        rf"(?:{_THAT}|your (?:info|information|data|numbers|figures)(?: is| are| was) )(?:outdated|out of date"
        rf"|old news|stale)\b{_FULL}",
        r"you (?:could|should) have (?:looked (?:that|it|this) up|checked (?:that|it|this)|googled)\b",
        r"(?:you )?(?:didn't|did not) (?:even |really |actually )?(?:look (?:it|that|this) up|check|search"
        r"|google)\b",
        r"you made (?:that|this|it) up\b",
        r"again with the (?:dead links|old sources)\b",
    ),
    "reasoning": _opening(
        r"(?:your|that|this|the) (?:reasoning|logic|argument|analysis|conclusion|comparison)(?:'s| is| was| isn't"
        r"| doesn't| does not| didn't| seems)(?: \w+){0,2}? (?:shallow|superficial|off|flawed|thin|weak|sloppy"
        rf"|circular|add up|hold(?: up)?|follow|make sense|convincing)\b{_FULL}",
        rf"{_IT} (?:really |just )?(?:doesn't|does not|didn't) (?:really |quite )?(?:add up|follow|hold up|make "
        rf"(?:any |much )?sense)\b{_FULL}",
        rf"{_IT} makes (?:no|little) sense\b{_FULL}",
        rf"{_THAT}(?:too )?(?:not (?:very |really )?(?:logical|consistent|thought through)|illogical|superficial"
        rf"|shallow|simplistic|inconsistent|contradictory|half-baked)\b{_FULL}",
        rf"(?:far |way |a bit )?too (?:shallow|superficial|simplistic)\b{_FULL}",
        r"you (?:didn't|did not|haven't) (?:really |even )?(?:think|thought) (?:that|this|it) through\b",
        r"you (?:just )?(?:skipped|left out|missed) (?:an?|the|some|several) (?:\w+ )?steps?\b",
        r"you(?:'re)? (?:just )?jump(?:ed|ing)? to conclusions\b",
        r"(?:that|this) contradicts (?:what you|your)\b",
        r"you(?:'re| are) contradicting yourself\b",
    ),
    "vague": _opening(
        rf"{_THAT_OR_IT}(?:too )?(?:vague|generic|wishy-washy|hand-wavy)\b{_END}",
        rf"{_THAT_OR_IT}too (?:general|abstract|broad)\b{_END}",
        rf"(?:{_SOFT})too (?:vague|generic|general|abstract|broad)\b{_END}",
        rf"{_DEGREE} (?:vague|generic)\b{_FULL}",
        rf"{_THAT}not (?:very |really |exactly |that )?(?:specific|concrete|precise)\b{_FULL}",
        rf"{_THAT}not (?:really )?an answer\b{_FULL}",
        r"(?:that|this) wasn't my question\b",
        r"(?:still|really) (?:didn't|doesn't) answer my question\b",
        rf"(?:{_IT}|it) (?:still |really )?(?:didn't|doesn't|does not|did not) (?:really |actually )?(?:answer|say"
        rf"|tell me|help)(?: my question| the question| what i asked| anything| much| it)?{_END}",
        r"you (?:dodged|sidestepped|avoided|evaded|ignored) (?:the|my) question\b",
        r"you (?:still )?(?:didn't|did not|haven't|never) (?:really |actually |even )?answer(?:ed)? (?:my|the"
        r"|that|it)\b",
        rf"(?:{_THAT}|again with the )(?:empty phrases|platitudes|fluff|waffle|boilerplate|generalities"
        r"|a non-answer)\b",
    ),
}
"""Topic → a weak complaint about the reply before, from the start of a sentence."""
HINTED = {
    "length": _opening(
        rf"(?:that's|that is|this is) (?:quite )?a lot{_FULL}",
        r"(?:and )?in (?:short|brief|one (?:line|sentence))\?",
        r"shorter\?",
        rf"(?:another )?long one{_FULL}",
    ),
    "jargon": _opening(
        r"in (?:plain|normal|simple) (?:words|english)\?",
        r"meaning what\?",
    ),
    "lists": _opening(
        r"(?:more )?bullet points\?",
        r"(?:another|a) list\?",
    ),
    "questions": _opening(
        r"another question\?",
        r"you're asking me\?",
    ),
    "memory": _opening(
        rf"we had that{_FULL}",
    ),
    "sources": _opening(
        r"(?:and the |your )?sources?\?",
        r"says who\?",
        r"according to (?:whom|who)\?",
        r"where did you get that\b",
    ),
    "reasoning": _opening(
        r"how come\?",
        r"how does that follow\?",
        r"because\?",
    ),
    "vague": _opening(
        r"such as\?",
        r"for example\?",
        r"meaning\?",
        r"concretely\?",
        r"which (?:ones? )?exactly\?",
    ),
}
"""Topic → a milder sign of it, which counts only once the portrait knows of the topic."""
TOLD = {
    "length": _anywhere(
        r"\b(?:long|lengthy|verbose|wordy)\b.{0,30}\b(?:answer|repl|response|explanation|text|message)",
        r"walls? of text",
        r"\bbrevity\b",
        r"\b(?:short|brief|concise|succinct)\b.{0,20}\b(?:answer|repl|response|explanation|message)",
    ),
    "jargon": _anywhere(
        r"\bjargon\b",
        r"\btechnical (?:wording|terms|language)",
        r"\bplain (?:words|language)",
    ),
    "lists": _anywhere(
        r"\blists\b",
        r"\bbullet",
    ),
    "questions": _anywhere(
        r"\basked back\b",
        r"\bquestions back\b",
        r"\b(?:follow-up|counter-?) ?questions\b",
    ),
    "memory": _anywhere(
        r"\b(?:having to|to) (?:repeat|explain)\b.{0,24}\b(?:again|themselves|twice)\b",
        r"\bto be remembered\b",
    ),
    "sources": _anywhere(
        r"\b(?:sources?|references|citations)\b.{0,30}\b(?:missing|outdated|out of date|for claims)",
        r"\bunsourced\b",
    ),
    "reasoning": _anywhere(
        r"\bskips? (?:a )?steps?\b",
        r"\b(?:shallow|flawed|sloppy|contradictory) (?:reasoning|arguments?|logic)",
    ),
    "vague": _anywhere(
        r"\b(?:vague|generic|general|abstract)\b.{0,20}\b(?:answer|repl|advice)",
        r"\banswers that stay general\b",
    ),
}
"""Topic → a line of a portrait that tells of it, in whichever words."""
