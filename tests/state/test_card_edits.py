"""What each edit does when it is applied, replaying edits, and the guard against losing too much."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from previously.state.card import Card, Entry, parse_card
from previously.state.card_edits import CARD_EDITS, shrink_guard
from previously.state.context import DEFAULT_AGENT
from previously.state.ref import Ref

from .card_edit_world import ASSISTANT, CONTEXT, FULL, SLICE, TODAY, USER, call, done, entry, with_context


def test_a_field_of_identity_is_replaced_in_place() -> None:
    card = done(FULL, "set_identity", field="name", value="Alexandra", refs=["m1"])
    assert card.identity == (("Name", "Alexandra"), ("Alias", "小艾"))


def test_a_new_field_of_identity_takes_its_place_and_moves_no_other() -> None:
    card = done(
        replace(FULL, identity=(("Zodiac", "Leo"), *FULL.identity)),
        "set_identity",
        field="pronouns",
        value="they",
        refs=["m1"],
    )
    assert [label for label, _ in card.identity] == ["Zodiac", "Name", "Pronouns", "Alias"]


def test_the_profile_is_replaced() -> None:
    applied = call(FULL, "update_past_profile", text="  Alex builds bridges. ", refs=["m1"])
    assert applied.document == replace(FULL, profile="Alex builds bridges.")
    assert applied.message == "OK — the profile has 20/2400 characters"


def test_an_anchor_is_added_at_the_end() -> None:
    applied = call(FULL, "add_past_anchor", text="Allergic to penicillin", refs=["m1"])
    assert applied.document.anchors == (*FULL.anchors, entry("Allergic to penicillin"))
    assert applied.message == "OK — anchor 3/8"


def test_a_now_line_is_added_at_the_top_with_the_day_it_was_said() -> None:
    applied = call(FULL, "add_now", text="Learning chess", refs=["m1"])
    assert applied.document.now == (entry("Learning chess", since=date(2026, 8, 11)), *FULL.now)
    assert applied.message == "OK — Now 3/5, since 2026-08-11"
    assert done(FULL, "add_now", text="Learning chess", refs=["2026/08/11/1426"]).now[0].since == TODAY
    assert done(FULL, "add_now", text="Learning chess", since="2026-08-03", refs=["m1"]).now[0].since == date(
        2026, 8, 3
    )


def test_a_line_is_removed_by_a_part_of_it_or_by_all_of_it() -> None:
    assert done(FULL, "remove_now", match="5k").now == FULL.now[1:]
    assert done(FULL, "remove_past_anchor", match=" OSLO ").anchors == FULL.anchors[:1]
    copied = "- Training for a 5K — refs: [2026/08/11/1426#1] | since: 2026-08-11"
    assert done(FULL, "remove_now", match=copied).now == FULL.now[1:]
    assert done(FULL, "remove_self_model", match="emojis").self_models == {}


def test_a_whole_line_wins_over_a_longer_one_that_contains_it() -> None:
    card = Card(now=(entry("Runs"), entry("Runs a shop")))
    assert done(card, "remove_now", match="runs").now == card.now[1:]


def test_promoting_moves_a_line_with_its_refs_however_long_it_is() -> None:
    long = entry("x" * 310, since=date(2026, 8, 1))
    card = done(replace(FULL, now=(*FULL.now, long)), "promote_now_to_past", match="xxx")
    assert card.now == FULL.now
    assert card.anchors == (*FULL.anchors, Entry(text="x" * 310, refs=(USER,)))


def test_a_loop_is_added_moved_and_resolved() -> None:
    card = done(FULL, "add_horizon", text="Call Bo", by="2026-09-01", refs=["m1"])
    assert card.horizon[-1] == entry("Call Bo", by=date(2026, 9, 1))
    applied = call(card, "reschedule_horizon", match="call bo", by="2026-09-02", refs=["m2"])
    assert applied.message == "OK — due 2026-09-02, was 2026-09-01"
    assert applied.document.horizon[-1] == Entry(text="Call Bo", refs=(USER, ASSISTANT), by=date(2026, 9, 2))
    applied = call(card, "resolve_horizon", match="call bo", note="They talked", refs=["m1"])
    assert applied.document.horizon == FULL.horizon
    assert applied.message == "OK — resolved 'Call Bo': They talked"
    assert applied.op == {
        "tool": "resolve_horizon",
        "args": {"match": "call bo", "note": "They talked", "refs": [f"{USER}"]},
    }


def test_a_loop_resolved_without_a_note_brings_a_reminder() -> None:
    applied = call(FULL, "resolve_horizon", match="speech", refs=["m1"])
    assert applied.message.startswith("OK — resolved 'Draft the speech'. No note says how it ended")


def test_a_lesson_goes_to_the_agent_that_learned_it() -> None:
    applied = call(FULL, "add_self_model", context=with_context(agent="tutor"), text="Be thorough", refs=["m1"])
    assert applied.document.self_models == {**FULL.self_models, "tutor": (entry("Be thorough"),)}
    assert applied.message == "OK — Self-model 1/10"


@pytest.mark.parametrize(
    "refs", ["m1", "m1, m1", "[2026/08/11/1426#1]", '["m1"]', ["[m1]"], ["2026-08-11-1426#1"], ["m1, m1"]]
)
def test_refs_are_taken_in_every_spelling_and_kept_in_one(refs: Any) -> None:
    applied = call(FULL, "add_past_anchor", text="New", refs=refs, extra="ignored")
    assert applied.document.anchors[-1].refs == (USER,)
    assert applied.op == {"tool": "add_past_anchor", "args": {"text": "New", "refs": ["2026/08/11/1426#1"]}}


def test_a_lone_surrogate_or_nul_never_reaches_the_card() -> None:
    assert done(Card(), "add_now", text="a\x00\ud800", refs=["m1"]).now[0].text == "a\u2400\ufffd"


def test_edits_are_replayed_on_another_card_and_those_that_do_not_fit_are_left_out() -> None:
    card, ops = FULL, []
    for tool, args in (
        ("add_self_model", {"text": "Skip refs", "refs": ["m1"], "overrides": ["m1"]}),
        ("remove_now", {"match": "dune"}),
        ("add_past_anchor", {"text": "New", "refs": ["m1"]}),
        ("add_now", {"text": "Painting", "refs": ["m1"]}),
    ):
        applied = call(card, tool, **args)
        assert applied.op
        card, ops = applied.document, [*ops, applied.op]
    other = done(FULL, "remove_now", match="dune")
    without_handles = with_context(handles={})
    again, kept = CARD_EDITS.replay(FULL, json.loads(json.dumps(ops)), without_handles)
    assert (again, kept) == (card, ops)
    moved, kept = CARD_EDITS.replay(other, [*ops, {"tool": "review"}], without_handles)
    assert [op["tool"] for op in kept] == ["add_self_model", "add_past_anchor", "add_now"]
    assert moved == card


def test_every_edit_is_a_tool_with_a_plain_schema() -> None:
    assert list(CARD_EDITS) == [
        "set_identity", "update_past_profile", "add_past_anchor", "remove_past_anchor", "add_now", "remove_now",
        "promote_now_to_past", "add_horizon", "resolve_horizon", "reschedule_horizon", "add_self_model", "remove_self_model",
    ]  # fmt: skip
    for edit in CARD_EDITS.values():
        schema = edit.arguments.model_json_schema()
        assert json.loads(json.dumps(schema)) == schema
        assert edit.description
        assert "$defs" not in schema
        assert all("description" in field for name, field in schema["properties"].items() if name != "field")
        assert ("refs" in schema["required"]) == ("refs" in schema["properties"])
        assert schema["properties"].get("refs", {"type": "array"})["type"] == "array"


CARD = Card(
    identity=(("Name", "Alex"),),
    profile="p" * 100,
    anchors=(entry("Graduated in 2021"), entry("Moved to Oslo"), entry("Plays the cello")),
    now=(entry("Training for a 5K"), entry("Reading Dune")),
)


def test_the_guard_stops_a_run_that_loses_more_than_half() -> None:
    assert shrink_guard(CARD, replace(CARD, anchors=()), DEFAULT_AGENT) is None
    assert shrink_guard(CARD, replace(CARD, anchors=(), now=()), DEFAULT_AGENT) == (
        "5 of 6 lines would be lost in one run: that needs a review"
    )
    big = replace(CARD, anchors=(*CARD.anchors, entry("x" * 299)))
    assert (
        shrink_guard(big, CARD, DEFAULT_AGENT) == "299 of 477 characters would be lost in one run: that needs a review"
    )


def test_the_guard_does_not_count_what_moved_or_was_folded_in() -> None:
    promoted = replace(CARD, now=(), anchors=(*CARD.anchors, *CARD.now))
    folded = replace(
        CARD, anchors=(), now=(), profile="Training for a 5K, Moved to Oslo, Graduated in 2021" + "p" * 100
    )
    assert shrink_guard(CARD, promoted, DEFAULT_AGENT) is None
    assert shrink_guard(CARD, folded, DEFAULT_AGENT) is None


def test_the_guard_leaves_small_cards_and_resolved_loops_alone() -> None:
    small = Card(anchors=(entry("a"), entry("b"), entry("c")))
    assert shrink_guard(small, Card(), DEFAULT_AGENT) is None
    busy = replace(CARD, horizon=FULL.horizon)
    assert shrink_guard(busy, CARD, DEFAULT_AGENT) is None
    assert shrink_guard(Card(), CARD, DEFAULT_AGENT) is None


def test_the_guard_stops_a_profile_that_shrinks_to_a_stump() -> None:
    before = Card(profile="p" * 1000)
    assert shrink_guard(before, Card(profile="p" * 499), DEFAULT_AGENT) == (
        "the profile would shrink from 1000 to 499 characters: needs a review"
    )
    assert shrink_guard(before, Card(profile="p" * 500), DEFAULT_AGENT) is None


def test_the_guard_sees_the_card_of_one_agent() -> None:
    lessons = {"tutor": tuple(entry(text) for text in ("Be brief", "No jokes", "Use charts", "Ask first"))}
    assert shrink_guard(Card(self_models=lessons), Card(), DEFAULT_AGENT) is None
    assert (
        shrink_guard(Card(self_models=lessons), Card(), "tutor")
        == "4 of 4 lines would be lost in one run: that needs a review"
    )


def test_an_edit_touches_nothing_but_its_target() -> None:
    card = parse_card("# Previously On\n\n## Hobbies\n\n- chess\nFormat: user card v2\n").card
    assert done(card, "add_now", text="New", refs=[f"{Ref(SLICE)}"]).unread == card.unread


def test_the_context_is_never_asked_about_refs_that_are_not_cited() -> None:
    def fail(_ref: Ref) -> bool:
        raise AssertionError

    assert call(FULL, "remove_now", context=replace(CONTEXT, known_ref=fail, said_by_user=fail), match="dune").op
