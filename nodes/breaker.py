"""A circuit breaker: a provider that keeps failing is left alone for a moment instead of making every turn wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Breaker:
    """Opens after `limit` failures in a row, for `seconds`; then one request is let through to try. Thread-safe."""

    def __init__(self, *, limit: int = 5, seconds: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` returns seconds that only grow."""
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._failures = 0
        self._open_until = 0.0
        self._lock = threading.Lock()

    def allows(self) -> bool:
        """Whether a request may be sent now. After the pause only the first to ask is let through."""
        with self._lock:
            if self._failures < self._limit:
                return True
            if self._clock() < self._open_until:
                return False
            self._open_until = self._clock() + self._seconds
            return True

    def succeeded(self) -> None:
        """Note that the provider answered."""
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        """Note that the provider failed."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self._open_until = self._clock() + self._seconds
