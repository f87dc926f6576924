"""What the user wants and how they sound, by tell-tale words."""

from __future__ import annotations

import re

from previously.prompts.analyze import Intensity, Intent, Register

_INTENTS: dict[Intent, re.Pattern[str]] = {
    "code_debug": re.compile(
        r"traceback|exception|stack trace|\bdebug|segfault|报错|调试|崩溃了?(?=.{0,40}(?:代码|程序))"
        r"|(?:error|bug|fails?|crash\w*|broken)\b.{0,80}\b(?:code|script|function|build|test)"
        r"|(?:code|script|function|build|tests?)\b.{0,80}\b(?:error|bug|fails?|failing|crash\w*|broken|doesn't work)",
        re.IGNORECASE,
    ),
    "code_write": re.compile(
        r"\b(?:write|implement|create|build|generate|code up)\b.{0,40}"
        r"\b(?:function|script|class|program|regex|query|component|api|code|unit tests?)\b"
        r"|写(?:一?个|段|点)?.{0,12}(?:函数|脚本|代码|程序|正则|接口|SQL)",
        re.IGNORECASE,
    ),
    "review": re.compile(
        r"\b(?:review|proofread|feedback on|critique|check my|improve my|look over|polish)\b"
        r"|帮我(?:看看|改改|润色|检查|审)|润色|提提意见",
        re.IGNORECASE,
    ),
    "clarify": re.compile(
        r"\b(?:what do you mean|i don't (?:understand|follow|get it)|can you clarify|which one do you mean)\b"
        r"|什么意思|没(?:看|听|太)?懂|没明白|不明白",
        re.IGNORECASE,
    ),
    "explain": re.compile(
        r"\b(?:explain|what(?:'s| is| are| does)|how (?:do|does|is|can|should)|why (?:do|does|is|are)"
        r"|difference between|tell me about)\b|解释|是什么|为什么|怎么(?!样了|又)|讲讲|介绍一下|区别",
        re.IGNORECASE,
    ),
}
"""Looked through in this order; what fits none is chat."""
_REGISTERS: dict[Register, re.Pattern[str]] = {
    "frustrated": re.compile(
        r"\b(?:ugh|argh|frustrat\w+|annoy\w+|fed up|sick of|angry|furious|infuriating)\b"
        r"|烦死|好烦|真烦|气死|受不了|崩溃|无语|抓狂",
        re.IGNORECASE,
    ),
    "emotional": re.compile(
        r"\b(?:sad|cried|crying|lonely|anxious|worried|scared|afraid|overwhelmed|heartbroken|grief|stressed|nervous"
        r"|miss (?:him|her|them|my)|exhausted|burnt? out)\b"
        r"|难过|伤心|焦虑|害怕|想哭|孤独|压力好?大|紧张|失落|委屈|好累|累死|慌",
        re.IGNORECASE,
    ),
    "excited": re.compile(
        r"\b(?:excited|can't wait|thrilled|woohoo|yay|hooray|so happy|over the moon)\b"
        r"|激动|太开心|好开心|兴奋|迫不及待|太棒了",
        re.IGNORECASE,
    ),
    "humorous": re.compile(r"\b(?:haha\w*|lol|lmao|rofl)\b|哈哈|笑死|😂|🤣", re.IGNORECASE),
}
_STRONG = re.compile(
    r"!{2,}|！{2,}|\b(?:so|very|really|extremely|totally|absolutely)\b|太|特别|非常|超级|死了|极了|[A-Z]{4,} [A-Z]{3,}"
)


def intent_of(text: str) -> Intent:
    """Return what the user wants from the assistant."""
    return next((intent for intent, pattern in _INTENTS.items() if pattern.search(text)), "chat")


def emotion_of(text: str) -> tuple[Intensity, Register, str]:
    """Return how strong and of which kind a feeling is, and the words that show it."""
    for register, pattern in _REGISTERS.items():
        if found := pattern.search(text):
            return "strong" if _STRONG.search(text) else "light", register, found[0]
    return "none", "neutral", ""
