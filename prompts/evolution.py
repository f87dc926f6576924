"""The answers to the prompts of an evolution run: what is proposed for the direction, and for the playbooks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from previously.prompts.forms import FOLD, LIST, Answer, Text
from previously.state.commit import Colleague

OperationName = Literal[
    "add_portrait_entry",
    "update_portrait_entry",
    "remove_portrait_entry",
    "add_hypothesis",
    "promote_hypothesis",
    "remove_hypothesis",
]


class Operation(Answer):
    """One edit of the direction. Which of the other fields it takes, the instructions say."""

    op: Annotated[OperationName, FOLD] = Field(description="What to do.")
    dimension: str | None = Field(default=None, description="Heading of one of the six dimensions.")
    match: str | None = Field(default=None, description="A part of the line meant that no other line contains.")
    text: str | None = Field(default=None, description="The entry or the guess, one line.")
    falsify: str | None = Field(default=None, description="What would show that the guess is wrong.")
    refs: Annotated[list[str], LIST] = Field(default_factory=list, description="Handles or refs of the evidence.")
    said: str | None = Field(default=None, description="Handle of the user's turn that says it outright, if one does.")
    quote: str | None = Field(default=None, description="The words of that turn, copied.")

    def arguments(self) -> dict[str, Any]:
        """Return the fields that were given, for the edit of that name."""
        given = self.model_dump(mode="json", exclude={"op"}, exclude_none=True)
        return {name: value for name, value in given.items() if value != []}


class Evolution(Answer):
    """What a careful reading of the evidence comes to. No operation, no card and no playbook: nothing changes."""

    # These three have no default, so that no other JSON object passes for a verdict.
    reasoning: Text = Field(description="Why these changes and no others, for the log.")
    operations: Annotated[list[Operation], LIST] = Field(description="Edits of the direction; mostly none.")
    card: bool = Field(description="Whether the evidence calls for an edit of the user card.")
    playbooks: Annotated[list[Annotated[Colleague, FOLD]], LIST] = Field(
        default_factory=list, description="Colleagues among the triggers whose playbook should change."
    )
    summary: Text = Field(default="", description="One sentence for the user on what changed; empty when nothing did.")


class PlaybookDraft(Answer):
    """A new text for one colleague's playbook."""

    colleague: Annotated[Colleague, FOLD] = Field(description="Whose playbook it is.")
    content: str = Field(description="The whole brief, at most 2,000 characters.")
    refs: Annotated[list[str], LIST] = Field(default_factory=list, description="Handles or refs of the evidence.")


class Playbooks(Answer):
    """The playbooks that were asked for."""

    reasoning: Text = Field(description="Why they read like this, for the log.")
    playbooks: Annotated[list[PlaybookDraft], LIST] = Field(description="One for each colleague that should change.")
