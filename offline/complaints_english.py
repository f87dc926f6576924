"""How weak complaints about a reply sound in English; `complaints` says what they come to.

Whatever is heard has to end where the complaint ends: “too long” is one, “too long a walk” is not.
"""

from __future__ import annotations

import re


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_LEAD = (
    r"\s*(?:(?:oh|ugh|phew|h[mu]+|um+|well|ok(?:ay)?|sorry|again|wow|man|yikes|goodness|gosh|jeez|no|nope|yes|yeah|right"
    r"|nice|thanks|thank you|good|great|fine|fair(?: enough)?|interesting|honestly|still|so|and|but)\b[\s,.!…—–-]*)*"
)
_WRITTEN = r"(?:answer|reply|replie|response|explanation)s?"
_IT = rf"(?:that|this|your (?:\w+ )?(?:{_WRITTEN}|messages?|texts?|summary)|(?:the|that|this|these|those) {_WRITTEN})"
_SOFT = (
    r"(?:(?:just|again|still|really|quite|once more|all|rather|honestly|simply|kind of|sort of|a little|a bit|a tad|pretty"
    r"|awfully|terribly|incredibly|very|far|way|much|bit) )*"
)
_BE = r"(?:'s|'re| is| was| are| were| seems?| feels?| felt) "
_THAT = rf"{_IT}{_BE}{_SOFT}"
_THAT_OR_IT = rf"(?:{_IT}|it){_BE}{_SOFT}"
_DEGREE = r"(?:(?:a )?(?:bit|little|tad)|rather|pretty|quite|awfully|terribly|very|far too|way too|much too|too)"
_SHORT = r"(?:question|yes(?:/no)?|no|answer|number|word|line|sentence|fact|time|date|name|price)s?"
_TAIL = (
    r"(?:,? (?:again|as usual|once more|really|though|honestly|for (?:me|my taste|this|that|now)"
    r"|to (?:read|take in|digest|follow|be useful)(?: (?:right )?now| on (?:my|a) phone)?|at once|of an? (?:answer|reply|read)"
    rf"|an? (?:answer|reply|explanation)|for what i (?:asked|needed|wanted)|for (?:an?|one|such a|just an?)\b[^,.!?]{{0,24}} {_SHORT}"
    r"|for (?:an? )?\ue000+))*"
)
_STOP = r"(?=\s*(?:$|[.!…;:—–)]|-\s|,(?!\s*(?:please|my|our|his|her|their|about)\b)"
_END = rf"{_TAIL}{_STOP}|\b(?:but|i|can|could|just|and (?:i|{_SOFT}too))\b))"
_FULL = rf"{_TAIL}{_STOP}))"
"""The end of what is a complaint only if nothing explains it away."""
_ASKED = rf"{_TAIL}(?:\s*\?|{_STOP})))"
_EFFORT = (
    r"(?:all (?:of )?(?:that|this|it)(?: (?:detail|text|background|theory))?"
    r"|all (?:the|these|those) (?:details?|explanations?|options|steps|background|theory)"
    r"|(?:that|so|this) much(?: detail| text| information)?|(?:the|a) (?:whole|full|long) (?:\w+ )?"
    r"(?:history|story|essay|manual|theory|background|thing|version|lecture|novel)|an? (?:essay|lecture|novel|treatise|sermon))"
)
_PIECE = r"(?:essay|novel|lecture|sermon|treatise|monologue|thesis|dissertation)"
_MASS = (
    r"(?:walls? of text|mouthful|long read|(?:text|info(?:rmation)?) dump|lot to (?:read|take in|digest|wade through)"
    r"|lot of (?:text|words|reading))"
)
_PART = r"(?:paragraph|line|sentence|word|point|bullet)s?"
_TIME_AGO = (
    r"(?:before|already|earlier|once|twice|yesterday|last (?:time|week|month|year|night)|the other day|(?:several|many) times)"
)

