"""What the user wants and how they sound, by tell-tale words."""

from __future__ import annotations

import re

from previously.prompts.analyze import Intensity, Intent, Register

_INTENTS: list[tuple[Intent, re.Pattern[str]]] = [
    (intent, re.compile(pattern, re.IGNORECASE))
    for intent, pattern in (
        (
            "code_debug",
            (
                r"traceback|exception|stack trace|\bdebug|segfault|(?:error|bug|fails?|crash\w*|"
                r"broken)\b.*\b(?:code|script|function|build|test)|(?:code|script|function|build|"
                r"tests?)\b.*\b(?:error|bug|fails?|failing|crash\w*|broken|doesn't work)|报错|调试|崩溃了?(?=.*(?:代码|"
                r"程序))"
            ),
        ),
        (
            "code_write",
            (
                r"\b(?:write|implement|create|build|generate|code up)\b.{0,40}\b(?:function|script|class|"
                r"program|regex|query|component|api|code|unit tests?)\b|写(?:一?个|段|点)?.{0,12}(?:函数|脚本|代码|"
                r"程序|正则|接口|SQL)"
            ),
        ),
        (
            "review",
            (
                r"\b(?:review|proofread|feedback on|critique|check my|improve my|look over|polish)\b|"
                r"帮我(?:看看|改改|润色|检查|审)|润色|提提意见"
            ),
        ),
        (
            "clarify",
            (
                r"\b(?:what do you mean|i don't (?:understand|follow|get it)|can you clarify|"
                r"which one do you mean)\b|什么意思|没(?:看|听|太)?懂|没明白|不明白"
            ),
        ),
        (
            "explain",
            (
                r"\b(?:explain|what(?:'s| is| are| does)|how (?:do|does|is|can|should)|why (?:do|does|"
                r"is|are)|difference between|tell me about)\b|解释|是什么|为什么|怎么(?!样了|又)|讲讲|介绍一下|区别"
            ),
        ),
    )
]
_REGISTERS: list[tuple[Register, re.Pattern[str]]] = [
    (register, re.compile(pattern, re.IGNORECASE))
    for register, pattern in (
        (
            "frustrated",
            (
                r"\b(?:ugh|argh|frustrat\w+|annoy\w+|fed up|sick of|angry|furious|infuriating)\b|烦死|"
                r"好烦|真烦|气死|受不了|崩溃|无语|抓狂"
            ),
        ),
        (
            "emotional",
            (
                r"\b(?:sad|cried|crying|lonely|anxious|worried|scared|afraid|overwhelmed|heartbroken|"
                r"grief|stressed|nervous|miss (?:him|her|them|my)|exhausted|burnt? out)\b|难过|伤心|焦虑|害怕|"
                r"想哭|孤独|压力好?大|紧张|失落|委屈|好累|累死|慌"
            ),
        ),
        (
            "excited",
            (
                r"\b(?:excited|can't wait|thrilled|woohoo|yay|hooray|so happy|over the moon)\b|激动|"
                r"太开心|好开心|兴奋|迫不及待|太棒了"
            ),
        ),
        ("humorous", r"\b(?:haha\w*|lol|lmao|rofl)\b|哈哈|笑死|😂|🤣"),
    )
]
_STRONG = re.compile(
    r"!{2,}|！{2,}|\b(?:so|very|really|extremely|totally|absolutely)\b|太|特别|非常|超级|死了|极了|[A-Z]{4,} [A-Z]{3,}"
)


def intent_of(text: str) -> Intent:
    """Return what the user wants from the assistant."""
    return next((intent for intent, pattern in _INTENTS if pattern.search(text)), "chat")


def emotion_of(text: str) -> tuple[Intensity, Register, str]:
    """Return how strong and of which kind a feeling is, and the words that show it."""
    for register, pattern in _REGISTERS:
        if found := pattern.search(text):
            return "strong" if _STRONG.search(text) else "light", register, found[0]
    return "none", "neutral", ""
