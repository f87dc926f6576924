"""Prompts by name and language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from previously.prompts import en, zh_hans
from previously.prompts.template import PromptText
from previously.state.errors import InvalidInput

LANGUAGES = {"en": en.PROMPTS, "zh-Hans": zh_hans.PROMPTS}
"""Prompts of each language by name."""
_SLOT = re.compile(r"\{([a-z][a-z_]*)\}")
_CODE_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    """A prompt in one language: a system part that never changes, then a user part with slots."""

    name: str
    language: str
    """`en` or `zh-Hans`."""
    version: int
    """Counts up when the wording changes what models do."""
    system: str
    """The fixed part; no slots, so that every call shares it as a prefix. May be empty."""
    user: str
    """The changing part, with slots such as `{turn}`."""

    @property
    def slots(self) -> frozenset[str]:
        """Names of the variables that `messages` and `text` take."""
        return frozenset(_SLOT.findall(self.user))

    def messages(self, **variables: str) -> list[BaseMessage]:
        """Return the system message (if any) and the user message. Values go in as they are, braces and all.

        Raises `InvalidInput` naming a slot that is missing or unknown.
        """
        filled = HumanMessage(self._fill(variables))
        return [SystemMessage(self.system), filled] if self.system else [filled]

    def text(self, **variables: str) -> str:
        """Return both parts as one text, for prompts that are put into somebody else's message."""
        return "\n\n".join(part for part in (self.system, self._fill(variables)) if part)

    def _fill(self, variables: dict[str, str]) -> str:
        for slot in sorted(self.slots ^ variables.keys()):
            problem = "is missing" if slot in self.slots else "is not a slot"
            raise InvalidInput(slot, f"{problem}: prompt {self.name!r} takes {', '.join(sorted(self.slots)) or 'none'}")
        return _SLOT.sub(lambda found: variables[found[1]], self.user)


def get_prompt(name: str, language: str) -> Prompt:
    """Return the prompt `name` in `language` (`en`, `zh-Hans`; `zh`, `zh_CN`, `EN-us` … are understood).

    Raises `InvalidInput` naming the known codes or names.
    """
    code = language_code(language)
    found: PromptText | None = LANGUAGES[code].get(name)
    if found is None:
        raise InvalidInput("name", f"there is no prompt {name!r}: use one of {', '.join(sorted(LANGUAGES[code]))}")
    return Prompt(name=name, language=code, version=found.version, system=found.system, user=found.user)


def language_code(language: str) -> str:
    """Return the code of a supported language by its main subtag. Raises `InvalidInput` naming the codes."""
    main = re.split(r"[-_]", language.strip().lower(), maxsplit=1)[0]
    for code in LANGUAGES:
        if main == code.split("-")[0]:
            return code
    raise InvalidInput("language", f"{language!r} is not supported: use one of {', '.join(LANGUAGES)}")


def language_of(text: str) -> str:
    """Return the code of the language that fits `text` best: Chinese when Han characters outnumber Latin words.

    Code between fences is not counted. English stands in for every language without prompts of its own.
    """
    prose = _CODE_FENCE.sub(" ", text)
    if _KANA.search(prose):
        return "en"
    return "zh-Hans" if len(_HAN.findall(prose)) > len(_LATIN_WORD.findall(prose)) else "en"