HEARD = {
    "length": _re(
        rf"{_LEAD}(?:{_THAT_OR_IT}too (?:long|wordy|much|detailed|verbose|long-winded|much (?:text|detail|information))\b{_END}"
        rf"|(?:{_SOFT})too (?:long|wordy|detailed|verbose|long-winded|much (?:text|detail|information)|many words)\b{_END}"
        rf"|{_THAT}(?:so )?(?:long|lengthy|wordy|verbose|long-winded|endless|huge|much text)\b{_END}"
        rf"|(?:it{_BE})?{_DEGREE} (?:long|lengthy|wordy|verbose|long-winded)\b{_FULL}"
        rf"|(?:{_THAT})?(?:a )?(?:bit|little|tad|rather) much\b{_FULL}"
        rf"|(?:so|too) much(?: text)?\b{_FULL}|so many words\b{_FULL}|(?:so|too) much to read\b{_FULL}"
        rf"|(?:{_THAT_OR_IT})?(?:what |such |another |like )?(?:an? )?(?:whole |real |complete |bit of an? )*{_MASS}\b{_ASKED}"
        rf"|{_THAT}(?:another|(?:like )?an?) (?:whole |real |complete |bit of an? )*{_PIECE}\b{_FULL}"
        rf"|(?:yet )?another {_PIECE}\b{_ASKED}"
        rf"|i (?:(?:really|only|just) )*(?:didn't|did not|don't) (?:really )?(?:need|want|ask for|need to know) {_EFFORT}\b{_END}"
        rf"|(?:{_THAT})?(?:a lot )?(?:more|longer) than (?:i (?:asked|needed|wanted)(?: for)?|needed|necessary"
        rf"|it (?:needed|had) to be)\b{_FULL}"
        rf"|i (?:only |just |really )+(?:asked|wanted|needed|asked for|asked about|wanted to know|needed to know) (?:an? |one |the )?"
        rf"(?:(?:quick|short|simple|single|rough|departure) )*(?:{_SHORT}|yes or (?:a )?no|hint|platform|day|year|size|result)\b{_END}"
        rf"|i asked for (?:an? |one )(?:single |simple |short )*{_SHORT}(?:,? not .*)?{_END}"
        rf"|(?:one|an?|two)(?: \w+)? (?:{_SHORT}|yes or no) would(?: have|'ve)? (?:been|be|done|do|sufficed)\b"
        rf"|(?:(?:that|this|it) )?could(?: have|'ve) been (?:an? |one )?(?:single |short )?(?:{_PART}|shorter)\b{_FULL}"
        rf"|all (?:that|this) (?:just |only )?for (?:an?|one)(?: \w+)? {_SHORT}\b{_ASKED}"
        rf"|tl;?dr\b|you lost me (?:half ?way|(?:after|at|by) the \w+ {_PART})"
        rf"|i (?:stopped|gave up|quit) reading(?: half ?way| (?:that|this|it)| (?:after|at) (?:the|two|three|a) (?:\w+ )?{_PART})?{_END}"
        rf"|i (?:didn't|couldn't|can't) (?:even )?(?:finish|get through)(?: reading)? (?:all )?(?:of )?(?:that|this|it)\b{_END}"
        r"|(?:i )?(?:didn't|couldn't|can't|won't) read (?:all (?:of )?(?:that|this|it)|so much)(?: (?:right )?now| on my phone)?"
        rf"{_END}|(?:do|must) i (?:really )?(?:have to |need to )?read all (?:of )?(?:that|this|it)\b{_ASKED}"
        rf"|i (?:only|just) (?:read|skimmed|got through) the (?:first|last) (?:\w+ )?{_PART}\b"
        rf"|i (?:skipped|skimmed)(?: over)? (?:(?:most|half|the rest) of )?(?:that|this|it)\b{_END}|my eyes glaze[sd]? over\b"
        rf"|you(?:'re| are) rambling\b|you (?:really |do )+go on\b{_END}|{_IT} (?:really )?(?:went|goes|drag(?:s|ged)) on(?: and on)?{_END}"
        rf"|why (?:is (?:that|this)|was that|are (?:your|the) {_WRITTEN}) so (?:long|wordy)\b|why so (?:long|wordy|much text)\b"
        rf"|(?:yet )?another (?:long|endless|huge) (?:{_WRITTEN}|text|read)\b{_ASKED}|long {_WRITTEN} again\b"
        rf"|again with the (?:(?:long|endless) {_WRITTEN}|{_PIECE}s?|{_MASS}|details)\b)"
    ),
    "jargon": _re(
        rf"{_LEAD}(?:(?:{_THAT_OR_IT}|{_SOFT})too (?:technical|complicated|academic|advanced|theoretical)\b{_END}"
        rf"|(?:{_THAT})?(?:too|so) (?:much jargon|many (?:technical )?terms|many (?:abbreviations|acronyms))\b{_FULL}"
        rf"|{_THAT_OR_IT}(?:greek|gibberish) to me\b|{_IT}(?:'s| is| was| went| goes)(?: \w+)? over my head\b"
        r"|i (?:don't|didn't) (?:understand|know|get) (?:half|most|any|a word) of (?:that|this|these|those|the (?:words|terms))\b"
        r"|again with the (?:jargon|technical terms)\b)"
    ),
    "lists": _re(
        rf"{_LEAD}(?:(?:{_THAT})?(?:too|so) many (?:bullet(?: point)?s|lists|headings|tables)\b{_FULL}"
        rf"|(?:yet )?another (?:bullet(?:ed)? )?(?:list|table)\b{_FULL}|(?:bullet points|bullets|a list|lists) again\b{_FULL}"
        rf"|again (?:an? |with the )?(?:bullet points|bullets|lists?|tables?|headings)\b{_ASKED}"
        r"|the (?:bullet points|bullets|headings) (?:are|make)\b.{0,24}\b(?:hard|harder|annoying|distracting|confusing|too much)\b"
        r"|why (?:all )?the (?:bullet points|bullets|lists|headings)\b)"
    ),
    "questions": _re(
        rf"{_LEAD}(?:(?:you (?:do )?ask (?:me )?|{_THAT})?(?:far |way |just )*(?:too|so) many questions(?: back)?\b{_FULL}"
        r"|you already asked (?:me )?(?:that|this)\b|you keep asking\b|stop quizzing\b|why (?:all )?the questions\b"
        rf"|another question back\b|again with the questions\b|you answer (?:\w+ )?with (?:an?|another|more) questions?\b{_END}"
        r"|is this an? (?:interrogation|quiz|exam)\?)"
    ),
    "memory": _re(
        rf"{_LEAD}(?:(?:i think )?(?:i|we)(?: did|'ve| have)?(?: already)? (?:mention(?:ed)?|talk(?:ed)? about|went over|covered"
        rf"|discussed|told you|said) (?:that|this|it)(?: to you)? {_TIME_AGO}\b{_FULL}"
        r"|i(?:'ve| have)? (?:already |just )(?:told you|said|mentioned|explained)\b|i told you (?:already|this|that|twice|so)\b"
        rf"|don't you remember(?: (?:that|this|it|me|what i said))?{_ASKED}|you (?:don't|didn't) remember(?: (?:that|this|it))?{_ASKED}"
        rf"|(?:did you (?:already )?forget|have you forgotten|you(?:'ve| have) forgotten)(?: (?:that|this|it|me))?(?: already| again)?{_ASKED}"
        rf"|you forgot\b|as i (?:said|mentioned) {_TIME_AGO}\b|we(?:'ve| have) been (?:over|through) (?:this|that)\b{_FULL}"
        rf"|you should (?:really )?(?:know|remember) (?:that|this|it)(?: by now| already)?{_FULL}|how (?:often|many times) (?:do|must) i\b"
        r"|do i (?:really )?have to (?:repeat myself|(?:say|explain) (?:that|this|it) again)\b)"
    ),
    "sources": _re(
        rf"{_LEAD}(?:(?:(?:your|the|that|this|those|these) )?(?:sources?|links?|references?|citations?)(?: you (?:gave|sent|cited))?"
        r"(?:'s| is| are| was| were| isn't| aren't| don't| doesn't)(?: \w+){0,2}?"
        rf" (?:outdated|out of date|dead|broken|rubbish|unreliable|wrong|weak|dodgy|working|work|open|exist)\b{_FULL}"
        rf"|(?:no|not a single|not one|without an?y?) (?:source|link|reference|citation)s?(?: (?:again|at all|anywhere))\b"
        rf"|(?:again|still) (?:no|not a single) (?:source|link|reference|citation)s?\b{_FULL}"
        rf"|(?:{_THAT}|your (?:info|information|data|numbers|figures)(?: is| are| was) )(?:outdated|out of date|old news|stale)\b{_FULL}"
        r"|you (?:could|should) have (?:looked (?:that|it|this) up|checked (?:that|it|this)|googled)\b"
        r"|(?:you )?(?:didn't|did not) (?:even |really |actually )?(?:look (?:it|that|this) up|check|search|google)\b"
        r"|you made (?:that|this|it) up\b|again with the (?:dead links|old sources)\b)"
    ),
    "reasoning": _re(
        rf"{_LEAD}(?:(?:your|that|this|the) (?:reasoning|logic|argument|analysis|conclusion|comparison)"
        r"(?:'s| is| was| isn't| doesn't| does not| didn't| seems)(?: \w+){0,2}?"
        rf" (?:shallow|superficial|off|flawed|thin|weak|sloppy|circular|add up|hold(?: up)?|follow|make sense|convincing)\b{_FULL}"
        rf"|{_IT} (?:really |just )?(?:doesn't|does not|didn't) (?:really |quite )?(?:add up|follow|hold up|make (?:any |much )?sense)\b{_FULL}"
        rf"|{_IT} makes (?:no|little) sense\b{_FULL}"
        rf"|{_THAT}(?:too )?(?:not (?:very |really )?(?:logical|consistent|thought through)|illogical|superficial|shallow|simplistic"
        rf"|inconsistent|contradictory|half-baked)\b{_FULL}|(?:far |way |a bit )?too (?:shallow|superficial|simplistic)\b{_FULL}"
        r"|you (?:didn't|did not|haven't) (?:really |even )?(?:think|thought) (?:that|this|it) through\b"
        r"|you (?:just )?(?:skipped|left out|missed) (?:an?|the|some|several) (?:\w+ )?steps?\b|you(?:'re)? (?:just )?jump(?:ed|ing)? to conclusions\b"
        r"|(?:that|this) contradicts (?:what you|your)\b|you(?:'re| are) contradicting yourself\b)"
    ),
    "vague": _re(
        rf"{_LEAD}(?:{_THAT_OR_IT}(?:too )?(?:vague|generic|wishy-washy|hand-wavy)\b{_END}|{_THAT_OR_IT}too (?:general|abstract|broad)\b{_END}"
        rf"|(?:{_SOFT})too (?:vague|generic|general|abstract|broad)\b{_END}|{_DEGREE} (?:vague|generic)\b{_FULL}"
        rf"|{_THAT}not (?:very |really |exactly |that )?(?:specific|concrete|precise)\b{_FULL}|{_THAT_OR_IT}not what i asked\b|not what i asked\b"
        rf"|(?:{_IT}|it) (?:still |really )?(?:didn't|doesn't|does not|did not) (?:really |actually )?(?:answer|say|tell me|help)"
        rf"(?: my question| the question| what i asked| anything| much| it)?{_END}"
        r"|you (?:dodged|sidestepped|avoided|evaded|ignored) (?:the|my) question\b"
        r"|you (?:still )?(?:didn't|did not|haven't|never) (?:really |actually |even )?answer(?:ed)? (?:my|the|that|it)\b"
        rf"|(?:{_THAT}|again with the )(?:empty phrases|platitudes|fluff|waffle|boilerplate|generalities|a non-answer)\b)"
    ),
}
"""Topic → a weak complaint about the reply before, from the start of a sentence."""
HINTED = {
    "length": _re(
        rf"{_LEAD}(?:(?:that's|that is|this is) (?:quite )?a lot{_STOP}))|(?:and )?in (?:short|brief|one (?:line|sentence))\?|shorter\?"
        rf"|(?:another )?long one{_STOP})))"
    ),
    "jargon": _re(rf"{_LEAD}(?:in (?:plain|normal|simple) (?:words|english)\?|meaning what\?)"),
    "lists": _re(rf"{_LEAD}(?:(?:more )?bullet points\?|(?:another|a) list\?)"),
    "questions": _re(rf"{_LEAD}(?:another question\?|you're asking me\?)"),
    "memory": _re(rf"{_LEAD}(?:remember\?|we had that{_STOP})))"),
    "sources": _re(rf"{_LEAD}(?:(?:and the |your )?sources?\?|says who\?|according to (?:whom|who)\?|where did you get that\b)"),
    "reasoning": _re(rf"{_LEAD}(?:how come\?|how does that follow\?|because\?)"),
    "vague": _re(rf"{_LEAD}(?:such as\?|for example\?|meaning\?|concretely\?|which (?:ones? )?exactly\?)"),
}
"""Topic → a milder sign of it, which counts only once the portrait knows of the topic."""
TOLD = {
    "length": _re(
        r"\b(?:long|lengthy|verbose|wordy)\b.{0,30}\b(?:answer|repl|response|explanation|text|message)|walls? of text|\bbrevity\b"
        r"|\b(?:short|brief|concise|succinct)\b.{0,20}\b(?:answer|repl|response|explanation|message)"
    ),
    "jargon": _re(r"\bjargon\b|\btechnical (?:wording|terms|language)|\bplain (?:words|language)"),
    "lists": _re(r"\blists\b|\bbullet"),
    "questions": _re(r"\basked back\b|\bquestions back\b|\b(?:follow-up|counter-?) ?questions\b"),
    "memory": _re(r"\b(?:having to|to) (?:repeat|explain)\b.{0,24}\b(?:again|themselves|twice)\b|\bto be remembered\b"),
    "sources": _re(r"\b(?:sources?|references|citations)\b.{0,30}\b(?:missing|outdated|out of date|for claims)|\bunsourced\b"),
    "reasoning": _re(r"\bskips? (?:a )?steps?\b|\b(?:shallow|flawed|sloppy|contradictory) (?:reasoning|arguments?|logic)"),
    "vague": _re(r"\b(?:vague|generic|general|abstract)\b.{0,20}\b(?:answer|repl|advice)|\banswers that stay general\b"),
}
"""Topic → a line of a portrait that tells of it, in whichever words."""
