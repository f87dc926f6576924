"""`core.md`: a slice with its turns as a file. What was said is quoted line by line, so that it can forge nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from previously.state.errors import InvalidInput
from previously.state.slice import Slice
from previously.state.turn import Turn

_FENCE = "---\n"
_END = "\n---\n"
"""Inside the front matter no line is this: YAML indents what a text goes on with."""


class _Dumper(yaml.SafeDumper):
    """Writes texts with line breaks or control characters in quotes with escapes; YAML folds them otherwise."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if text.isprintable() else '"')


_Dumper.add_representer(str, _text)


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceFile:
    """What stands in a `core.md`."""

    front: dict[str, Any]
    """id, status, start, end, closed_by, timezone, focus, summary, tags, tone, related."""
    turns: tuple[dict[str, Any], ...]
    """For each turn: number, at, role, speaker, authority, id, text."""


def render_slice(item: Slice, turns: Sequence[Turn]) -> str:
    """Return the text of `core.md`: front matter in YAML, then each turn under a header line."""
    front = {
        "id": item.slice_id,
        "status": item.status,
        "start": item.start.isoformat(),
        "end": item.end.isoformat(),
        "closed_by": item.closed_by,
        "timezone": item.timezone,
        "focus": item.focus,
        "summary": item.summary,
        "tags": list(item.tags),
        "tone": item.tone,
        "related": list(item.related),
    }
    head = yaml.dump(front, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10_000)
    return f"{_FENCE}{head}{_FENCE}" + "".join(f"\n{_turn(turn)}\n" for turn in turns)


def _turn(turn: Turn) -> str:
    facts = {"at": turn.event_time.isoformat(), "role": turn.role, "authority": turn.authority, "id": turn.id}
    if turn.speaker is not None:
        facts["speaker"] = turn.speaker
    body = "\n".join(f"> {line}" for line in turn.text.split("\n"))
    return f"## Turn {turn.number} {json.dumps(facts)}\n{body}"


def parse_slice(text: str) -> SliceFile:
    """Read what `render_slice` wrote. Raises `InvalidInput` for anything else."""
    head, fence, body = text.removeprefix(_FENCE).partition(_END)
    if not (text.startswith(_FENCE) and fence):
        raise InvalidInput("core.md", "has no front matter between two lines of ---")
    try:
        front = yaml.safe_load(head)
        turns = [_read_turn(block) for block in body.split("\n## Turn ")[1:]]
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise InvalidInput("core.md", f"is not as it was written: {error}") from None
    if not isinstance(front, dict):
        raise InvalidInput("core.md", "has front matter that is no list of keys and values")
    return SliceFile(front=front, turns=tuple(turns))


def _read_turn(block: str) -> dict[str, Any]:
    header, *body = block.removesuffix("\n").split("\n")
    number, _, facts = header.partition(" ")
    text = "\n".join(line[2:] for line in body if line.startswith("> "))
    return {"number": int(number), "speaker": None, **dict(json.loads(facts)), "text": text}
