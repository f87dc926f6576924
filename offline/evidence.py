"""The rows of a prompt that are the user's own words, and what they state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from previously.offline.reading import statements
from previously.offline.statement import Statement

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cited:
    """A statement with the turn that makes it."""

    statement: Statement
    handle: str
    said_on: date
    """The user's local day."""


def own_rows(rows: Iterable[Row], name: str = "") -> list[Row]:
    """Return the rows that the user of the space said.

    Where several people speak in the user's role, those without a speaker count, or those of the speaker called `name`.
    """
    said = [row for row in rows if row.get("role") == "user" and isinstance(row.get("text"), str)]
    speakers = {row.get("speaker") for row in said}
    if len(speakers) <= 1:
        return said
    owner = None if None in speakers else name
    return [row for row in said if row.get("speaker") == owner]


def cited(rows: Iterable[Row]) -> Iterator[Cited]:
    """Yield what rows state; a row without a date is not read, because its “tomorrow” would mean nothing."""
    for row in rows:
        said_on = day_of_row(row)
        if said_on is None:
            continue
        for statement in statements(row["text"], said_on):
            yield Cited(statement, str(row.get("id", "")), said_on)


def day_of_row(row: Row) -> date | None:
    """Return the local day on which a row was said."""
    try:
        return date.fromisoformat(str(row.get("at", ""))[:10])
    except ValueError:
        return None
