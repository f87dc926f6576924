"""Which reply comes next: a script, and the record of the calls that it answered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage

from previously.testing.replies import Reply


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """One call of a scripted model, for assertions."""

    step: str = ""
    """Name of the model step of `previously` that called; `""` when the host did."""
    messages: tuple[BaseMessage, ...] = ()
    tools: tuple[str, ...] = ()
    """Names of the tools that were offered."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that was bound, such as `tool_choice` or `response_format`."""

    @property
    def prompt(self) -> str:
        """The text of all messages."""
        return "\n\n".join(message.text for message in self.messages)

    @property
    def wanted(self) -> str | None:
        """The tool that has to be called, when there is no choice."""
        choice = self.options.get("tool_choice")
        if isinstance(choice, dict):
            choice = choice.get("function", {}).get("name")
        if choice in self.tools:
            return str(choice)
        return self.tools[0] if choice in {"any", "required"} and len(self.tools) == 1 else None

    def __str__(self) -> str:
        """Return the call in a few words."""
        return f"step {self.step!r}, tools {list(self.tools)}, prompt {self.prompt[-80:]!r}"


class ScriptExhausted(AssertionError):  # noqa: N818 - reads as what it is
    """The script holds no reply for a call. A test expected fewer calls, or calls of other steps."""


Choice = Reply | Sequence[Reply] | Callable[[ModelCall], Reply]
ScriptLike = Choice | Mapping[str, Choice]


class Script:
    """Hands out replies, safely from many threads."""

    def __init__(self, script: ScriptLike) -> None:
        """Take a mapping as choices by key, never as one structured answer."""
        self._script = script
        self._used: dict[str, int] = {}
        self._lock = threading.Lock()
        self.calls: list[ModelCall] = []

    def next(self, call: ModelCall) -> tuple[int, Reply]:
        """Record a call; return its number, from 1, and the reply to it. Raises `ScriptExhausted`."""
        with self._lock:
            self.calls.append(call)
            number = len(self.calls)
            key, choice = self._choice(call)
            if isinstance(choice, list | tuple):
                used = self._used.get(key, 0)
                if used >= len(choice):
                    raise ScriptExhausted(f"call {number} finds no reply left of {len(choice)} under {key!r} ({call})")
                self._used[key] = used + 1
                return number, choice[used]
        return number, choice(call) if callable(choice) else choice

    def _choice(self, call: ModelCall) -> tuple[str, Any]:
        if not isinstance(self._script, Mapping):
            return "", self._script
        prompt = call.prompt
        fits: tuple[Callable[[str], bool], ...] = (
            lambda key: bool(key) and key == call.step,
            lambda key: key in call.tools,
            lambda key: bool(key) and key in prompt,
            lambda key: not key,
        )
        for fit in fits:
            for key, choice in self._script.items():
                if fit(key):
                    return key, choice
        raise ScriptExhausted(f"call {len(self.calls)} fits no key of the script: {list(self._script)} ({call})")
