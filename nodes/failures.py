"""Which member of `Failure` an exception of a model or its client is, and what may be said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from langchain_core.messages.ai import UsageMetadata

from previously.state.errors import Failure

_TOO_MANY = 429
_AUTHENTICATION = {401, 403}
_PASSING = {408, 409}
_FIRST_ERROR, _FIRST_SERVER_ERROR, _END = 400, 500, 600
_DETAIL = 200
# Clients of different providers share no classes but do share words; the first row that fits decides.
_BY_NAME = (
    (re.compile(r"LengthFinishReason"), Failure.TRUNCATED),
    (re.compile(r"ContentFilter|Refusal"), Failure.REFUSED),
    (re.compile(r"ContextOverflow|InvalidRequest|ModelNotFound"), Failure.REQUEST),
    (re.compile(r"RateLimit|ResourceExhausted|Throttl"), Failure.RATE_LIMITED),
    (re.compile(r"Authentication|PermissionDenied|Unauthorized"), Failure.AUTHENTICATION),
    (re.compile(r"Timeout|DeadlineExceeded"), Failure.TIMEOUT),
    (re.compile(r"Connect|Network|Protocol|Transport|IncompleteRead|^OSError$"), Failure.CONNECTION),
    (re.compile(r"^APIError$|InternalServer|ServiceUnavailable"), Failure.SERVER),
    # An answer that its client could not read: these are what parsers of JSON and of messages raise.
    (re.compile(r"^(ValueError|LookupError|TypeError)$"), Failure.MALFORMED),
)
_IDENTIFIER = re.compile(r"[\w.\[\]-]{1,60}")
_SECRET = re.compile(r"\b(?:sk|pk|rk|gsk|key|Bearer)[-_ ][\w.-]{6,}|[\w-]{32,}", re.IGNORECASE)


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of an error, whichever client raised it."""
    for each in _chain(error):
        response = getattr(each, "response", None)
        for holder, name in ((each, "status_code"), (each, "http_status"), (each, "code"), (response, "status_code")):
            status = getattr(holder, name, None)
            if isinstance(status, int) and _FIRST_ERROR <= status < _END:
                return int(status)
    return None


def failure_of(error: BaseException) -> Failure:
    """Return the kind of failure that an exception stands for."""
    status = status_of(error)
    if status is not None:
        return _of_status(status)
    if any(isinstance(each, RuntimeError) and "event loop" in str(each).lower() for each in _chain(error)):
        return Failure.CONNECTION  # a client offered a connection that it had made on another loop
    names = [kind.__name__ for each in _chain(error) for kind in type(each).__mro__]
    return next((failure for pattern, failure in _BY_NAME if any(map(pattern.search, names))), Failure.INTERNAL)


def detail_of(error: BaseException) -> str:
    """Return one short line for people: the kind of error, never a prompt, a key or a body.

    Of an HTTP error it gives the status and the provider's identifiers (`code`, `param`), of another the first line.
    """
    status = status_of(error)
    if status is not None:
        marks = [getattr(error, name, None) for name in ("code", "param")]
        known = [mark for mark in marks if isinstance(mark, str) and _IDENTIFIER.fullmatch(mark)]
        return " ".join([f"{type(error).__name__}: HTTP {status}", *known])
    line = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {_SECRET.sub('…', line)}".removesuffix(": ")[:_DETAIL]


def retry_after(error: BaseException) -> float:
    """Return the seconds that a provider asks to wait, 0 when it does not say."""
    for each in _chain(error):
        headers: Any = getattr(getattr(each, "response", None), "headers", None) or {}
        if text := headers.get("retry-after"):
            return max(0.0, _seconds(str(text)))
    return 0.0


def usage_of(error: BaseException) -> UsageMetadata | None:
    """Return the tokens of an answer that a client refused to hand out (OpenAI's does so with one that was cut)."""
    usage = getattr(getattr(error, "completion", None), "usage", None)
    if usage is None:
        return None
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    return UsageMetadata(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        total_tokens=usage.total_tokens,
        input_token_details={"cache_read": cached or 0},
    )


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _of_status(status: int) -> Failure:
    if status == _TOO_MANY:
        return Failure.RATE_LIMITED
    if status in _AUTHENTICATION:
        return Failure.AUTHENTICATION
    return Failure.SERVER if status in _PASSING or status >= _FIRST_SERVER_ERROR else Failure.REQUEST


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, then what it came from."""
    found: BaseException | None = error
    seen: set[int] = set()
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
