"""What users complain of again and again: how it sounds, and what follows from it for each document of memory.

One table for all that judges or learns: the analysis scores by it, the evolution run draws its conclusions from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from previously.offline.passages import Sentence
from previously.offline.words import is_chinese
from previously.state.commit import Bucket


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A topic in one language."""

    heard: re.Pattern[str]
    """A weak complaint about the reply before, at the beginning of a sentence."""
    hinted: re.Pattern[str]
    """A milder sign, which counts only once the portrait knows of the topic."""
    portrait: str
    lesson: str
    guess: str
    falsify: str
    playbook: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One thing that answers do wrong."""

    bucket: Bucket
    english: Wording
    chinese: Wording

    def wording(self, *, chinese: bool) -> Wording:
        """Return the topic in a language."""
        return self.chinese if chinese else self.english

    def known_to(self, text: str) -> bool:
        """Whether a text says the portrait's line of this topic, in either language."""
        return self.english.portrait in text or self.chinese.portrait in text


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_NEVER = re.compile(r"(?!)")
_LEAD = r"\s*(?:(?:oh|ugh|phew|hm+|well|ok(?:ay)?|sorry|again|wow|man|yikes|and|but)\b[\s,.!…—–-]*)*"
_REPLY = (
    r"(?:that|this|it|your (?:last )?(?:answer|reply|message|response|explanation)s?)"
    r"(?:'s|'re| is| was| are| were)? (?:(?:just|again|still|really|quite|once more|all|rather) )*"
)
_LEAD_ZH = r"\s*(?:(?:唉|哎|呃|嗯|额|诶|哇|天哪|又来了?|这次|不过|可是)[，,。！!…\s]*)*"
_REPLY_ZH = (
    r"(?:(?:你)?(?:这|这个|这次|上面|刚才)?(?:的)?(?:回答|回复|答案|解释|说明)?(?:还是|又|也|真的|实在|有点|未免)*)"
)

