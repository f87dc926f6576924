"""What memory holds, for people and programs to look at: nothing here changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from previously.nodes.host import compose_playbook
from previously.state.commit import COLLEAGUES, Colleague, Job
from previously.state.context import DEFAULT_AGENT, MemoryContext, normal_id
from previously.state.errors import InvalidInput, NotFound
from previously.state.paths import CARD_PATH, DIRECTION_PATH, account_path, playbook_path
from previously.state.ref import Ref
from previously.state.slice import Slice
from previously.state.timeline import opening
from previously.state.turn import Turn
from previously.stores.external_edits import ExternalEdit
from previously.stores.mirror import Mirror
from previously.views import CardChange, CardView, DirectionView, EvolutionRun, EvolutionView, LedgerView, TimelineView

if TYPE_CHECKING:
    from previously.nodes.services import Services

_OPENING_TURNS = 10
"""Turns in which the beginning of an unmarked slice is looked for."""


class Looking:
    """The part of `Previously` that only reads."""

    services: Services

    def card(self, space: str, agent: str = DEFAULT_AGENT, *, slice_id: str | None = None) -> CardView:
        """Return the card as `agent` sees it: the live one, or as it stood when a slice ended."""
        space = normal_id("space", space)
        revisions = self.services.store.revisions(space, CARD_PATH)
        if slice_id and (item := self.slice(space, slice_id)).status == "closed":
            revisions = [document for document in revisions if document.revision <= (item.card_revision or 0)]
        return CardView(document=revisions[-1] if revisions else None, agent=agent, history=tuple(revisions))

    def changes(self, space: str) -> list[CardChange]:
        """Return each evolution of the card, oldest first: its summary, its edits with refs, its diff."""
        revisions = self.services.store.revisions(normal_id("space", space), CARD_PATH)
        before = [None, *revisions]
        return [CardChange(before=old, after=new) for old, new in zip(before, revisions, strict=False)]

    def direction(self, space: str) -> DirectionView:
        """Return the portrait of the user and the open hypotheses."""
        return DirectionView(document=self.services.store.head(normal_id("space", space), DIRECTION_PATH))

    def ledger(self, space: str, agent: str = DEFAULT_AGENT) -> LedgerView:
        """Return the scores of the current generation."""
        space = normal_id("space", space)
        scores = self.services.store.ledger.scores(space, agent, settled=False)
        turns = self.services.store.turns(space, ids=[score.turn_id for score in scores])
        refs = {turn.id: turn.ref for turn in turns}
        return LedgerView(scores=tuple(scores), refs=refs, pressure=self.services.settings.pressure)

    def evolutions(self, space: str, agent: str = DEFAULT_AGENT) -> EvolutionView:
        """Return where the evolution loop stands and the accounts of its runs."""
        space, store = normal_id("space", space), self.services.store
        heads = {name: store.head(space, playbook_path(name, agent)) for name in COLLEAGUES}
        commits = {commit.seq: commit for commit in store.commits(space, kind="evolution")}
        runs = [
            EvolutionRun(account=commits[document.commit].result, document=document)
            for document in store.revisions(space, account_path(agent))
        ]
        return EvolutionView(
            ledger=self.ledger(space, agent),
            direction=self.direction(space),
            playbooks={name: head.text for name, head in heads.items() if head},
            runs=tuple(runs),
        )

    def playbook(self, colleague: Colleague, context: MemoryContext) -> str:
        """Return the block for a colleague's user prompt on how to work for this user; `""` without a playbook.

        `colleague` is recall, search or thinkdeep. It belongs into the user prompt: the system prompt stays cached.
        """
        if colleague not in COLLEAGUES:
            raise InvalidInput("colleague", f"{colleague!r} is not one of {', '.join(COLLEAGUES)}")
        return compose_playbook(self.services, context, colleague)

    def timeline(self, space: str) -> TimelineView:
        """Return all slices of the space, newest first."""
        space = normal_id("space", space)
        store = self.services.store
        slices = store.slices(space, newest_first=True)
        unmarked = [item.slice_id for item in slices if not item.focus]
        openings = {name: opening(store.turns(space, slice_id=name, limit=_OPENING_TURNS)) for name in unmarked}
        return TimelineView(space=space, slices=tuple(slices), openings=openings)

    def slice(self, space: str, slice_id: str) -> Slice:
        """Return one slice by its id or ref; `NotFound` when this space has none of that name."""
        found = self.services.store.slice(normal_id("space", space), Ref.parse(slice_id).slice_id)
        if found is None:
            raise NotFound(f"{slice_id} is not a slice of this space: `previously timeline` lists them")
        return found

    def turns(self, space: str, slice_id: str) -> list[Turn]:
        """Return what was said in a slice."""
        return self.services.store.turns(normal_id("space", space), slice_id=self.slice(space, slice_id).slice_id)

    def backlog(self, space: str | None = None) -> list[Job]:
        """Return what is owed, dead jobs included, oldest first."""
        return self.services.store.owed(space=normal_id("space", space) if space else None, include_dead=True)

    def edits(self, space: str) -> list[ExternalEdit]:
        """Return files of the mirror that somebody changed by hand."""
        return self._mirror().edits(normal_id("space", space))

    def _mirror(self) -> Mirror:
        if self.services.mirror is None:
            raise InvalidInput("mirror", "is switched off: open the memory with mirror=True")
        return self.services.mirror
