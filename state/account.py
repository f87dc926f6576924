"""The account of an evolution run as a text: what triggered it, what it read, what came of it, what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def render_account(account: Json) -> str:
    """Return the document of one run; every line of what users and models said is kept to one line."""
    return "\n".join(_lines(account)) + "\n"


def _lines(account: Json) -> Iterator[str]:
    yield f"# Evolution — {account['status']}"
    yield ""
    yield f"Run {account['run']}, before the answer to [{account['before']}]."
    yield from _section("Why", [_due(row) for row in account["due"]])
    yield from _section("What was read", [_read(row) for row in account["read"]])
    told = [account["reason"], account["reasoning"], account["summary"]]
    yield from _section("Verdict", list(dict.fromkeys(filter(None, map(_plain, told)))))
    for name in ("direction", "card"):
        yield from _section(name.capitalize(), _document(account[name]))
    for row in account["playbooks"]:
        yield from _section(f"Playbook of {row['colleague']}", _document(row))
    usage = account["usage"]
    cost = f"{usage['calls']} model calls, {usage['input_tokens']} tokens in, {usage['output_tokens']} out"
    yield from _section("Cost", [cost])


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield f"## {title}"
        yield ""
        yield from (f"- {line}" for line in lines)


def _due(row: Json) -> str:
    return f"{row['bucket']} at {row['net']}" if row["kind"] == "pressure" else row["kind"]


def _read(row: Json) -> str:
    return f"[{row['ref']}] {row['bucket']} {row['delta']:+d}: {_plain(row['evidence'])}"


def _document(row: Json) -> list[str]:
    """Return what became of one document; nothing for one that was left alone."""
    if row["status"] in {"", "no_change"} and not row.get("retired"):
        return []
    retired = [f"retired after its time: {_plain(text)}" for text in row.get("retired", [])]
    reasons = [_plain(reason) for reason in row.get("reasons", [])]
    return [row["status"] or "no_change", *reasons, *retired, *(f"`{_plain(line)}`" for line in row["diff"])]


def _plain(text: str) -> str:
    return " ".join(str(text).split()).replace("`", "'")
