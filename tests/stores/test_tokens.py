from __future__ import annotations

import pytest

from previously.stores.tokens import TokenCounter


@pytest.mark.parametrize("text", ["", "hello", "你好，世界", "<|endoftext|>", "🦊" * 50, "\u2028\x00", "a" * 10_000])
def test_any_text_is_counted_without_a_network(text: str) -> None:
    assert 0 <= TokenCounter()(text) <= max(1, len(text.encode()))
    assert (TokenCounter()(text) == 0) is (text == "")
