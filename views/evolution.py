"""The evolution loop: the ledger, the direction and the runs, as text and as HTML in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from previously.state.commit import BUCKETS, Bucket, Document, Scored
from previously.state.direction import Direction, entry_line, hypothesis_line, parse_direction, render_direction
from previously.state.ref import Ref
from previously.views.html import BOX, FAINT, NOTHING_YET, Diff, table


@dataclass(frozen=True, kw_only=True)
class LedgerView:
    """The scores of an agent's current generation."""

    scores: tuple[Scored, ...]
    refs: Mapping[str, Ref]
    """Turn id → where it stands."""
    pressure: int
    """Net score at which evolution is due."""

    @property
    def net(self) -> dict[Bucket, int]:
        """The sum of each bucket that was scored."""
        nets = {bucket: [row.delta for row in self.scores if row.bucket == bucket] for bucket in BUCKETS}
        return {bucket: sum(deltas) for bucket, deltas in nets.items() if deltas}

    @property
    def rows(self) -> list[tuple[str, str, str, str]]:
        """Bucket, delta, ref and the user's words of each score that counts, oldest first."""
        counted = (row for row in self.scores if row.delta)
        return [(row.bucket, f"{row.delta:+d}", str(self.refs.get(row.turn_id, "")), row.evidence) for row in counted]

    @property
    def text(self) -> str:
        """One line a bucket, then one a score."""
        nets = [f"{bucket}: {net:+d} (evolution is due at {self.pressure})" for bucket, net in self.net.items()]
        rows = [f"  {delta} {bucket} [{ref}] {said!r}" for bucket, delta, ref, said in self.rows]
        return "\n".join([*nets, *rows]) or "(the ledger is empty)"

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return the nets in one line."""
        return f"<LedgerView {self.net}>"

    def _repr_html_(self) -> str:
        return table(("bucket", "delta", "said in", "the user's words"), self.rows)


@dataclass(frozen=True, kw_only=True)
class DirectionView:
    """The portrait and the hypotheses."""

    document: Document | None

    @property
    def direction(self) -> Direction:
        """The direction as values."""
        return parse_direction(self.document.text if self.document else "").direction

    @property
    def revision(self) -> int:
        """Number of the stored revision, 0 while there is none."""
        return self.document.revision if self.document else 0

    @property
    def text(self) -> str:
        """The Markdown, `""` while there is none."""
        return render_direction(self.direction) if self.document else ""

    def __str__(self) -> str:
        """Return the Markdown, or a word that there is none yet."""
        return self.text or NOTHING_YET

    def __repr__(self) -> str:
        """Return the size in one line."""
        direction = self.direction
        entries = sum(1 for _ in direction.entries())
        return f"<DirectionView revision {self.revision}: {entries} entries, {len(direction.hypotheses)} hypotheses>"

    def _repr_html_(self) -> str:
        if self.document is None:
            return f'<div style="{BOX}"><i>{NOTHING_YET}</i></div>'
        parts, shown = [f'<div style="{FAINT}">revision {self.revision}</div>'], ""
        for dimension, entry in self.direction.entries():
            heading = f'<div style="margin-top:.5em"><b>{escape(dimension)}</b></div>' if dimension != shown else ""
            parts.append(f"{heading}<div>{escape(entry_line(entry)[2:])}</div>")
            shown = dimension
        guesses = "".join(f"<div>{escape(hypothesis_line(guess)[2:])}</div>" for guess in self.direction.hypotheses)
        parts.append(f'<div style="margin-top:.5em;{FAINT}"><b>Hypotheses, unverified</b>{guesses}</div>')
        return f'<div style="{BOX}">{"".join(parts)}</div>'


@dataclass(frozen=True, kw_only=True)
class EvolutionRun:
    """One run of the evolution loop: its account."""

    account: Mapping[str, Any]
    document: Document
    """The account as a document."""

    @property
    def status(self) -> str:
        """One of changed, no_change, rejected and failed."""
        return str(self.account["status"])

    @property
    def title(self) -> str:
        """Time, status and what came of it, in one line."""
        told = self.account["summary"] or self.account["reason"]
        return f"{self.document.at:%Y-%m-%d %H:%M} UTC: {self.status.replace('_', ' ')}: {told}"

    @property
    def diff(self) -> Diff:
        """Which lines went and which came, in all documents."""
        return Diff.of(self.account["diff"])

    @property
    def evidence(self) -> list[str]:
        """The scores that it read, with the user's words."""
        return [f"[{row['ref']}] {row['bucket']} {row['delta']:+d}: {row['evidence']}" for row in self.account["read"]]

    @property
    def reasons(self) -> list[str]:
        """Why proposals were rejected."""
        parts = [self.account["direction"], self.account["card"], *self.account["playbooks"]]
        return [reason for part in parts if part["status"] == "rejected" for reason in part["reasons"]]

    @property
    def text(self) -> str:
        """The account's Markdown."""
        return self.document.text

    def __str__(self) -> str:
        """Return the Markdown."""
        return self.text

    def __repr__(self) -> str:
        """Return the title."""
        return f"<EvolutionRun {self.title}>"

    def _repr_html_(self) -> str:
        why = "".join(f"<div>{escape(line)}</div>" for line in self.evidence)
        reasons = "".join(f"<div>{escape(line)}</div>" for line in self.reasons)
        return (
            f'<div style="{BOX}"><b>{escape(self.title)}</b><div style="{FAINT}">{why}</div>{reasons}'
            f"{self.diff._repr_html_()}</div>"
        )


@dataclass(frozen=True, kw_only=True)
class EvolutionView:
    """Where the loop stands, and what it has done."""

    ledger: LedgerView
    direction: DirectionView
    playbooks: Mapping[str, str] = field(default_factory=dict)
    """Colleague → its brief."""
    runs: tuple[EvolutionRun, ...] = ()
    """Oldest first."""

    @property
    def text(self) -> str:
        """The ledger, the direction, the playbooks and one line a run."""
        parts = [f"Ledger\n{self.ledger}", f"Direction\n{self.direction}"]
        parts += [f"Playbook of {name}\n{text}" for name, text in self.playbooks.items()]
        return "\n\n".join([*parts, "\n".join(["Runs", *(run.title for run in self.runs)])])

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return the nets and how many runs there were."""
        return f"<EvolutionView {self.ledger.net}, {len(self.runs)} runs>"

    def _repr_html_(self) -> str:
        runs = "".join(run._repr_html_() for run in self.runs)
        return self.ledger._repr_html_() + self.direction._repr_html_() + runs
