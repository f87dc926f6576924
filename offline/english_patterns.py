"""The English wordings that the rules know. Each matches from the start of a clause unless it is searched for.

Apostrophes are straight: `passages` straightens them in what rules read.
"""

from __future__ import annotations

import re

from previously.offline.words import word_set


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


LEAD = _re(
    r"\s*(?:(?:hi|hello|hey|oh|ok|okay|so|well|and|but|also|yes|yeah|yep|no|nope|sorry|actually|btw|"
    r"by the way|just|anyway|thanks"
    r"|thank you|fyi|ps|good news|one more thing|for the record|right|alright|good (?:morning|evening|afternoon)"
    r"|please|(?:update|correction|note|reminder|plan|news)(?=\s*[:,–—-]))(?: there)?\b[\s,!.:;—–-]*)*"
)
LEAD_REACTION = _re(r"\s*(?:(?:no|nope|hmm+|ugh|oh|sorry|hey|wait|but|well|ok|okay|come on|argh)\b[\s,!.…—–-]*)*")
GREETING = _re(r"(?:hi|hello|hey|good (?:morning|evening|afternoon))(?: there| everyone| all)?\b[\s,!.]*")
POLITE = _re(
    r"(?:(?:can|could|would|will) you (?:please |kindly )?|i(?:'d| would) like you to |i want you to |please )"
)
CONDITION = _re(
    r"\s*(?:when|whenever|while|if|although|though|since|because|after|before|once|unless|until|as|in case)\b"
)
JOINT = _re(
    r"\s*[;—–]\s*|,?\s+(?:and|but|so)\s+(?=(?:i|i'm|i've|i'll|my|please|can|could|call|from)\b)"
    r"|,\s+(?=(?:i|i'm|i've|i'll|my|how|what|why|where|when|who|which|can|could|should|would|do|does|any|is|are)\b)"
    r"|,\s+(?=(?:she|he|it|they|we|our|you|which)(?:\b|'))"
)

# What takes the ground from a statement
SUPPOSED = _re(
    r"\b(?:if|what if|suppose|supposing|imagine|hypothetically|let's say|say,|pretend|as if|would|"
    r"wouldn't|for example|e\.g|"
    r"in the (?:story|novel|game|book|film|movie)|he says|she says|they say|he said|she said|they said|wish|used to|"
    r"character|quote|lyrics|joke|kidding|sarcas\w+)\b"
)
TAG_QUESTION = _re(r"[,.]?\s(?:right|correct|isn't it|aren't i|don't i|didn't i|is it|am i|do i|yes|no)\?$")
HEDGED = _re(
    r"\b(?:might|maybe|perhaps|probably|not sure|supposed to be|was supposed|considering|wondering|could|"
    r"almost|nearly)\b"
)
HABIT = _re(r"\b(?:mornings|afternoons|evenings|nights|every|each|usually|always|normally|often|sometimes|generally)\b")
NEGATED = _re(r"(?:\b(?:not|never|no longer|without|nothing|nobody|no)\b|n't\b)")
NEGATED_NOW = _re(r"i(?:'m| am| was)? (?:not|never)\b|i(?:'m| am) no longer\b")

