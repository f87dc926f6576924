"""A replay in a process of its own, which may die at a chosen point; run as `child`."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

from previously import MemoryContext, Previously
from previously.replay import replay
from previously.stores.database import Store
from previously.transcripts import Transcript, load_transcripts

EXAMPLE = Path(__file__).parent.parent / "examples" / "alex.jsonl"
MESSAGES = 32
"""Of the example: three whole slices and the beginning of a fourth."""


def example() -> Transcript:
    transcript = load_transcripts(EXAMPLE)[0]
    return replace(transcript, messages=transcript.messages[:MESSAGES])


def play(home: str | Path, *, stop_after: int | None = None) -> list[bool]:
    """Replay the example, all of it or only some exchanges; return for each step whether it was a repetition."""
    steps = []
    with Previously(home, embeddings=False) as memory:
        for step in replay(memory, example(), MemoryContext(space="alex", timezone="Europe/Berlin"), close=True):
            steps.append(step.repeated)
            if len(steps) == stop_after:
                break
    return steps


def die_at(method: str, call: int, *, done: bool) -> None:
    """Make the process kill itself at a call of a method of the store, before or after it has done its work."""
    original, calls = getattr(Store, method), 0

    def fatal(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < call:
            return original(*args, **kwargs)
        result = original(*args, **kwargs) if done else None
        os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(Store, method, fatal)


if __name__ == "child":
    home, fatal = ARGS  # type: ignore[name-defined] # noqa: F821 - given by whoever runs this file
    if fatal:
        die_at(fatal[0], fatal[1], done=fatal[2])
    play(home)
