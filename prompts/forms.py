"""What the answer models share: fields that forgive how a model spells them, never what it means."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict


def folded(value: Any) -> Any:
    """Return a name of a closed list as it is spelt there, whatever its case and its dashes."""
    return value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return [] if value is None else [value] if isinstance(value, (str, dict)) else value


Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""A text; `null` is none."""
FOLD = BeforeValidator(folded)
LIST = BeforeValidator(_listed)
"""A list; `null` is an empty one, a single item a list of one."""


class Answer(BaseModel):
    """Unknown keys are dropped; a `null` where a part may be missing means that it is missing."""

    model_config = ConfigDict(extra="ignore", validate_by_name=True, serialize_by_alias=True)
