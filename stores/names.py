"""Names that every file system and every store accepts, for ids from outside."""

from __future__ import annotations

import hashlib
import re

_SLUG = 24


def space_label(space: str) -> str:
    """Return a name of fixed form for a space: a readable part, and 16 hex digits that tell any two spaces apart."""
    readable = re.sub(r"[^a-z0-9]+", "-", space.lower()).strip("-")[:_SLUG].strip("-") or "space"
    return f"{readable}-{hashlib.sha256(space.encode()).hexdigest()[:16]}"
