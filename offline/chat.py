"""A modest reply to an ordinary message, so that a host graph can be tried out without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from previously.offline.card_view import CardView, read_card
from previously.offline.mood import emotion_of
from previously.offline.reading import reactions, statements
from previously.offline.statement import Kind
from previously.offline.wording import shorten
from previously.prompts.frame import unframe
from previously.prompts.registry import language_of

_CARD = re.compile(r"<card>\n(.*?)\n</card>", re.DOTALL)
_ABOUT_ME = re.compile(
    r"\bwhat (?:do|did) you (?:know|remember) about me\b|\bwhat have you learn(?:ed|t) about me\b|\bwho am i\b"
    r"|你(?:都)?(?:知道|记得|了解)(?:关于)?我(?:的)?(?:什么|哪些|些什么|多少)|我是谁",
    re.IGNORECASE,
)
_MY_NAME = re.compile(
    r"\bwhat(?:'s| is) my name\b|\bdo you (?:know|remember) my name\b|我叫什么|我的名字(?:是|叫)什么", re.IGNORECASE
)
_PLANS = re.compile(
    r"\bwhat(?:'s| is| do i have) (?:coming up|planned|on my (?:plate|calendar))\b|"
    r"\bmy plans\b|我(?:最近|接下来)?有(?:什么|哪些)(?:安排|计划)",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"\s*(?:(?:hi|hello|hey|good (?:morning|evening|afternoon))(?!\w)|你好|您好|嗨|哈喽|早上好|晚上好|早$|"
    r"在吗)[\s\S]{0,12}$",
    re.IGNORECASE,
)
_THANKS = re.compile(r"\s*(?:thanks|thank you|thx|cheers|谢谢|多谢|感谢)", re.IGNORECASE)
_ANY_DAY = date(2000, 1, 3)
"""Replies only need to know which kind of statement was made, not its date."""

_TEXTS = {
    "en": {
        "hello": "Hello{name}! What is on your mind?",
        "thanks": "You're welcome.",
        "sorry": "Sorry about that. I'll take it into account.",
        "glad": "Glad that was right.",
        "noted": "Noted.",
        "plan": "Got it, I'll keep the date in mind.",
        "rule": "Understood, I'll stick to that.",
        "feel": "That sounds like a lot. I'm listening.",
        "nothing": "Nothing yet; we are just getting started.",
        "name": "Your name is {name}.",
        "card": "This is what I know: {facts}",
        "plans": "This is ahead: {facts}",
        "default": "I'm the offline model and only follow rules, so I can't say much about that; but it is recorded.",
        "overdue": "By the way, how did this turn out: {text}?",
    },
    "zh-Hans": {
        "hello": "你好{name}！今天想聊点什么？",
        "thanks": "不客气。",
        "sorry": "抱歉，我会注意的。",
        "glad": "合适就好。",
        "noted": "记下了。",
        "plan": "好的，日期我记着。",
        "rule": "明白，以后就这么办。",
        "feel": "听起来不容易，我在听。",
        "nothing": "还什么都不知道，我们才刚开始。",
        "name": "你叫{name}。",
        "card": "我知道的有：{facts}",
        "plans": "接下来有：{facts}",
        "default": "我是离线模型，只会按规则办事，这个说不上来；不过话都记录下来了。",
        "overdue": "对了，这件事后来怎么样了：{text}？",
    },
}


def reply(messages: Sequence[BaseMessage]) -> str:
    """Return a reply to the newest user message; facts come from the card in the system message alone."""
    system = "\n".join(message.text for message in messages if isinstance(message, SystemMessage))
    users = [message for message in messages if isinstance(message, HumanMessage)]
    said = [message.text for message in users if not unframe(message.text, "items")]
    text = said[-1] if said else ""
    if messages and isinstance(messages[-1], ToolMessage):
        return shorten(messages[-1].text, 500)
    texts = _TEXTS[language_of(text)]
    blocks = _CARD.findall(system)
    answer = _answer(text, read_card(blocks[-1].split("\n")) if blocks else CardView(), texts)
    late = [row for message in users for row in unframe(message.text, "items") if row.get("section") == "horizon"]
    return f"{answer}\n\n{texts['overdue'].format(text=late[0].get('text', ''))}" if late else answer


def _answer(text: str, card: CardView, texts: dict[str, str]) -> str:
    if _MY_NAME.search(text):
        return texts["name"].format(name=card.name) if card.name else texts["nothing"]
    if _PLANS.search(text):
        facts = [f"{plan} ({by})" for plan, by in card.horizon.items()]
        return texts["plans"].format(facts="; ".join(facts)) if facts else texts["nothing"]
    if _ABOUT_ME.search(text):
        facts = [card.name, card.profile, *card.anchors, *card.now, *card.horizon]
        known = "; ".join(fact.rstrip(".。") for fact in facts if fact)
        return texts["card"].format(facts=known) if known else texts["nothing"]
    if _GREETING.match(text):
        called = card.identity.get("address_as") or card.name
        return texts["hello"].format(name=f" {called}" if called else "")
    return texts[_manner(text)]


def _manner(text: str) -> str:
    """Return which stock reply fits."""
    kinds = {statement.kind for statement in statements(text, _ANY_DAY)}
    if kinds & {Kind.RULE, Kind.REVOKE, Kind.ADDRESS, Kind.PRONOUNS}:
        return "rule"
    deltas = [reaction.delta for reaction in reactions(text)]
    if deltas:
        return "glad" if deltas[0] > 0 else "sorry"
    if kinds & {Kind.PLAN, Kind.MOVED}:
        return "plan"
    if emotion_of(text)[1] in {"frustrated", "emotional"}:
        return "feel"
    if kinds:
        return "noted"
    return "thanks" if _THANKS.match(text) else "default"
