"""The checked edits of one kind of document: what each is called, what it takes, and how a model's call is carried out.

Every document that models may change has a set of these, and is changed by nothing else: calls are applied one by one
to a staged copy, which a commit installs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from previously.state.context import clean_text
from previously.state.edit import Brake, EditContext, Json, Refusal, Rejected

D = TypeVar("D")
A = TypeVar("A", bound="Arguments")
_CITING = ("refs", "overrides", "said")
"""Arguments that hold refs."""


def _listed(value: Any) -> Any:
    """Take refs also as one text: `m1, m2`, `[2026/08/11/1426#3]`, or a JSON list written out."""
    if isinstance(value, str):
        return [part for part in re.split(r"[,;\s\[\]\"']+", value) if part]
    if isinstance(value, list):
        return [part for item in value for part in (_listed(item) if isinstance(item, str) else [item])]
    return value


Refs = Annotated[list[str], BeforeValidator(_listed)]


class Arguments(BaseModel):
    """Arguments of an edit. Unknown keys are dropped; a wrong type is refused, never converted."""

    model_config = ConfigDict(extra="ignore", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _as_sent(cls, sent: Any) -> Any:
        """Make text storable; refs that were left out are none, which the edit itself refuses with its own advice."""
        if not isinstance(sent, dict):
            return sent
        absent: dict[str, Any] = {"refs": []} if "refs" in cls.model_fields and sent.get("refs") is None else {}
        return {name: clean_text(value) if isinstance(value, str) else value for name, value in sent.items()} | absent


@dataclass(frozen=True, kw_only=True)
class Edit(Generic[D, A]):
    """One kind of edit, as a tool: what a model is told, what it must give, what it does."""

    name: str
    arguments: type[A]
    run: Callable[[D, A, EditContext], tuple[D, str]]
    """Returns the changed document and what to tell the model; raises `Rejected`."""

    @property
    def description(self) -> str:
        """What a model is told of it."""
        return self.arguments.__doc__ or ""


@dataclass(frozen=True, kw_only=True)
class Applied(Generic[D]):
    """What became of one call."""

    document: D
    message: str
    """For the model: begins with `OK — ` or `REJECTED: `."""
    op: Json | None = None
    """The edit as it can be replayed, `{"tool", "args"}` with canonical refs; `None` when it was refused."""
    refusal: Refusal | None = None


class Edits(Mapping[str, Edit[D, Any]]):
    """All edits of one kind of document, by name."""

    def __init__(self, *edits: Edit[D, Any], check: Callable[[D, D, EditContext], None]) -> None:
        """`check` looks at the whole document before and after an edit, and raises `Rejected` for a bad one."""
        self._edits = {edit.name: edit for edit in edits}
        self._check = check

    def __getitem__(self, name: str) -> Edit[D, Any]:
        """Return the edit of that name."""
        return self._edits[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names, in the order in which models are shown them."""
        return iter(self._edits)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._edits)

    def apply(self, document: D, name: str, args: Any, context: EditContext, brake: dict[str, int]) -> Applied[D]:
        """Apply one call of a model. Never raises for anything that a model may send.

        `brake` holds the counts of a `Brake`: one dict for each run, changed in place.
        """
        raw = args if isinstance(args, dict) else {}
        try:
            edit = self._named(name)
            given = _validated(edit, args)
            changed, done = edit.run(document, given, context)
            self._check(document, changed, context)
        except Rejected as refusal:
            return Applied(document=document, message=Brake(brake).refuse(name, raw, refusal), refusal=refusal.kind)
        op = {"tool": name, "args": _canonical(given, context)}
        return Applied(document=changed, message=f"OK — {done}", op=op)

    def replay(self, document: D, ops: Iterable[Json], context: EditContext) -> tuple[D, list[Json]]:
        """Return a document with recorded edits applied again, and those of them that still fit."""
        kept: list[Json] = []
        for op in ops:
            applied = self.apply(document, op["tool"], op.get("args"), context, {})
            document = applied.document
            if applied.op:
                kept.append(applied.op)
        return document, kept

    def _named(self, name: str) -> Edit[D, Any]:
        if name not in self._edits:
            raise Rejected(Refusal.ARGUMENTS, f"there is no tool {name[:60]!r}: use one of {', '.join(self._edits)}")
        return self._edits[name]


def _validated(edit: Edit[D, A], args: Any) -> A:
    try:
        return edit.arguments.model_validate(args)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in error.errors()]
        names = ", ".join(edit.arguments.model_fields)
        raise Rejected(
            Refusal.ARGUMENTS, f"{'; '.join(faults[:5])}. The arguments of {edit.name} are {names}"
        ) from None


def _canonical(given: Arguments, context: EditContext) -> Json:
    """Return the arguments as they can be applied again, without the handles of this run."""
    args = given.model_dump(mode="json", exclude_none=True)
    cited = {name: [str(ref) for ref in context.cited(args[name])] for name in _CITING if args.get(name)}
    return args | cited
