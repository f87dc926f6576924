"""What users complain of again and again: how it sounds, and what follows from it for each document of memory.

One table for all that judges or learns: the analysis scores by it, the evolution run draws its conclusions from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from previously.offline import complaints_chinese, complaints_english
from previously.offline.passages import Sentence
from previously.offline.words import is_chinese
from previously.state.commit import Bucket, Colleague

_COLLEAGUES: frozenset[Colleague] = frozenset({"recall", "search", "thinkdeep"})
_JOINT = re.compile(r"(?<=[.!?。！？…,，;；:：])\s*|\s[—–-]\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A topic in one language."""

    heard: re.Pattern[str]
    """A weak complaint about the reply before, at the beginning of a sentence."""
    hinted: re.Pattern[str]
    """A milder sign, which counts only once the portrait knows of the topic."""
    told: re.Pattern[str]
    """A portrait's line that is about the topic, however it is worded."""
    portrait: str
    lesson: str
    guess: str
    falsify: str
    playbook: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One thing that answers do wrong."""

    bucket: Bucket
    colleagues: frozenset[Colleague] = _COLLEAGUES
    """Those for whose playbook its sentence is meant."""
    english: Wording
    chinese: Wording

    def wording(self, *, chinese: bool) -> Wording:
        """Return the topic in a language."""
        return self.chinese if chinese else self.english

    def known_to(self, portrait: Iterable[str]) -> bool:
        """Whether a line of a portrait tells of this topic, in either language."""
        both = (self.english, self.chinese)
        return any(words.portrait in line or words.told.search(line) for line in portrait for words in both)

    def has(self, part: str, text: str) -> bool:
        """Whether a text has this topic's `part` ("lesson", "playbook", …) already, in either language."""
        return any(getattr(words, part).rstrip(".。") in text for words in (self.english, self.chinese))


