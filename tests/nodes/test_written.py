from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from previously.nodes.written import as_object, read_json, without_thinking

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(min_size=1), JSON, min_size=1, max_size=4)
PROSE = st.text(alphabet=st.characters(exclude_characters='{}[]"<>'), max_size=40)


def values(text: str) -> list[object]:
    return [value for _, value in read_json(text).values]


@settings(max_examples=150)
@given(OBJECTS, OBJECTS, PROSE, PROSE)
def test_objects_are_found_between_prose_whole_and_in_order(first: object, second: object, a: str, b: str) -> None:
    text = f"{a} {json.dumps(first)} {b} {json.dumps(second, ensure_ascii=False)} {a}"
    assert values(text) == [first, second]
    assert not read_json(text).cut


@settings(max_examples=150)
@given(OBJECTS, st.data())
def test_an_object_that_was_cut_never_passes_for_a_whole_one(value: object, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    found = read_json(f"Here: {cut}")
    assert found.values == ()
    assert found.cut


@settings(max_examples=300)
@given(st.text() | st.text(alphabet="{}[]\",:\\'`ab1 \n<>/think"))
def test_any_text_is_read_without_an_error(text: str) -> None:
    read_json(text)
    as_object(text)
    assert "<think>" not in without_thinking(text).lower()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{'a': 'b'}", [{"a": "b"}]),
        ('{"a": 1,}', [{"a": 1}]),
        ('{"a": 1 // one\n}', [{"a": 1}]),
        ('{"a": "line\nbreak"}', [{"a": "line\nbreak"}]),
        ("{a: true}", [{"a": True}]),
        ("see [1] and [note] only", []),
        ('[{"a": 1}, {"b": 2}]', [[{"a": 1}, {"b": 2}]]),
        ("", []),
        ("}{", []),
    ],
)
def test_sloppy_json_is_mended_and_prose_is_left_alone(text: str, found: list[object]) -> None:
    assert values(text) == found


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<THINKING>x</THINKING> b <reasoning>c</reasoning>", "b"),
        ("b <think>never closed", "b"),
        ("nothing to strip", "nothing to strip"),
    ],
)
def test_reasoning_is_left_out(text: str, left: str) -> None:
    assert without_thinking(text) == left


@pytest.mark.parametrize(
    "deep", ["[" * 100_000, '{"a":' * 20_000 + "1" + "}" * 20_000, "{'a':" * 20_000 + "1" + "}" * 20_000]
)
def test_very_deep_json_is_no_error(deep: str) -> None:
    assert read_json(deep).cut or len(read_json(deep).values) == 1
