"""What a run tells while it happens: custom stream events, one shape for all."""

from __future__ import annotations

from typing import Any, Literal

Status = Literal[
    "started", "changed", "no_change", "skipped", "rejected", "failed", "recorded", "analyzed", "deferred", "proposed"
]


def event(kind: str, status: Status, *, reason: str = "", summary: str = "", **more: Any) -> dict[str, dict[str, Any]]:
    """Return `{"previously": {"kind", "status", "reason", "summary", …}}`, JSON-plain.

    `kind` is what it is about (`turn`, `analysis`, `evolution`, `direction`, `playbook`, `hypothesis`, `slice`); a line
    diff goes under `diff`. What is `proposed` has passed the checks; it is installed when its run ends well.
    """
    return {"previously": {"kind": kind, "status": status, "reason": reason, "summary": summary, **more}}
