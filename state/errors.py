"""The typed tree of errors, and the closed list of ways in which asking a model can fail."""

from __future__ import annotations

from enum import StrEnum


class Failure(StrEnum):
    """Why a piece of model work was not done. Stored with the backlog row that still owes it."""

    TIMEOUT = "timeout"
    """The model did not answer within the step's own limit."""
    DEADLINE = "deadline"
    """The time for the whole run was used up before or during this step."""
    CONNECTION = "connection"
    """No connection, or one that broke before the answer was complete."""
    RATE_LIMITED = "rate_limited"
    """HTTP 429."""
    SERVER = "server_error"
    """HTTP 5xx, 408 or 409."""
    REQUEST = "request_rejected"
    """Any other HTTP 4xx: the same request will be rejected again."""
    AUTHENTICATION = "authentication"
    """HTTP 401 or 403: the key or the permission is missing."""
    CIRCUIT_OPEN = "circuit_open"
    """The provider failed repeatedly a moment ago and was not asked."""
    EMPTY = "empty_answer"
    """The answer held no text and no tool call."""
    TRUNCATED = "truncated_answer"
    """The output limit cut the answer (`finish_reason` is length)."""
    MALFORMED = "malformed_answer"
    """No JSON object could be read from the answer, also after one repair round."""
    INVALID = "invalid_answer"
    """JSON was read but does not fit the answer model, also after one repair round."""
    REFUSED = "refused"
    """The model declined to answer."""
    UNFINISHED = "unfinished"
    """A tool loop reached its step cap without calling `finish`, and applied nothing."""
    CONFLICT = "conflict"
    """Somebody else committed first, more often than the run may re-apply its edits."""
    INTERNAL = "internal_error"
    """An error of ours or of a library below us; the detail names it."""

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed at once; the others need another prompt, budget or key."""
        return self in _RETRYABLE


_RETRYABLE = frozenset({Failure.TIMEOUT, Failure.CONNECTION, Failure.RATE_LIMITED, Failure.SERVER})


class PreviouslyError(Exception):
    """Root of every error that this package raises on purpose."""


class InvalidInput(PreviouslyError, ValueError):  # noqa: N818 - reads as what it is at the raise
    """An argument, a file or a document that cannot be used. Names the field and says what to do."""

    def __init__(self, field: str, problem: str) -> None:
        """`field` is the name that the caller used; `problem` says what is wrong and how to mend it."""
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class NotFound(PreviouslyError, LookupError):  # noqa: N818
    """Something was asked for by id or path and is not in this space."""


class Conflict(PreviouslyError):  # noqa: N818
    """A document moved between reading and committing. Re-read, re-apply, commit again."""

    def __init__(self, path: str, expected: int, actual: int) -> None:
        """`expected` is the revision that was read, `actual` the one now at the head (0: none)."""
        super().__init__(
            f"{path} is at revision {actual}, but the change was made on revision {expected}: "
            "re-read it and apply the change again"
        )
        self.path = path
        self.expected = expected
        self.actual = actual


class ModelFailed(PreviouslyError):  # noqa: N818
    """A model step did not succeed after its retries and its repair round."""

    def __init__(self, failure: Failure, detail: str) -> None:
        """`detail` is for people: what came back, or which limit was hit."""
        super().__init__(f"{failure.value}: {detail}")
        self.failure = failure
        self.detail = detail


class StoreClosed(PreviouslyError):  # noqa: N818
    """The store was used after `close()`."""
