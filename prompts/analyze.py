"""The answer to the prompt `analyze`: what one turn was about, and what follows from it for memory."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from previously.prompts.forms import FOLD, LIST, Answer, Text, folded
from previously.state.commit import Bucket
from previously.state.slice import Tone

TAG_CHARACTERS = 40
FOCUS_CHARACTERS = 120
SUMMARY_CHARACTERS = 100
CONTENT_CHARACTERS = 600
LOWEST, HIGHEST = -2, 1

Intent = Literal["code_debug", "code_write", "explain", "chat", "review", "clarify"]
Intensity = Literal["none", "light", "strong"]
Register = Literal["neutral", "emotional", "humorous", "frustrated", "excited"]
Section = Literal["identity", "past", "now", "horizon", "self_model"]
_ABSENT = frozenset({"", "none", "null", "n/a"})


def _or_none(value: Any) -> Any:
    name = folded(value)
    return None if name in _ABSENT else name


def _at_most(limit: int) -> AfterValidator:
    def trim(values: list[Any]) -> list[Any]:
        return values[:limit]

    return AfterValidator(trim)


def _names(values: list[str]) -> list[str]:
    tidy = (" ".join(value.split()) for value in values)
    return list(dict.fromkeys(value for value in tidy if value and len(value) <= TAG_CHARACTERS))


def _cut(limit: int) -> AfterValidator:
    def cut(value: str) -> str:
        return " ".join(value.split())[:limit].rstrip()

    return AfterValidator(cut)


def _names_field(limit: int, description: str) -> Any:
    return Field(default_factory=list, description=f"{description} At most {limit}.")


class Tags(Answer):
    """Topics of the turn."""

    reuse: Annotated[list[str], LIST, AfterValidator(_names), _at_most(5)] = _names_field(
        5, "Names copied from the strands given."
    )
    create: Annotated[list[str], LIST, AfterValidator(_names), _at_most(3)] = _names_field(
        3, "New topic names, only where no strand fits."
    )


class Hint(Answer):
    """Earlier topics that a memory search should look at."""

    strands: Annotated[list[str], LIST, AfterValidator(_names), _at_most(5)] = _names_field(
        5, "Strand names that this turn points back to."
    )
    reason: Text = Field(default="", description="Why, in a few words.")


class Emotion(Answer):
    """How the user sounds."""

    intensity: Annotated[Intensity, FOLD] = Field(default="none", description="How strong it is.")
    kind: Annotated[Register, BeforeValidator(lambda value: _or_none(value) or "neutral")] = Field(
        default="neutral", alias="register", description="Which kind it is."
    )
    """`register` in JSON; every pydantic model has a method of that name."""
    note: Text = Field(default="", description="What shows it; empty when nothing does.")


class MemoryUpdate(Answer):
    """What the user explicitly asked to be remembered, or how the assistant is to behave from now on."""

    content: Annotated[str, _cut(CONTENT_CHARACTERS)] = Field(description="What to remember, in the user's language.")
    section: Annotated[Section | None, BeforeValidator(_or_none)] = Field(
        default=None, description="Part of the card it belongs to; null when unsure."
    )
    quote: Text = Field(default="", description="The asking words, copied from the user.")


class FitnessEntry(Answer):
    """One score, carried by the user's own words."""

    bucket: Annotated[Bucket, FOLD] = Field(description="What the user judged.")
    delta: int = Field(description="-2, -1 or 1.")
    evidence: Text = Field(default="", description="Words copied from the user's message, or a signal's detail.")
    signal: str | None = Field(default=None, description="Id of the signal that it rests on, if it does; else null.")

    @field_validator("delta", mode="before")
    @classmethod
    def _no_truth_value(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("must be a number from -2 to 1")  # noqa: TRY004 - pydantic reports it
        return value

    @model_validator(mode="after")
    def _out_of_range_or_unproven_is_nothing(self) -> FitnessEntry:
        if not LOWEST <= self.delta <= HIGHEST or not self.evidence.strip():
            self.delta = 0
        return self


class Marking(Answer):
    """What one of the slices given was about."""

    slice: str = Field(description="Handle of the slice, such as s1.")
    focus: Annotated[Text, _cut(FOCUS_CHARACTERS)] = Field(default="", description="Its main subject, a short phrase.")
    summary: Annotated[Text, _cut(SUMMARY_CHARACTERS)] = Field(
        default="", description=f"What came of it, one sentence of at most {SUMMARY_CHARACTERS} characters."
    )
    tags: Annotated[list[str], LIST, AfterValidator(_names), _at_most(6)] = _names_field(6, "Topics of the slice.")
    tone: Annotated[Tone, BeforeValidator(lambda value: _or_none(value) or "neutral")] = Field(
        default="neutral", description="Its mood overall."
    )


class Worth(Answer):
    """Whether the slice that is closing holds anything for the card."""

    worth: bool = Field(default=True, description="True also when in doubt.")
    reason: Text = Field(default="", description="Why, in a few words.")


class TurnAnalysis(Answer):
    """The analysis of one turn."""

    # These two have no default, so that no other JSON object passes for an analysis.
    intent: Annotated[Intent, FOLD] = Field(description="What the user wants from the assistant.")
    memory_worthy: bool = Field(description="Whether the turn says anything about the user that will matter later.")
    tags: Tags = Field(default_factory=Tags, description="Topics of the turn.")
    hint: Hint = Field(default_factory=Hint, description="Earlier topics that the turn points back to.")
    emotion: Emotion = Field(default_factory=Emotion, description="How the user sounds.")
    memory_update: MemoryUpdate | None = Field(
        default=None, description="An explicit wish about memory or behaviour; null when there is none."
    )
    fitness: Annotated[list[FitnessEntry], LIST, _at_most(5)] = Field(
        default_factory=list, description="Scores of the previous reply, mostly none. At most 5."
    )
    markings: Annotated[list[Marking], LIST] = Field(
        default_factory=list, description="One for each slice given; empty when none is given."
    )
    evolve_card: Worth | None = Field(default=None, description="Only when a slice is closing; else null.")

    @field_validator("tags", "hint", "emotion", mode="before")
    @classmethod
    def _missing_part_is_neutral(cls, value: Any) -> Any:
        return {} if value is None else value

    @field_validator("memory_update", mode="before")
    @classmethod
    def _empty_wish_is_none(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        content = value.get("content")
        return None if content is None or (isinstance(content, str) and not content.strip()) else value

    @field_validator("evolve_card", mode="before")
    @classmethod
    def _bare_verdict(cls, value: Any) -> Any:
        return {"worth": value} if isinstance(value, bool) else value