TOPICS: dict[str, Topic] = {
    "length": Topic(
        bucket="interaction",
        english=Wording(
            heard=_re(
                _LEAD
                + r"(?:"
                + _REPLY
                + r"(?:far |way |much |a bit |a little |awfully |terribly )?(?:too|so|very) (?:long"
                r"|wordy|much|detailed)\b"
                + "|"
                + _REPLY
                + r"(?:quite )?(?:a |an |another )(?:whole |bit of an? |real )?(?:wall of text|essay"
                r"|novel|lecture|mouthful|long read|lot to (?:read|take in))\b"
                r"|(?:another|what a|such a|an?) (?:wall of text|essay|novel|lecture|mouthful)\b"
                r"|(?:too|so) (?:long|much)(?: again| text| to read)?\s*(?:[,.;!…—–]|$)"
                r"|(?:so|too) (?:much text|many words)\b"
                r"|i (?:really |only |just )*(?:didn't|did not|don't) (?:really )?(?:need|want"
                r"|ask for) (?:all (?:of )?(?:that|this)|(?:that|so) much|the whole|a whole"
                r"|an essay|a lecture|a novel)\b"
                r"|i (?:only|just) (?:asked for|wanted|needed|asked) (?:a (?:quick|short|simple)"
                r" (?:answer|reply|yes|no|number|line|fact|hint|word)|one (?:line|word"
                r"|sentence|number)|yes or no|the (?:time|number|date|name"
                r"|year|word|answer))\b"
                r"|(?:tl;?dr|you lost me (?:after|halfway)|i (?:stopped|gave up|quit) reading"
                r"|i didn't (?:finish|get through) (?:reading )?(?:that|this|it))\b)"
            ),
            hinted=_re(
                _LEAD + r"(?:(?:that's|that is) a lot\b|in short\?|shorter\?|and in one (?:line"
                r"|sentence)\?|long one\b)"
            ),
            portrait="Loses patience with long answers to short questions",
            lesson="A short question gets a short answer; long ones were complained of.",
            guess="Reads answers in passing, between other things",
            falsify="asks for more detail twice in a row",
            playbook="Give the finding first, in two or three sentences; leave out what was not asked.",
        ),
        chinese=Wording(
            heard=_re(
                _LEAD_ZH + r"(?:" + _REPLY_ZH + r"(?:太长|太多字|太啰嗦|太罗嗦|啰嗦|好长|这么长|那么长|太详细)"
                r"|" + _REPLY_ZH + r"(?:是)?(?:一大段|一大堆|一大篇|长篇大论|小作文|一篇论文)"
                r"|(?:你)?(?:又|怎么又)?(?:说|写|讲)了?(?:这么|那么|一大)(?:多|堆|段|长)"
                r"|(?:我)?(?:根本)?(?:看不完|看不下去|读不完|没看完|懒得看)"
                r"|(?:其实)?(?:没必要|不需要|用不着|不用)(?:说|写|讲)?(?:这么|那么)(?:多|长|细|详细)"
                r"|我(?:只是|就|就是|只)(?:想)?(?:问|要|想知道|想要)(?:一句话|一个字|一个数|个时间"
                r"|个数字|几点|哪天|是不是|行不行)"
                r"|字(?:也)?太多)"
            ),
            hinted=_re(_LEAD_ZH + r"(?:有点多|能短点吗|一句话说|简单说|长了点)"),
            portrait="短问题得到长篇回答时会不耐烦",
            lesson="短问题就短答，长篇的回答用户抱怨过。",
            guess="常在忙别的事时顺便看回答",
            falsify="连续两次要求说得更详细",
            playbook="先给结论，两三句说完；没问到的不写。",
        ),
    ),
    "vague": Topic(
        bucket="interaction",
        english=Wording(
            heard=_re(
                _LEAD
                + r"(?:"
                + _REPLY
                + r"(?:a bit |a little |rather )?(?:too )?(?:vague|generic|general|abstract|wishy-washy)\b"
                r"|(?:that|this|it) (?:didn't|doesn't|does not|did not) (?:really )?(?:answer|say"
                r"|tell me) (?:my question|anything|much)\b"
                r"|you (?:dodged|sidestepped|avoided) (?:the|my) question\b)"
            ),
            hinted=_re(_LEAD + r"(?:such as\?|for example\?|meaning\?|concretely\?)"),
            portrait="Has little use for answers that stay general",
            lesson="Answers name something concrete; general ones were complained of.",
            guess="Wants something to act on at once",
            falsify="is content with an overview twice",
            playbook="Name the concrete thing that was asked for; leave generalities out.",
        ),
        chinese=Wording(
            heard=_re(
                _LEAD_ZH + r"(?:" + _REPLY_ZH + r"(?:太笼统|太泛|太空|空洞|太模糊|太官方|套话|太抽象)"
                r"|(?:你)?(?:还是|又|根本|都)?没(?:有)?(?:正面)?回答我?的?问题|说了等于没说|等于没说)"
            ),
            hinted=_re(_LEAD_ZH + r"(?:比如呢|具体呢|举个例子)"),
            portrait="觉得笼统的回答没有用处",
            lesson="回答要落到具体的东西上，笼统的回答用户抱怨过。",
            guess="希望马上有能照着做的东西",
            falsify="两次只听概况就满意",
            playbook="直接给出问到的具体内容，不写空话。",
        ),
    ),
    "jargon": Topic(
        bucket="interaction",
        english=Wording(
            heard=_re(
                _LEAD
                + r"(?:"
                + _REPLY
                + r"(?:a bit |a little |way |far )?too (?:technical|complicated|academic|advanced)\b"
                r"|(?:too|so) much jargon\b|(?:that's|that is|it's) (?:all )?(?:greek|gibberish) to me\b)"
            ),
            hinted=_re(_LEAD + r"(?:in plain (?:words|english)\?|in normal words\?)"),
            portrait="Turns away from technical wording",
            lesson="Plain words; technical wording was complained of.",
            guess="Comes to such subjects from outside the field",
            falsify="uses the technical terms twice without being asked",
            playbook="Use plain words; explain a term in half a sentence or leave it out.",
        ),
        chinese=Wording(
            heard=_re(
                _LEAD_ZH
                + r"(?:"
                + _REPLY_ZH
                + r"(?:太专业|太复杂|太深|太学术|术语太多)|一堆术语|看不懂(?:这些|那些)?术语)"
            ),
            hinted=_re(_LEAD_ZH + r"(?:说人话|通俗点|白话)"),
            portrait="遇到术语多的回答会读不下去",
            lesson="用平常的话说，术语多的回答用户抱怨过。",
            guess="对这类话题是外行",
            falsify="两次主动用了专业术语",
            playbook="用平常的话写，术语要么半句话解释，要么不用。",
        ),
    ),
    "lists": Topic(
        bucket="interaction",
        english=Wording(
            heard=_re(
                _LEAD + r"(?:(?:too|so) many (?:bullet(?: point)?s|lists?|headings|tables)\b"
                r"|(?:another|yet another|one more) (?:bullet(?:ed)? )?(?:list|table)\b"
                r"|(?:bullet points|a list|lists) again\b)"
            ),
            hinted=_NEVER,
            portrait="Reads running text more readily than lists",
            lesson="Running text instead of lists, which were complained of.",
            guess="Likes to be talked to rather than briefed",
            falsify="asks for a list or a table twice",
            playbook="Write running text, not lists.",
        ),
        chinese=Wording(
            heard=_re(
                _LEAD_ZH + r"(?:(?:怎么)?又是(?:一堆)?(?:列表|清单|表格|要点|一二三)|(?:列表|要点|分点|小标题)太多)"
            ),
            hinted=_NEVER,
            portrait="比起罗列，更愿意读连贯的文字",
            lesson="写成连贯的文字，罗列要点用户抱怨过。",
            guess="更喜欢像聊天一样的说法",
            falsify="两次主动要列表或表格",
            playbook="写连贯的文字，不要罗列。",
        ),
    ),
    "questions": Topic(
        bucket="interaction",
        english=Wording(
            heard=_re(
                _LEAD + r"(?:(?:you ask |that's |that is )?(?:too|so) many questions\b"
                r"|you already asked (?:me )?(?:that|this)\b"
                r"|stop quizzing\b|why (?:all )?the questions\b)"
            ),
            hinted=_NEVER,
            portrait="Gets annoyed when asked back repeatedly",
            lesson="One question back at the most; more were complained of.",
            guess="Prefers a guess that can be corrected to being asked",
            falsify="welcomes a question back twice",
            playbook="Make a sensible assumption and say so, instead of asking back.",
        ),
        chinese=Wording(
            heard=_re(
                _LEAD_ZH + r"(?:(?:你)?(?:的)?问题(?:也)?太多|(?:你)?(?:怎么)?(?:老|总"
                r"|一直)(?:是)?(?:在)?(?:反问|问我)|又(?:来)?问我)"
            ),
            hinted=_NEVER,
            portrait="被反复追问会烦",
            lesson="最多反问一句，问得多了用户抱怨过。",
            guess="宁可对方先猜一个，错了再改",
            falsify="两次乐意回答反问",
            playbook="先按合理的假设做并说明，不要反问。",
        ),
    ),
    "memory": Topic(
        bucket="recall",
        english=Wording(
            heard=_re(
                _LEAD + r"(?:(?:i think |but )?(?:i|we) (?:did )?(?:mention(?:ed)?|talked about|went over"
                r"|covered) (?:that|this|it) (?:before|already|last)\b"
                r"|don't you remember\b|(?:you don't|you do not|you didn't) remember\b"
                r"|as i (?:said|mentioned) (?:before|already|last)\b)"
            ),
            hinted=_NEVER,
            portrait="Expects what was said once to be remembered",
            lesson="What was said before is looked up first; having to repeat it was complained of.",
            guess="Takes being remembered for being listened to",
            falsify="repeats something twice without minding",
            playbook="Look through older conversations too before saying that something was never mentioned.",
        ),
        chinese=Wording(
            heard=_re(
                _LEAD_ZH + r"(?:(?:这个|这事|这些)?(?:我)?(?:上次|之前|以前)(?:就|都|不是)?(?:提过|聊过|讲过"
                r"|说起过)|你不记得了?(?:吗|么|啊)?)"
            ),
            hinted=_NEVER,
            portrait="说过一次的事，期望不用再说第二次",
            lesson="先查以前说过的话；要用户重复，用户抱怨过。",
            guess="觉得被记住就是被认真听",
            falsify="两次不介意重复说过的话",
            playbook="说没提过之前，先把更早的对话也找一遍。",
        ),
    ),
}
"""Looked through in this order; the first that fits counts."""


def complaint(sentence: Sentence) -> Topic | None:
    """Return what a sentence weakly complains of about the reply before it, if anything."""
    return next((topic for topic in TOPICS.values() if _heard(topic, sentence.masked)), None)


def hint(sentence: Sentence) -> Topic | None:
    """Return the topic of a milder sign, which is a complaint only to who knows the user."""
    words = sentence.masked
    return next((topic for topic in TOPICS.values() if _wording(topic, words).hinted.match(words)), None)


def topic_of(words: str) -> Topic | None:
    """Return what some words of a user complain of, wherever in them it is said."""
    parts = re.split(r"(?<=[.!?。！？…,，;；:：])\s*|\s[—–-]\s", words.replace("’", "'"))
    return next((topic for part in parts for topic in TOPICS.values() if _heard(topic, part)), None)


def _heard(topic: Topic, words: str) -> bool:
    return _wording(topic, words).heard.match(words) is not None


def _wording(topic: Topic, text: str) -> Wording:
    return topic.wording(chinese=is_chinese(text))
