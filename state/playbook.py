"""A playbook: one short brief for one colleague of an agent, on how to work for this user."""

from __future__ import annotations

from dataclasses import dataclass

from previously.state.edit import EditContext, Refusal, Rejected, injects
from previously.state.errors import InvalidInput
from previously.state.ref import REFS_TAIL, Ref, parse_refs, refs_tail

PLAYBOOK_LIMIT = 2_000
"""Characters of the brief, without its refs."""
_TAIL = REFS_TAIL.lstrip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Playbook:
    """A brief with what it rests on."""

    content: str
    refs: tuple[Ref, ...] = ()


def render_playbook(playbook: Playbook) -> str:
    """Return the document: the brief, then one line with its refs."""
    tail = refs_tail(playbook.refs).lstrip()
    return playbook.content + "\n" + (f"\n{tail}\n" if tail else "")


def parse_playbook(text: str) -> Playbook:
    """Read a document. Without a readable last line of refs, all of it is the brief."""
    content, _, last = text.strip().rpartition("\n")
    if last.startswith(_TAIL):
        try:
            return Playbook(content=content.strip(), refs=parse_refs(last.removeprefix(_TAIL)))
        except InvalidInput:
            pass  # a person's line, to be shown as it is
    return Playbook(content=text.strip())


def check_playbook(content: str, refs: list[str], context: EditContext) -> Playbook:
    """Return the playbook that a model proposed. Refuses an empty or too long one, one without evidence, an attack."""
    plain = content.strip()
    if not plain:
        raise Rejected(Refusal.EMPTY, "the playbook is empty: leave it out when nothing is to change")
    if len(plain) > PLAYBOOK_LIMIT:
        raise Rejected(
            Refusal.LENGTH,
            f"the playbook has {len(plain)} characters, limit {PLAYBOOK_LIMIT}: compress it, nothing is cut off",
            limit=PLAYBOOK_LIMIT,
            actual=len(plain),
        )
    if any(injects(line) for line in plain.split("\n")):
        raise Rejected(Refusal.INJECTION, "the playbook has the shape of an attack on a prompt: it is never written")
    cited = context.cited(refs)
    if not any(context.said_by_user(ref) for ref in cited):
        raise Rejected(Refusal.NOT_THE_USER, "the playbook cites nothing that the user said: its refs must")
    return Playbook(content=plain, refs=cited)


def playbook_problems(text: str) -> list[str]:
    """Return what makes a text that a person wrote no valid playbook, one sentence each."""
    size = len(parse_playbook(text).content)
    found = ["the playbook is empty"] if not size else []
    return [*found, f"the playbook has {size} characters, at most {PLAYBOOK_LIMIT}"] if size > PLAYBOOK_LIMIT else found
