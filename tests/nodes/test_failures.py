from __future__ import annotations

import json
import socket
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.exceptions import OutputParserException

from previously.nodes.breaker import Breaker
from previously.nodes.failures import detail_of, failure_of, retry_after, status_of
from previously.state.errors import Failure
from previously.testing import Dropped, status


def named(name: str, base: type[Exception] = Exception, **fields: Any) -> Exception:
    """Return an error as some client would raise it: known by its name only."""
    error = type(name, (base,), {})("it failed")
    for field, value in fields.items():
        setattr(error, field, value)
    return error


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (TimeoutError(), Failure.TIMEOUT),
        (named("ReadTimeout"), Failure.TIMEOUT),
        (named("DeadlineExceeded"), Failure.TIMEOUT),
        (ConnectionRefusedError(), Failure.CONNECTION),
        (Dropped(), Failure.CONNECTION),
        (socket.gaierror(), Failure.CONNECTION),
        (ssl.SSLError(), Failure.CONNECTION),
        (named("RemoteProtocolError"), Failure.CONNECTION),
        (RuntimeError("Event loop is closed"), Failure.CONNECTION),
        (caused(RuntimeError("wrapped"), ConnectionResetError()), Failure.CONNECTION),
        (named("ResourceExhausted"), Failure.RATE_LIMITED),
        (named("ThrottlingException"), Failure.RATE_LIMITED),
        (named("ModelAuthenticationError"), Failure.AUTHENTICATION),
        (named("LengthFinishReasonError"), Failure.TRUNCATED),
        (named("ContentFilterFinishReasonError"), Failure.REFUSED),
        (named("ModelRefusalError"), Failure.REFUSED),
        (named("ContextOverflowError"), Failure.REQUEST),
        (json.JSONDecodeError("no", "x", 0), Failure.MALFORMED),
        (OutputParserException("no"), Failure.MALFORMED),
        (KeyError("choices"), Failure.MALFORMED),
        (NotImplementedError(), Failure.INTERNAL),
        (named("SomethingElse"), Failure.INTERNAL),
        (named("StatusError", status_code=200), Failure.INTERNAL),
        (named("ApiError", code=429), Failure.RATE_LIMITED),
        (named("ClientError", response=SimpleNamespace(status_code=503)), Failure.SERVER),
        (caused(UserWarning("as an error"), status(400)), Failure.REQUEST),
    ],
)
def test_errors_of_any_client_are_told_apart(error: Exception, failure: Failure) -> None:
    assert failure_of(error) is failure


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        (400, Failure.REQUEST),
        (401, Failure.AUTHENTICATION),
        (403, Failure.AUTHENTICATION),
        (404, Failure.REQUEST),
        (408, Failure.SERVER),
        (409, Failure.SERVER),
        (422, Failure.REQUEST),
        (429, Failure.RATE_LIMITED),
        (500, Failure.SERVER),
        (529, Failure.SERVER),
    ],
)
def test_statuses_have_their_failure(code: int, failure: Failure) -> None:
    assert status_of(status(code)) == code
    assert failure_of(status(code)) is failure


def test_a_loop_of_causes_ends() -> None:
    one, two = ValueError(), RuntimeError()
    one.__cause__, two.__cause__ = two, one
    assert failure_of(one) is Failure.MALFORMED


def test_details_are_one_short_line_without_secrets() -> None:
    error = named("BadRequest", status_code=400, code="context_length_exceeded", param="messages[1].content", body="x")
    assert detail_of(error) == "BadRequest: HTTP 400 context_length_exceeded messages[1].content"
    assert detail_of(named("Bad", status_code=400, code="a sentence with the user's prompt")) == "Bad: HTTP 400"
    assert detail_of(ValueError("first\nsecond")) == "ValueError: first"
    assert len(detail_of(ValueError("x y " * 400))) == 200
    assert detail_of(ValueError()) == "ValueError"
    for secret in ("sk-proj-12345678", "Bearer abc.def-ghi", "A1" * 30):
        assert secret not in detail_of(ValueError(f"rejected {secret}!"))


def test_the_wait_that_a_provider_asks_for_is_read_in_every_form() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=90)
    assert retry_after(status(429, retry_after=2.5)) == 2.5
    assert retry_after(status(429)) == 0
    assert retry_after(ValueError()) == 0
    for text, low, high in ((format_datetime(soon, usegmt=True), 60, 91), ("soon", 0, 0), ("-3", 0, 0)):
        error = named("E", response=SimpleNamespace(status_code=429, headers={"retry-after": text}))
        assert low <= retry_after(error) <= high


class TestBreaker:
    def test_it_opens_after_failures_in_a_row_only(self) -> None:
        breaker = Breaker(limit=2)
        breaker.failed()
        breaker.succeeded()
        breaker.failed()
        assert breaker.allows()
        breaker.failed()
        assert not breaker.allows()

    def test_after_the_pause_one_request_tries_and_decides(self) -> None:
        now = 0.0
        breaker = Breaker(limit=1, seconds=10, clock=lambda: now)
        breaker.failed()
        assert not breaker.allows()
        now = 10.0
        assert breaker.allows()
        assert not breaker.allows()
        breaker.failed()
        now = 19.0
        assert not breaker.allows()
        now = 20.0
        assert breaker.allows()
        breaker.succeeded()
        assert breaker.allows()
        assert breaker.allows()

    def test_a_try_that_never_reports_does_not_block_for_ever(self) -> None:
        now = 0.0
        breaker = Breaker(limit=1, seconds=10, clock=lambda: now)
        breaker.failed()
        now = 10.0
        assert breaker.allows()
        now = 20.0
        assert breaker.allows()