# Who the user is
_NAME = (
    r"(?P<value>[^\W\d_][\w'.-]*(?:\s[^\W\d_][\w'.-]*){0,2}?)(?=\s*(?:[,.!?;:)(—–]|$|(?:and|but|or|from|"
    r"instead|please|here|in|if|since|because|not)\b))"
)
MY_NAME = _re(rf"my (?:full |first |real )?name(?:'s| is)(?: actually)? {_NAME}")
I_AM_NAME = _re(rf"(?:i'm|i am|this is) {_NAME}")
CALL_ME = _re(rf"(?:you can |you may |just |please |always |do )*call me {_NAME}")
ALIAS = _re(
    rf"(?:my friends|friends|everyone|everybody|people|my family|my colleagues) (?:all |"
    rf"usually )?calls? me {_NAME}|i also go by {_NAME.replace('value', 'other')}"
)
PRONOUNS = _re(
    r"(?:my pronouns are|i use|i go by) (?P<value>(?:she|he|they|xe|ze)\s?/\s?\w+(?:\s?/\s?\w+)?)(?: pronouns)?\b"
)
PEOPLE = re.compile(
    r"(?:ian|ish|ese|ican|ist)\b|^(?:dutch|german|french|greek|swiss|czech|thai|arab|muslim|jewish|hindu|"
    r"catholic|vegan|back|"
    r"here|home|sorry|fine|good|great|ok|okay|batman)\b"
)
NO_NAMES = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march june july august september october
    november december back later tomorrow today tonight crazy when if old not the a an i
    """
)

# What the user asks for
_ACT = (
    r"(?:use|answer|reply|respond|keep|give|write|be|skip|avoid|make|ask|start|begin|speak|talk|tell|show|"
    r"put|include|explain|add|call|"
    r"say|send|format|repeat|suggest|translate|summari[sz]e|apologi[sz]e|lecture|mention|offer|list|quote|"
    r"cite|check|assume|"
    r"stick|stop|remind|end|address|wrap|praise|guess|interrupt|recommend|bring|provide|switch|spell)"
)
REMEMBER = _re(
    r"(?:please )?(?:always )?(?:"
    r"remember(?! (?:when|what|how|who|where|why|whether|if|the time|those|our|last|me)\b)(?: this| that|"
    r" the following)?\b"
    r"|don't forget(?! (?:when|what|how|who|where|why|whether|if|about)\b)(?: that)?\b"
    r"|(?:make|take) a note (?:that|of)\b|note down(?: that)?\b|write (?:this |that )?down(?: that)?\b"
    r"|keep in mind(?: that)?(?=:?\s+(?:i|i'm|i've|my|we|our)\b)"
    r"|for (?:your|the) record(?=[,:]? (?:i|i'm|my)\b)"
    r")[\s,:—–-]*(?:that )?"
)
TO_DO = _re(rf"to (?:always |never |only )?{_ACT}\b")
IMPERSONAL = _re(r"(?:please )?(?:just |always )?remember[\s,]+$")
"""A bare “remember”, which may be advice as well as a wish."""
OWN = _re(r"\b(?:i|i'm|i've|my|me|we|our)\b")
FORGET = _re(
    r"(?:please )?(?:forget (?:what i (?:said|told you) about|everything (?:i (?:said|told you) )?about)\b"
    r"|(?:forget (?:that|about)|remove|delete) (?=.*\b(?:i|my|me|memory|card)\b))"
)
UPDATE_CARD = _re(r"(?:please )?(?:update|refresh|correct) (?:your|my|the) (?:card|memory|notes?|profile)\b")

# How the assistant is to behave
_EVER = r"(?:any ?more|again|ever|in (?:the )?future|from now on|going forward|next time)"
RULES = [
    _re(r"stop (?:\w+ly )?\w+ing\b.*"),
    _re(r"(?:do not|don't|never) " + _ACT + rf"\b.*\b{_EVER}\b"),
    _re(r"(?:do not|don't|never) (?:ever |you dare )?call me\b.+"),
    _re(rf"never (?!give up|say never|be |make it|tell (?:him|her|them))(?:ever )?{_ACT}\b.+"),
    _re(
        rf"(?:from now on|from here on|in (?:the )?future|going forward|next time|"
        rf"from today)[, ]+(?:please |always |never |only |just |do not |don't |you should |stop |no more |"
        rf"i(?:'d| would) like you to |i want you to )*(?:{_ACT}\b|no more\b|\w+ing\b.*\bplease\b).*"
    ),
    _re(rf"always {_ACT}\b.+"),
    _re(rf"{_ACT}\b.*\b(?:from now on|going forward|in (?:the )?future|every time)$"),
    _re(r"no more [\w\s-]+(?:,? please)?$"),
    _re(r"i (?:really )?(?:don't like|hate|dislike|can't stand) (?:it )?when you\b.+"),
    _re(
        r"i(?:'d| would) (?:rather|prefer(?: it)?(?: if)?) you (?:didn't|did not|don't|just|always|only|"
        r"stopped|kept|used|answered|asked)\b.+"
    ),
    _re(rf"(?:when|whenever|if) i(?:'m|'ve)?\b[^,]*, (?:please |just |always |never |do not |don't |only )*{_ACT}\b.+"),
    _re(r"(?:when|whenever|if) i(?:'m|'ve)?\b[^,]*, (?:please )?(?:don't|do not|never) \w+.+"),
]
REVOKE = _re(
    r"(?:you can|you may|feel free to|it's (?:ok|okay|fine) to) (?=.*\b(?:again|after all|"
    r"once more)\b)(?:start |go back to )?(?:using |use )?"
)
REVOKE_TAIL = _re(r"\b(?:again|after all|once more)\b")

# Plans; \ue001 is a date
_D = "\ue001"
_WHEN = rf"(?:(?:on|by|in|at|from|until) )?(?:{_D},? )?"
_MARK = r"(?:also |still |really |now |just |finally )?"
PLANS = [
    _re(
        rf"{_WHEN}(?:i|we) {_MARK}(?:have to|need to|must|should|got to|gotta|plan to|want to|intend to|"
        rf"agreed to|hope to|promised(?: \w+){{0,3}} to)\b.*"
    ),
    _re(rf"{_WHEN}(?:i|we)(?:'ve| have) {_MARK}(?:got )?(?:to |a |an |my |our |the |another |two |three )\S.*"),
    _re(rf"{_WHEN}(?:i'm|i am|we're|we are) {_MARK}(?:going to |planning to |due to |off to )\S.*"),
    _re(
        rf"{_WHEN}(?:i'm|i am|we're|we are) {_MARK}(?!being|saying|asking|talking|wondering|hoping|"
        rf"dreading|thinking|looking forward|feeling)\w+ing\b.*"
    ),
    _re(
        rf"{_WHEN}(?:i|we)(?:'ll| will) {_MARK}(?!be (?:back|late|fine|ok|okay|offline|away|here|there|"
        rf"busy|free|around|tired)|see you|let you|talk|check|try|ask|tell you|get back|do (?:it|that))\S.*"
    ),
    _re(rf"{_WHEN}(?:i|we) (?:start|fly|leave|move|travel|present|graduate|sit|meet|see)\b.*"),
    _re(rf"(?:my|our) [^,{_D}]{{2,60}}?(?:'s| is| are| starts?| begins?| ends?| takes place)(?: \w+){{0,3}} {_D}.*"),
    _re(rf"(?:the |my |our )?deadline\b.*(?:is|'s)\b.*{_D}.*"),
    _re(rf"(?:the|my|our|this) .{{2,60}}\b(?:is|are) due\b.*{_D}.*"),
    _re(r"remind me (?:to|about|that)\b.*"),
]
STRONG_DUTY = _re(r"\b(?:have to|need to|must|due|deadline|remind me)\b")
MOVED = _re(
    rf"\s(?:(?:was|is|got|has been|'s been|been|had to be) )?(?:just )?(?:moved|pushed|postponed|"
    rf"rescheduled|delayed|shifted|put off|brought forward)(?: back| forward)?(?: (?:to|until|till|for|"
    rf"by))? [^{_D}]{{0,20}}{_D}"
)
DONE = _re(
    rf"(?:{_D},? )?i(?:'ve| have)? (?:finally |just |already |also )*"
    r"(?:(?:finished|completed|submitted|handed in|turned in|sent off|delivered|passed|defended|"
    r"wrapped up|shipped|launched|"
    r"booked|paid|filed|returned) (?!you|your|it\b|this|that)|(?:gave|did|ran|took|sat|had|sent) (?:my|the|our) ).+"
    r"|(?:i'm |i am )?(?:all |finally )?(?:done|finished) with .+"
    r"|(?:my|the|our) .+ (?:went (?:really |very |quite |so )?(?:well|great|fine|badly|ok|okay|smoothly)"
    r"|(?:is|'s) (?:finally )?(?:done|finished|over|behind me|settled)|was a success)\b.*"
)
CANCELLED = _re(
    r"^(?:my|the|our|that) .+ (?:is|was|has been|got|'s been|'s) (?:cancell?ed|called off|off the table)\b"
    r"|^i(?:'ve| have)? (?:just |had to )?(?:cancell?ed|cancel|called off|dropped out of|quit|gave up)\b .+"
    r"|^i'm no longer \w+ing .+|^i'm not \w+ing .*(?:any ?more|after all)$"
)

# What goes on, happened, or holds
_DOING = (
    r"(?:training|learning|studying|preparing|reading|writing|building|planning|renovating|practi[sc]ing|"
    r"saving|job hunting"
    r"|rehearsing|recovering|teaching myself|applying|redecorating|organi[sz]ing|coaching|volunteering|mentoring"
    r"|looking for an? (?:new )?(?:job|flat|apartment|house|place|room)|working on (?:my|a|an|our)"
    r"|trying to (?:learn|lose|quit|sleep|eat|run|read|save)|taking (?:an? )?(?:\w+ )?(?:course|class|classes|lessons))"
)
_BEGUN = (
    rf"(?:{_DOING}|running|swimming|cycling|climbing|playing|going to|taking|cooking|baking|drawing|painting|dancing"
    r"|gardening|surfing|helping out|working (?:at|as|for|with))"
)
_NOT_HERE = (
    r"(?! (?:this|that|these|those|them|it|all|another|some|more|your|his|her|their|a (?:lot(?! of|"
    r" about)|ton|few|bit)|so much|as usual"
    r"|to ask|in to|to you|because|(?:the|a) (?:following|error|bug|code|file|above|function|script|regex|query|loop"
    r"|class|method|test))\b)"
)
_MOMENT = (
    r"(?!(?:feeling|doing|keeping|having|thinking|getting|wondering|meaning|hearing|seeing|being|looking|trying)\b)"
)
_LATELY = (
    r"(?:these days|lately|recently|currently|nowadays|this (?:month|year|summer|winter|spring|autumn|fall|"
    r"semester|term))"
)
_LONG = r"(?:lately|recently|these days|for (?:the (?:past|last) )?\w+ (?:weeks|months|years)|since \w+.*)"
NOW = [
    _re(rf"i(?:'m| am) (?:currently |now |still |really |just |also |busy )*{_DOING}\b{_NOT_HERE}\s\S.+"),
    _re(rf"{_LATELY},? i(?:'m| am|'ve been| have been) (?:really |mostly |also )?{_MOMENT}\w+ing\b{_NOT_HERE}.*"),
    _re(
        rf"i(?:'m| am) {_MOMENT}\w+ing\b{_NOT_HERE}.* (?:these days|nowadays|this (?:month|year|summer|semester|term))$"
    ),
    _re(rf"i(?:'ve| have) been {_MOMENT}\w+ing\b{_NOT_HERE}.*\b{_LONG}$"),
    _re(rf"i(?:'ve| have) been {_DOING}\b{_NOT_HERE}\s\S.+"),
    _re(
        r"i(?:'ve| have)? (?:just |recently |finally )*(?!.*\byears? ago\b)(?:"
        rf"(?:started|begun|began|taken up|took up) (?:an? (?:new )?\w+|my (?:own |new |first )\w+|"
        rf"{_BEGUN}\b{_NOT_HERE}\s\S)"
        r"|(?:joined|signed up for) (?:an?|the local|my)\s\w)(?!.*\b(?:server|laptop|computer)\b).*"
    ),
]
EVENT = _re(
    r"(?:i (?:graduated|moved|got married|married|joined|left|quit|started|founded|was born|became|"
    r"retired|bought|finished|completed|"
    r"changed jobs|switched|adopted|ran|published|sold|emigrated|immigrated|came|got divorced|had surgery|"
    r"began)\b|my (?:son|daughter|twins|father|"
    r"mother|dad|mum|mom|wife|husband|dog|cat)\b.{0,30}\b(?:was|were|died|passed away)\b).{0,120}?\b(?:in|"
    r"since|on|during)\b.{0,20}\b(?P<year>(?:19|20)\d\d)\b"
)
_THING = (
    r"(?!this|that|it\b|these|those|them\b|him\b|her\b|his\b|their|your?\b|there\b|how|the |all\b|every|"
    r"each|having|being"
    r"|seeing|watching|both|either|to see|where|what|when|one\b|option|to$)(?!.*\b(?:this|these|those|them|here)\b)"
)
_KIN = (
    r"(?:wife|husband|partner|boyfriend|girlfriend|fianc[eé]e?|daughter|son|sister|brother|mother|father|mum|"
    r"mom|dad|dog|cat|best friend|boss|manager|cofounder|roommate|flatmate)"
)
_ROLES = (
    r"(?:engineer|developer|programmer|teacher|nurse|doctor|designer|student|manager|lawyer|writer|"
    r"researcher|scientist|analyst|architect|"
    r"accountant|chef|musician|artist|journalist|professor|consultant|translator|photographer|pilot|baker|"
    r"farmer|therapist|librarian|"
    r"vegetarian|vegan|pescatarian|night owl|early riser|morning person|freelancer|founder|paramedic|"
    r"electrician|carpenter|editor|dentist|pharmacist|physicist|biologist)"
)
FACTS: list[tuple[str, re.Pattern[str]]] = [
    ("lives in", _re(r"i (?:now |still |currently )?live in \S.+")),
    ("is from", _re(r"i(?:'m| am| come) (?:originally )?from (?!the (?:future|other)|your?\b|a \b)\S.+")),
    (
        "works",
        _re(r"i (?:now |still |currently )?work (?:as|at|for|in) (?!this|that|it\b|your?\b|the (?:same|next))\S.+"),
    ),
    ("", _re(rf"i(?:'m| am) an? (?:[\w-]+ ){{0,3}}{_ROLES}\b(?! of yours)(?!\s+too$).*")),
    (
        "",
        _re(
            r"i(?:'m| am) (?:vegetarian|vegan|pescatarian|left-handed|colou?r-?blind|dyslexic|diabetic|"
            r"lactose intolerant|deaf|pregnant)\b.*"
        ),
    ),
    ("", _re(r"i(?:'m| am) (?:\w+ )?allergic to (?!this|that|your?\b|work|mornings)\S.+")),
    (
        "",
        _re(
            rf"i (?:really |absolutely |also |still |generally |usually |much )*(?:love|like|prefer|hate|dislike|"
            rf"enjoy|can't stand|avoid|adore) {_THING}\S.+"
        ),
    ),
    (
        "",
        _re(
            r"i (?:do not|don't|never) (?:really )?(?:eat|drink|like|smoke|drive|fly|enjoy) (?!this|that|it\b|"
            r"these|those|your?\b|how|when|the (?:way|idea|first|second|answer))\S.+"
        ),
    ),
    (
        "",
        _re(
            r"i(?:'ve| have) (?:got )?(?:a|an|two|three|four|one) (?:\w+ )?(?:kids?|child|children|daughters?|"
            r"sons?|dogs?|cats?|sisters?|brothers?|twins)\b.*"
        ),
    ),
    ("", _re(rf"my (?:\w+ )?{_KIN}(?:'s name)?(?:'s| is) (?:called |named )?(?-i:[A-Z])\w+.*")),
    ("", _re(rf"my {_KIN} [^\W\d_][\w-]+ (?:is|works|lives)\b.*")),
    ("", _re(r"my favou?rite (?!one|part|thing)[\w ]{2,40} (?:is|are) (?!this|that|your?\b)\S.+")),
    ("birthday", _re(r"my birthday(?:'s| is) (?!today|tomorrow|soon|next|this|coming|on a|over)\S.+")),
    ("", _re(r"i speak (?:fluent |native |some |a little )?(?-i:[A-Z])\w+.*")),
    ("native language", _re(r"my (?:native|first) language is \S.+")),
]

BIRTHDAY = next(pattern for slot, pattern in FACTS if slot == "birthday")

# What the user says about the reply before
STRONG = [
    _re(
        r"(?:that|this|it)(?:'s| is| was) (?:just |completely |totally |simply |all |still |"
        r"clearly )?(?:wrong|incorrect|not (?:right|true|correct|what i (?:asked|said|meant|wanted|need)|"
        r"it\b)|false|useless|nonsense)\b"
    ),
    _re(
        r"(?:that|this|it) isn't (?:right|true|correct|what i (?:asked|said|meant|wanted))\b|"
        r"not what i (?:asked|said|meant|wanted)\b|wrong (?:again|answer)\b|wrong[.!]*$"
    ),
    _re(
        r"you(?:'ve)? (?:got (?:it|that|this|my \w+) wrong|misunderstood|completely missed|ignored|forgot|"
        r"didn't (?:listen|read|answer|remember|even)|did not (?:listen|read|answer)|made (?:that|it) up|"
        r"keep \w+ing|are not listening|never (?:listen|answer|read))\b|you're not listening\b"
    ),
    _re(
        r"i (?:already|just) (?:told you|said|mentioned|explained)\b|i told you (?:already|this|twice|"
        r"so(?! many| much)|not to)\b|i said (?:that|so) (?:already|before|twice)\b|why do you keep \w+ing\b|"
        r"did you even read\b|again\?+ |how many times (?:do|must|have) i\b"
        r"(?=.*\b(?:t[eo]ll?d?|say|said|repeat\w*|explain\w*)\b)"
    ),
]
"""Open complaints and corrections."""
WEAK = _re(
    r"(?:not quite|not really (?:helpful|what)|(?:that|this|it)(?:'s| is) (?:not (?:very |really |so |"
    r"all that )?(?:helpful|useful|clear|great|quite)|too short)|(?:that|this|it) (?:doesn't|does not|didn't) "
    r"(?:really )?(?:help|work)|again with (?:the|your|all)|you already asked)\b"
)
"""Signs of discontent that are about none of the topics in `complaints`."""
ABOUT_MEMORY = _re(
    r"\b(?:forgot|forget|remember|told you|already (?:said|told|mentioned|explained)|just (?:told|said|"
    r"mentioned)|how many times|already asked)\b"
)
PRAISE = _re(
    r"\s*(?:(?:oh|wow|yes|ok|okay|ah|ha|hey)[,! ]+)*(?:perfect|excellent|brilliant|spot on|love it|"
    r"well done|good job|nicely done"
    r"|exactly what i (?:needed|wanted|asked)|great (?:answer|job|work|explanation|help|summary)"
    r"|(?:great|awesome|amazing|wonderful|fantastic|lovely|nice|super)[,!]? (?:thanks|thank you)"
    r"|(?:that|this|it)(?:'s| is| was) (?:just |exactly |really |so |very |much |absolutely )*"
    r"(?:perfect|what i (?:needed|wanted)|helpful|better|spot on|right)"
    r"|(?:that|this|it) (?:really |totally )?(?:worked|works|helps|helped)(?: (?:a lot|perfectly|great|"
    r"so much|very well|well))?"
    r"|works (?:perfectly|great))(?=\s*(?:[,.!;:—–)]|$|and\b|thank|now\b|for\b))"
)
SPOILED = _re(
    r"\b(?:but|except|although|however|wrong|again|broke|broken|not|storm|if|day|weather|world|place|time|n't)\b"
)
