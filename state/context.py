"""Who is talking, to which agent, on whose memory: the run-scoped inputs of every graph."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from previously.state.errors import InvalidInput

Authority = Literal["owner", "paired", "unpaired"]
AUTHORITIES: tuple[Authority, ...] = ("owner", "paired", "unpaired")
DEFAULT_AGENT = "assistant"
DEFAULT_THREAD = "main"
_ID_LIMIT = 1200
"""Bytes in UTF-8: two ids have to fit into one key of an index, which PostgreSQL limits to 2,704 bytes."""


def normal_id(field: str, value: object) -> str:
    """Return one spelling for an id from outside: NFC, trimmed, a `str` also for an `int`.

    Raises `InvalidInput` naming `field` when the id is missing, blank, longer than 1,200 bytes of UTF-8, or no id.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InvalidInput(field, f"must be a non-empty string, got {value!r}")
    text = unicodedata.normalize("NFC", clean_text(str(value))).strip()
    if not text:
        raise InvalidInput(field, "must be a non-empty string")
    if (size := len(text.encode())) > _ID_LIMIT:
        raise InvalidInput(field, f"has {size} bytes in UTF-8, limit {_ID_LIMIT}")
    return text


def clean_text(text: str) -> str:
    """Replace what no store can hold: NUL becomes the symbol U+2400, a lone surrogate U+FFFD."""
    return text.replace("\x00", "\u2400").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def aware(field: str, value: object) -> datetime:
    """Return an aware UTC instant from a `datetime` or an ISO 8601 string; a naive one is refused by name."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidInput(field, f"{value!r} is no ISO 8601 instant such as 2026-08-11T14:26:00+02:00") from None
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be a datetime or an ISO 8601 string, got {value!r}")
    if value.tzinfo is None:
        raise InvalidInput(field, f"{value.isoformat()} has no time zone: give an aware datetime, e.g. with tzinfo=UTC")
    return value.astimezone(UTC)


def zone(field: str, value: str) -> ZoneInfo:
    """Return the IANA zone called `value`; an unknown one raises `InvalidInput` naming `field`."""
    try:
        return ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise InvalidInput(field, f"{value!r} is not an IANA time zone such as Europe/Berlin") from None


@dataclass(frozen=True, kw_only=True)
class MemoryContext:
    """Run-scoped inputs, read by nodes through `Runtime`. Only `space` is required; there is no default space."""

    space: str = ""
    """One user's memory. Normalised once (NFC, trimmed); an empty one raises `InvalidInput`."""
    agent: str = DEFAULT_AGENT
    """The individual that talks to the user; its Self-model and playbooks are its own."""
    thread: str | None = None
    """The conversation. Without it the run's own `thread_id` is used, and `main` where there is none."""
    speaker: str | None = None
    """The name of who says the user-role messages; `None` is the user of the space."""
    authority: Authority = "owner"
    """The tier of that speaker, decided by the host's runtime, never taken from message content."""
    language: str | None = None
    """Code of the language of prompts and memory text (`en`, `zh-Hans`); `None` follows the user's text."""
    timezone: str | None = None
    """IANA zone that names slices and renders times; `None` keeps the zone of the space (UTC when new)."""
    now: datetime | None = None
    """When the turn happened: an aware instant (or its ISO text); `None` is the time of the call."""

    def __post_init__(self) -> None:
        """Normalise and check every field; the error names the field."""
        if self.space is None or self.space == "":
            raise InvalidInput("space", "is required: pass context=MemoryContext(space=…) with one id for each user")
        put = object.__setattr__
        put(self, "space", normal_id("space", self.space))
        put(self, "agent", normal_id("agent", self.agent))
        if not self.agent.isprintable():
            raise InvalidInput("agent", "must be one line of printable characters: it names a section of the card")
        for field in ("thread", "speaker"):
            value = getattr(self, field)
            put(self, field, None if value is None else normal_id(field, value))
        if self.authority not in AUTHORITIES:
            raise InvalidInput("authority", f"{self.authority!r} is not one of {', '.join(AUTHORITIES)}")
        if self.timezone is not None:
            zone("timezone", self.timezone)
        if self.now is not None:
            put(self, "now", aware("now", self.now))

    def at(self, **changes: Any) -> MemoryContext:
        """Return the same context with some fields replaced."""
        return replace(self, **changes)
