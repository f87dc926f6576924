"""Every line of a card knows the refs that prove it and the edit that wrote it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from previously.state.card import Card, Entry, render_card
from previously.state.card_evidence import Evidence, trace
from previously.state.commit import Document
from previously.state.paths import CARD_PATH
from previously.state.ref import Ref

AT = datetime(2026, 8, 11, 12, 26, tzinfo=UTC)
HERE = "2026/08/11/1426"


def ref(number: int) -> Ref:
    return Ref("2026-08-11-1426", number)


def history(*steps: tuple[Card, list[dict[str, Any]]]) -> list[Document]:
    return [
        Document(path=CARD_PATH, revision=number, text=render_card(card), meta={"edits": edits}, at=AT, commit=number)
        for number, (card, edits) in enumerate(steps, 1)
    ]


def edit(tool: str, *refs: int, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": {**args, "refs": [f"{HERE}#{number}" for number in refs]}}


def named(found: tuple[Evidence, ...], line: str) -> Evidence:
    (item,) = [item for item in found if item.line == line]
    return item


NAME = edit("set_identity", 1, field="name", value="Alex")
ALEX = Card(identity=(("Name", "Alex"),))


def test_nothing_has_no_evidence() -> None:
    assert trace([], "assistant") == ()


def test_a_line_keeps_the_revision_that_wrote_it_while_others_change() -> None:
    anchor = Entry(text="Alex graduated in 2021", refs=(ref(3),))
    add = edit("add_past_anchor", 3, text=anchor.text)
    found = trace(history((ALEX, [NAME]), (replace(ALEX, anchors=(anchor,)), [add])), "assistant")
    assert [(item.section, item.line, item.refs, item.revision) for item in found] == [
        ("Identity", "Name: Alex", (ref(1),), 1),
        ("Past", "Alex graduated in 2021", (ref(3),), 2),
    ]
    assert [item.edit for item in found] == [NAME, add]


def test_an_identity_that_was_set_again_rests_on_the_newer_words() -> None:
    again = edit("set_identity", 9, field="name", value="Alexis")
    found = trace(history((ALEX, [NAME]), (Card(identity=(("Name", "Alexis"),)), [again])), "assistant")
    assert named(found, "Name: Alexis").refs == (ref(9),)


def test_the_profile_rests_on_everything_it_grew_from() -> None:
    short, long = "Alex is an engineer.", "Alex is an engineer. Alex likes maps."
    found = trace(
        history(
            (Card(profile=short), [edit("update_past_profile", 3, text=short)]),
            (Card(profile=short, identity=ALEX.identity), [NAME]),
            (Card(profile=long), [edit("update_past_profile", 5, 3, text=long)]),
        ),
        "assistant",
    )
    assert named(found, long).refs == (ref(3), ref(5))
    assert named(found, long).revision == 3


def test_what_a_person_wrote_is_said_to_be_theirs() -> None:
    profile = "Alex is an engineer."
    written = Card(profile="Alex is a cartographer.", identity=(("Name", "Al"),))
    found = trace(
        history((Card(profile=profile), [edit("update_past_profile", 3, text=profile)]), (written, [])), "assistant"
    )
    assert [(item.line, item.refs, item.edit, item.revision) for item in found] == [
        ("Name: Al", (), None, 2),
        ("Alex is a cartographer.", (), None, 2),
    ]


def test_moves_and_new_dates_are_found_by_what_they_matched() -> None:
    dentist = Entry(text="Dentist appointment", refs=(ref(7),), by=date(2026, 8, 19))
    moved = replace(dentist, refs=(ref(7), ref(9)), by=date(2026, 8, 27))
    running = Entry(text="Training for a 5K", refs=(ref(5),), since=date(2026, 8, 11))
    reschedule = edit("reschedule_horizon", 9, match="DENTIST", by="2026-08-27")
    promote = {"tool": "promote_now_to_past", "args": {"match": "training for"}}
    found = trace(
        history(
            (Card(horizon=(dentist,), now=(running,)), []),
            (Card(horizon=(moved,), anchors=(replace(running, since=None),)), [reschedule, promote]),
        ),
        "assistant",
    )
    assert named(found, "Dentist appointment — by: 2026-08-27").edit == reschedule
    assert named(found, "Training for a 5K").edit == promote


def test_each_agent_sees_the_evidence_of_its_own_lessons_only() -> None:
    lesson = Entry(text="Answer shortly", refs=(ref(2),))
    card = Card(self_models={"assistant": (lesson,), "coach": (replace(lesson, text="Push harder"),)})
    found = trace(history((card, [])), "coach")
    assert [(item.section, item.line) for item in found] == [("Self-model", "Push harder")]


def test_a_line_that_went_and_came_back_counts_from_its_return() -> None:
    now = Entry(text="Reading about coasts", refs=(ref(4),), since=date(2026, 8, 11))
    add = edit("add_now", 4, text=now.text)
    found = trace(history((Card(now=(now,)), [add]), (Card(), []), (Card(now=(now,)), [add])), "assistant")
    assert found[0].revision == 3


def test_notes_of_a_run_that_are_no_edits_are_passed_over() -> None:
    found = trace(history((ALEX, [{"tool": "review"}, {"note": "x"}, NAME])), "assistant")
    assert found[0].edit == NAME
