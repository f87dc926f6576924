"""Reading LoCoMo conversations, and writing one as a replay.

usage: python benchmarks/locomo.py DATA SAMPLE_ID OUT

Writes the conversation as JSON lines {role, name, content, timestamp, id}: the first speaker is the user, the second
the assistant; turns of a session follow its date every 20 seconds. The data set is not part of the project.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ADVERSARIAL = 5
"""The category of questions about things that were never said like that."""
CATEGORIES = {1: "several turns", 2: "time", 3: "inference", 4: "one turn", ADVERSARIAL: "never said"}
_EVIDENCE = re.compile(r"D:?\s*(\d+)\s*:\s*(\d+)")
_EVERY = timedelta(seconds=20)


@dataclass(frozen=True)
class Line:
    """One message."""

    id: str
    """`D<session>:<number>`."""
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Asked:
    """A question with the ids of the lines that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """One conversation of two speakers with its questions."""

    id: str
    speakers: tuple[str, str]
    lines: tuple[Line, ...]
    questions: tuple[Asked, ...]

    def nameless(self, question: str) -> str:
        """Return a question without the names of the speakers."""
        names = "|".join(map(re.escape, self.speakers))
        return " ".join(re.sub(rf"\b(?:{names})(?:['’]s)?\b", " ", question, flags=re.IGNORECASE).split())

    def role(self, line: Line) -> str:
        """Return `user` for the first speaker, `assistant` for the second."""
        return "user" if line.speaker == self.speakers[0] else "assistant"


def load(path: Path) -> list[Conversation]:
    """Read all conversations of a file."""
    return [_conversation(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]


def _conversation(sample: dict[str, Any]) -> Conversation:
    talk = sample["conversation"]
    sessions = sorted(int(found[1]) for key in talk if (found := re.fullmatch(r"session_(\d+)", key)))
    lines = tuple(line for session in sessions for line in _session(talk, session))
    known = {line.id for line in lines}
    questions = tuple(
        Asked(item["question"], item["category"], evidence(item.get("evidence", []), known)) for item in sample["qa"]
    )
    return Conversation(sample["sample_id"], (talk["speaker_a"], talk["speaker_b"]), lines, questions)


def _session(talk: dict[str, Any], session: int) -> list[Line]:
    start = datetime.strptime(talk[f"session_{session}_date_time"].strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    said = talk[f"session_{session}"]
    return [
        Line(line_id(line["dia_id"]), line["speaker"], line["text"], start + index * _EVERY)
        for index, line in enumerate(said)
    ]


def line_id(text: str) -> str:
    """Return the id of a line in one spelling."""
    return next(iter(_ids([text])), text)


def evidence(written: list[str], known: set[str]) -> frozenset[str]:
    """Read evidence ids with their slips (`D8:6; D9:17`, `D:11:26`, `D1: 3`); those that name no line are left out."""
    return frozenset(_ids(written)) & known


def _ids(written: list[str]) -> list[str]:
    return [f"D{int(session)}:{int(number)}" for text in written for session, number in _EVIDENCE.findall(text)]


def replay(conversation: Conversation) -> str:
    """Return a conversation as JSON lines."""
    rows = (
        {
            "role": conversation.role(line),
            "name": line.speaker,
            "content": line.text,
            "timestamp": line.at.isoformat(),
            "id": line.id,
        }
        for line in conversation.lines
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main(arguments: list[str]) -> int:
    """Write one conversation as a replay."""
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    data, sample, out = arguments
    found = {conversation.id: conversation for conversation in load(Path(data))}
    if sample not in found:
        print(f"{sample} is not in {data}, which holds {', '.join(found)}", file=sys.stderr)
        return 1
    Path(out).write_text(replay(found[sample]), encoding="utf-8")
    print(f"{len(found[sample].lines)} messages in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
