"""Reading conversations that were held elsewhere."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, messages_to_dict

from previously import InvalidInput
from previously.nodes.recording import TIMESTAMP
from previously.transcripts import Transcript, load_transcripts

AT = "2026-08-11T14:26:00+02:00"


def write(folder: Path, name: str, content: Any) -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return file


def jsonl(folder: Path, *rows: Any) -> Path:
    return write(folder, "talk.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in rows))


def one(file: Path, **options: Any) -> Transcript:
    (found,) = load_transcripts(file, **options)
    return found


def said(transcript: Transcript) -> list[tuple[str, str]]:
    return [(message.type, message.text) for message in transcript.messages]


def times(transcript: Transcript) -> list[str]:
    return [message.additional_kwargs[TIMESTAMP] for message in transcript.messages]


def test_jsonl_with_names_and_times(tmp_path: Path) -> None:
    found = one(
        jsonl(
            tmp_path,
            {"role": "system", "content": "Be kind."},
            {"role": "user", "name": "Alex", "content": "你好", "timestamp": AT},
            {"role": "assistant", "content": [{"type": "text", "text": "Hi."}], "timestamp": 1786451170},
            {"role": "tool", "content": "42"},
        )
    )
    assert said(found) == [("human", "你好"), ("ai", "Hi.")]
    assert [message.name for message in found.messages] == ["Alex", None]
    assert times(found) == ["2026-08-11T12:26:00+00:00", "2026-08-11T12:26:10+00:00"]
    assert found.title == "talk"


def test_the_same_file_gives_the_same_thread_and_ids_and_another_does_not(tmp_path: Path) -> None:
    row = {"role": "user", "content": "Hi", "timestamp": AT}
    first, again = one(jsonl(tmp_path, row)), one(jsonl(tmp_path, row))
    other = one(jsonl(tmp_path, {**row, "content": "Hello"}))
    assert first == again
    assert first.thread != other.thread
    assert first.messages[0].id != other.messages[0].id


def test_times_without_an_offset_are_read_in_the_zone_that_is_given(tmp_path: Path) -> None:
    file = jsonl(tmp_path, {"role": "user", "content": "Hi", "timestamp": "2026-08-11 14:26"})
    assert times(one(file, timezone="Europe/Berlin")) == ["2026-08-11T12:26:00+00:00"]
    with pytest.raises(InvalidInput, match=r"line 1: timestamp.*--timezone"):
        load_transcripts(file)


def test_messages_without_a_time_follow_the_one_before_by_a_second(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"role": "user", "content": str(number)} for number in range(4)]
    rows[2]["timestamp"] = AT
    assert [stamp[14:19] for stamp in times(one(jsonl(tmp_path, *rows)))] == ["25:58", "25:59", "26:00", "26:01"]


def test_a_file_without_any_time_ends_when_it_was_changed(tmp_path: Path) -> None:
    file = jsonl(tmp_path, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"})
    changed = datetime(2026, 8, 11, 12, 0, tzinfo=UTC)
    os.utime(file, (changed.timestamp(), changed.timestamp()))
    last = datetime.fromisoformat(times(one(file))[-1])
    assert timedelta(0) <= changed - last <= timedelta(seconds=2)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "holds no message"),
        ("{", "line 1: is not JSON"),
        ("[1]", "line 1: must be an object"),
        ('{"role": "wizard", "content": "x"}', "line 1: role: 'wizard' is not one of"),
        ('{"role": "user"}', "line 1: content: must be text"),
        ('\n\n{"role": "user", "content": 3}', "line 3: content"),
        ('{"role": "user", "content": "x", "name": 3}', "line 1: name"),
        ('{"role": "user", "content": "x", "timestamp": "yesterday"}', "line 1: timestamp: 'yesterday' is neither"),
        ('{"role": "user", "content": "x", "timestamp": 1e300}', "line 1: timestamp"),
        ('{"role": "system", "content": "x"}', "holds no message"),
        ('{"role": "user", "content": "x", "id": "1"}\n{"role": "user", "content": "y", "id": "1"}', "is used 2 times"),
    ],
)
def test_what_can_t_be_read_is_refused_with_line_and_field(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        load_transcripts(write(tmp_path, "talk.jsonl", text))


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="can't be read"):
        load_transcripts(tmp_path / "none.jsonl")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InvalidInput, match="can't be read"):
        load_transcripts(tmp_path / "bytes.jsonl")


MESSAGES = [
    SystemMessage("Be kind."),
    HumanMessage("What's up?", id="h1", name="Alex", additional_kwargs={TIMESTAMP: AT}),
    AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c"}]),
    ToolMessage("sunny", tool_call_id="c"),
    AIMessage([{"type": "text", "text": "Sun."}], id="a1", additional_kwargs={TIMESTAMP: AT}),
]
SHAPES = {
    "messages_to_dict": messages_to_dict(MESSAGES),
    "dumpd": [dumpd(message) for message in MESSAGES],
    "under a key": {"messages": messages_to_dict(MESSAGES)},
    "pairs": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "What's up?", "id": "h1", "name": "Alex", "timestamp": AT},
        {"role": "assistant", "content": "Sun.", "id": "a1", "timestamp": AT},
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_langchain_messages(shape: str, tmp_path: Path) -> None:
    found = one(write(tmp_path, "messages.json", SHAPES[shape]))
    spoken = [message for message in found.messages if message.text]
    assert [(message.id, message.text) for message in spoken] == [("h1", "What's up?"), ("a1", "Sun.")]
    assert spoken[0].name == "Alex"
    assert {message.additional_kwargs[TIMESTAMP] for message in spoken} == {"2026-08-11T12:26:00+00:00"}


@pytest.mark.parametrize("content", ["3", '{"a": 1}', '[{"type": "nonsense", "data": {}}]', '[{"foo": 1}]', "[[]]"])
def test_json_that_holds_no_messages_is_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        load_transcripts(write(tmp_path, "x.json", content))


def node(name: str, parent: str | None, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    message = {
        "id": f"id-{name}",
        "author": {"role": role},
        "create_time": 1786451160.5,
        "content": {"content_type": "text", "parts": list(parts)},
        "metadata": {},
        **more,
    }
    return {"id": name, "parent": parent, "message": message}


def export(**more: Any) -> dict[str, Any]:
    nodes = [
        {"id": "root", "parent": None, "message": None},
        node("sys", "root", "system", "hidden"),
        node("q1", "sys", "user", "First try"),
        node("a1", "q1", "assistant", "Answer to the first"),
        node("q2", "sys", "user", "Second try", {"asset_pointer": "x"}),
        node("call", "q2", "assistant", "search()", recipient="web"),
        node("a2", "call", "assistant", "Answer to the second"),
        node("hid", "a2", "user", "context", metadata={"is_visually_hidden_from_conversation": True}),
    ]
    mapping = {item["id"]: item for item in nodes}
    return {"title": "A talk", "conversation_id": "c1", "current_node": "hid", "mapping": mapping, **more}


def test_chatgpt_s_export_is_read_along_its_current_branch(tmp_path: Path) -> None:
    found = one(write(tmp_path, "conversations.json", [export()]))
    assert said(found) == [("human", "Second try\n[image]"), ("ai", "Answer to the second")]
    assert (found.thread, found.title) == ("c1", "A talk")
    assert [message.id for message in found.messages] == ["id-q2", "id-a2"]
    assert times(found)[0] == "2026-08-11T12:26:00.500000+00:00"


def test_several_conversations_are_several_threads_and_empty_ones_are_left_out(tmp_path: Path) -> None:
    talks = [export(), export(conversation_id="c2"), export(conversation_id="c3", mapping={}, current_node="x")]
    found = load_transcripts(write(tmp_path, "conversations.json", talks))
    assert [transcript.thread for transcript in found] == ["c1", "c2"]


def test_an_export_whose_branch_runs_in_a_circle_ends(tmp_path: Path) -> None:
    mapping = {"a": node("a", "b", "user", "x"), "b": node("b", "a", "assistant", "y")}
    found = one(write(tmp_path, "c.json", [export(mapping=mapping, current_node="a")]))
    assert len(found.messages) == 2


def test_exchanges_keep_every_message_once_in_order(tmp_path: Path) -> None:
    roles = ["assistant", "user", "user", "assistant", "assistant", "user"]
    found = one(jsonl(tmp_path, *({"role": role, "content": role, "timestamp": AT} for role in roles)))
    assert list(found.exchanges()) == [(0, 2), (2, 5), (5, 6)]


_text = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from(["user", "assistant"]), _text), min_size=1, max_size=8))
def test_any_text_comes_back_as_it_was_said(
    rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    found = one(jsonl(folder, *({"role": role, "content": text, "timestamp": AT} for role, text in rows)))
    kinds = {"user": "human", "assistant": "ai"}
    assert said(found) == [(kinds[role], text) for role, text in rows]
    assert len({message.id for message in found.messages}) == len(rows)
    covered = [place for start, end in found.exchanges() for place in range(start, end)]
    assert covered == list(range(len(rows)))


@settings(max_examples=200, deadline=None)
@given(value=st.recursive(st.none() | st.booleans() | st.floats() | _text, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "type", "data", "mapping", "messages", "id", "timestamp", "current_node", "message", "author", "parts"]), inner, max_size=4), max_leaves=12))  # fmt: skip
def test_any_json_is_read_or_refused_never_a_crash(value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("junk")
    for name in ("x.json", "x.jsonl"):
        try:
            load_transcripts(write(folder, name, json.dumps(value)))
        except InvalidInput:
            continue