TOPICS: dict[str, Topic] = {
    "length": Topic(
        bucket="interaction",
        english=Wording(
            heard=complaints_english.HEARD["length"],
            hinted=complaints_english.HINTED["length"],
            told=complaints_english.TOLD["length"],
            portrait="Loses patience with long answers to short questions",
            lesson="A short question gets a short answer; long ones were complained of.",
            guess="Reads answers in passing, between other things",
            falsify="asks for more detail twice in a row",
            playbook="Give the finding first, in two or three sentences; leave out what was not asked.",
        ),
        chinese=Wording(
            heard=complaints_chinese.HEARD["length"],
            hinted=complaints_chinese.HINTED["length"],
            told=complaints_chinese.TOLD["length"],
            portrait="短问题得到长篇回答时会不耐烦",
            lesson="短问题就短答，长篇的回答用户抱怨过。",
            guess="常在忙别的事时顺便看回答",
            falsify="连续两次要求说得更详细",
            playbook="先给结论，两三句说完；没问到的不写。",
        ),
    ),
    "jargon": Topic(
        bucket="interaction",
        english=Wording(
            heard=complaints_english.HEARD["jargon"],
            hinted=complaints_english.HINTED["jargon"],
            told=complaints_english.TOLD["jargon"],
            portrait="Turns away from technical wording",
            lesson="Plain words; technical wording was complained of.",
            guess="Comes to such subjects from outside the field",
            falsify="uses the technical terms twice without being asked",
            playbook="Use plain words; explain a term in half a sentence or leave it out.",
        ),
        chinese=Wording(
            heard=complaints_chinese.HEARD["jargon"],
            hinted=complaints_chinese.HINTED["jargon"],
            told=complaints_chinese.TOLD["jargon"],
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
            heard=complaints_english.HEARD["lists"],
            hinted=complaints_english.HINTED["lists"],
            told=complaints_english.TOLD["lists"],
            portrait="Reads running text more readily than lists",
            lesson="Running text instead of lists, which were complained of.",
            guess="Likes to be talked to rather than briefed",
            falsify="asks for a list or a table twice",
            playbook="Write running text, not lists.",
        ),
        chinese=Wording(
            heard=complaints_chinese.HEARD["lists"],
            hinted=complaints_chinese.HINTED["lists"],
            told=complaints_chinese.TOLD["lists"],
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
            heard=complaints_english.HEARD["questions"],
            hinted=complaints_english.HINTED["questions"],
            told=complaints_english.TOLD["questions"],
            portrait="Gets annoyed when asked back repeatedly",
            lesson="One question back at the most; more were complained of.",
            guess="Prefers a guess that can be corrected to being asked",
            falsify="welcomes a question back twice",
            playbook="Make a sensible assumption and say so, instead of asking back.",
        ),
        chinese=Wording(
            heard=complaints_chinese.HEARD["questions"],
            hinted=complaints_chinese.HINTED["questions"],
            told=complaints_chinese.TOLD["questions"],
            portrait="被反复追问会烦",
            lesson="最多反问一句，问得多了用户抱怨过。",
            guess="宁可对方先猜一个，错了再改",
            falsify="两次乐意回答反问",
            playbook="先按合理的假设做并说明，不要反问。",
        ),
    ),
    "memory": Topic(
        bucket="recall",
        colleagues=frozenset({"recall"}),
        english=Wording(
            heard=complaints_english.HEARD["memory"],
            hinted=complaints_english.HINTED["memory"],
            told=complaints_english.TOLD["memory"],
            portrait="Expects what was said once to be remembered",
            lesson="What was said before is looked up first; having to repeat it was complained of.",
            guess="Takes being remembered for being listened to",
            falsify="repeats something twice without minding",
            playbook="Look through older conversations too before saying that something was never mentioned.",
        ),
        chinese=Wording(
            heard=complaints_chinese.HEARD["memory"],
            hinted=complaints_chinese.HINTED["memory"],
            told=complaints_chinese.TOLD["memory"],
            portrait="说过一次的事，期望不用再说第二次",
            lesson="先查以前说过的话；要用户重复，用户抱怨过。",
            guess="觉得被记住就是被认真听",
            falsify="两次不介意重复说过的话",
            playbook="说没提过之前，先把更早的对话也找一遍。",
        ),
    ),
    "sources": Topic(
        bucket="search",
        colleagues=frozenset({"search"}),
        english=Wording(
            heard=complaints_english.HEARD["sources"],
            hinted=complaints_english.HINTED["sources"],
            told=complaints_english.TOLD["sources"],
            portrait="Distrusts claims whose source is missing or out of date",
            lesson="Claims come with a current source; missing or outdated ones were complained of.",
            guess="Checks what is claimed before relying on it",
            falsify="takes an unsourced claim at its word twice",
            playbook="Give a current source for each claim, opened before it is cited.",
        ),
        chinese=Wording(
            heard=complaints_chinese.HEARD["sources"],
            hinted=complaints_chinese.HINTED["sources"],
            told=complaints_chinese.TOLD["sources"],
            portrait="对缺少出处或过时的说法不放心",
            lesson="说法要带上现在仍有效的来源，缺来源或过时的用户抱怨过。",
            guess="习惯先核实再相信",
            falsify="两次直接接受没有出处的说法",
            playbook="每个说法给出现在仍有效的来源，引用前先打开看过。",
        ),
    ),
    "reasoning": Topic(
        bucket="thinkdeep",
        colleagues=frozenset({"thinkdeep"}),
        english=Wording(
            heard=complaints_english.HEARD["reasoning"],
            hinted=complaints_english.HINTED["reasoning"],
            told=complaints_english.TOLD["reasoning"],
            portrait="Notices at once when a conclusion skips a step",
            lesson="The steps of an argument are spelled out; leaps and contradictions were complained of.",
            guess="Would rather follow the reasoning than be handed a verdict",
            falsify="accepts a bare conclusion twice without asking why",
            playbook="Go through the steps one by one, and hold them against each other before concluding.",
        ),
        chinese=Wording(
            heard=complaints_chinese.HEARD["reasoning"],
            hinted=complaints_chinese.HINTED["reasoning"],
            told=complaints_chinese.TOLD["reasoning"],
            portrait="结论跳步或前后矛盾时马上就会发现",
            lesson="推理要一步步说清楚，跳步和矛盾用户抱怨过。",
            guess="比起结论，更想看到推理的过程",
            falsify="两次不问原因就接受结论",
            playbook="一步步推理，下结论前先互相核对。",
        ),
    ),
    "vague": Topic(
        bucket="interaction",
        english=Wording(
            heard=complaints_english.HEARD["vague"],
            hinted=complaints_english.HINTED["vague"],
            told=complaints_english.TOLD["vague"],
            portrait="Has little use for answers that stay general",
            lesson="Answers name something concrete; general ones were complained of.",
            guess="Wants something to act on at once",
            falsify="is content with an overview twice",
            playbook="Name the concrete thing that was asked for; leave generalities out.",
        ),
        chinese=Wording(
            heard=complaints_chinese.HEARD["vague"],
            hinted=complaints_chinese.HINTED["vague"],
            told=complaints_chinese.TOLD["vague"],
            portrait="觉得笼统的回答没有用处",
            lesson="回答要落到具体的东西上，笼统的回答用户抱怨过。",
            guess="希望马上有能照着做的东西",
            falsify="两次只听概况就满意",
            playbook="直接给出问到的具体内容，不写空话。",
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
    """Return what some words of a user complain of, wherever in them it is said; a milder sign will do."""
    plain = words.replace("\u2019", "'")
    parts = [plain, *_JOINT.split(plain)]
    found = (topic for part in parts for topic in TOPICS.values() if _heard(topic, part))
    hinted = (topic for topic in TOPICS.values() if _wording(topic, plain).hinted.match(plain))
    return next(found, None) or next(hinted, None)


def _heard(topic: Topic, words: str) -> bool:
    return _wording(topic, words).heard.match(words) is not None


def _wording(topic: Topic, text: str) -> Wording:
    return topic.wording(chinese=is_chinese(text))
