"""The answers to the prompts of an evolution run: what is proposed for the direction, and for the playbooks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from previously.state.commit import Colleague

REASONING_CHARACTERS = 2_000

OperationName = Literal[
    "add_portrait_entry",
    "update_portrait_entry",
    "remove_portrait_entry",
    "add_hypothesis",
    "promote_hypothesis",
    "remove_hypothesis",
]


def _folded(value: Any) -> Any:
    return value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return [] if value is None else [value] if isinstance(value, (str, dict)) else value


def _text(value: Any) -> Any:
    return "" if value is None else value


_Text = Annotated[str, BeforeValidator(_text)]
_LIST = BeforeValidator(_listed)
_FOLD = BeforeValidator(_folded)


class _Answer(BaseModel):
    """Unknown keys are dropped; a `null` where a part may be missing means that it is missing."""

    model_config = ConfigDict(extra="ignore")


class Operation(_Answer):
    """One edit of the direction. Which of the other fields it takes, the instructions say."""

    op: Annotated[OperationName, _FOLD] = Field(description="What to do.")
    dimension: str | None = Field(default=None, description="Heading of one of the six dimensions.")
    match: str | None = Field(default=None, description="A part of the line meant that no other line contains.")
    text: str | None = Field(default=None, description="The entry or the guess, one line.")
    falsify: str | None = Field(default=None, description="What would show that the guess is wrong.")
    refs: Annotated[list[str], _LIST] = Field(default_factory=list, description="Handles or refs of the evidence.")
    said: str | None = Field(default=None, description="Handle of the user's turn that says it outright, if one does.")
    quote: str | None = Field(default=None, description="The words of that turn, copied.")

    def arguments(self) -> dict[str, Any]:
        """Return the fields that were given, for the edit of that name."""
        given = self.model_dump(mode="json", exclude={"op"}, exclude_none=True)
        return {name: value for name, value in given.items() if value != []}


class Evolution(_Answer):
    """What a careful reading of the evidence comes to. No operation, no card and no playbook: nothing changes."""

    # These three have no default, so that no other JSON object passes for a verdict.
    reasoning: _Text = Field(description="Why these changes and no others, for the log.")
    operations: Annotated[list[Operation], _LIST] = Field(description="Edits of the direction; mostly none.")
    card: bool = Field(description="Whether the evidence calls for an edit of the user card.")
    playbooks: Annotated[list[Annotated[Colleague, _FOLD]], _LIST] = Field(
        default_factory=list, description="Colleagues among the triggers whose playbook should change."
    )
    summary: _Text = Field(default="", description="One sentence for the user on what changed; empty when nothing did.")


class PlaybookDraft(_Answer):
    """A new text for one colleague's playbook."""

    colleague: Annotated[Colleague, _FOLD] = Field(description="Whose playbook it is.")
    content: str = Field(description="The whole brief, at most 2,000 characters.")
    refs: Annotated[list[str], _LIST] = Field(default_factory=list, description="Handles or refs of the evidence.")


class Playbooks(_Answer):
    """The playbooks that were asked for."""

    reasoning: _Text = Field(description="Why they read like this, for the log.")
    playbooks: Annotated[list[PlaybookDraft], _LIST] = Field(description="One for each colleague that should change.")
