"""What notebooks and terminals show of memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from previously.state.card import Card, Entry, parse_card, render_card
from previously.state.commit import Document
from previously.state.paths import CARD_PATH
from previously.state.ref import Ref
from previously.state.slice import Slice
from previously.views import CardChange, CardView, Diff, TimelineView

AT = datetime(2026, 8, 11, 12, 26, tzinfo=UTC)
ANCHOR = Entry(text="Alex graduated in 2021", refs=(Ref("2026-08-11-1426", 3),))
CARD = Card(
    slice_id="2026-08-11-1426",
    updated=AT,
    identity=(("Name", "Alex"),),
    profile="Alex is an engineer.",
    anchors=(ANCHOR,),
    self_models={
        "assistant": (Entry(text="Answer shortly", refs=ANCHOR.refs),),
        "coach": (Entry(text="Push harder", refs=ANCHOR.refs),),
    },
)
META = {
    "summary": "Added a name.",
    "edits": [{"tool": "set_identity", "args": {"field": "name", "value": "Alex", "refs": ["2026/08/11/1426#1"]}}],
    "triggers": [{"kind": "boundary", "reason": "much was said"}, {"kind": "request", "content": "call me Alex"}],
}


def document(card: Card, revision: int = 1, **meta: Any) -> Document:
    return Document(path=CARD_PATH, revision=revision, text=render_card(card), meta=meta, at=AT, commit=revision)


def a_slice(**fields: Any) -> Slice:
    known = {
        "space": "alex",
        "slice_id": "2026-08-11-1426",
        "thread": "t",
        "status": "closed",
        "start": AT,
        "end": AT + timedelta(minutes=8),
        "closed_by": "time_cap",
        "timezone": "Europe/Berlin",
        "turn_count": 10,
        "focus": "running",
        "summary": "A plan for a 5K.",
        "tags": ("running", "friends"),
        "tone": "positive",
    }
    return Slice(**{**known, **fields})


class Page(HTMLParser):
    """Collects the text of a page, its tags, and whether they are balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.tags, self.open = "", set[str](), list[str]()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attrs} <= {"style", "title"}
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


OURS = {"div", "b", "i", "span", "table", "tr", "td", "th"}


def test_an_empty_memory_says_so() -> None:
    view = CardView(document=None)
    assert (view.text, view.revision, view.evidence, view.card) == ("", 0, (), Card())
    assert str(view) == "(nothing is known yet)"
    assert "nothing is known yet" in Page(view._repr_html_()).text


def test_a_card_is_shown_as_one_agent_sees_it() -> None:
    view = CardView(document=document(CARD), agent="coach")
    assert view.text == render_card(CARD, "coach")
    assert "Answer shortly" not in view.text
    assert parse_card(view.text).card.self_models == {"assistant": CARD.self_model("coach")}
    assert view.card == CARD


def test_the_html_of_a_card_holds_each_line_with_its_refs_and_where_it_comes_from() -> None:
    html = CardView(document=document(CARD, **META))._repr_html_()
    text = Page(html).text
    assert "Name: Alex [2026/08/11/1426#1]" in text
    assert "Alex graduated in 2021 [2026/08/11/1426#3]" in text
    assert 'title="revision 1: set_identity"' in html
    assert 'title="revision 1: written by a person"' in html


def test_lines_that_fit_nowhere_are_shown_too() -> None:
    view = CardView(document=document(replace(CARD, unread=("a stray line",))))
    assert "a stray line" in Page(view._repr_html_()).text


def test_a_diff_leaves_out_the_bullets_of_the_card() -> None:
    diff = Diff.between(render_card(CARD), render_card(replace(CARD, anchors=(), profile="Alex maps.")))
    assert diff.lines == (
        "- Alex is an engineer.",
        "- Alex graduated in 2021 — refs: [2026/08/11/1426#3]",
        "+ Alex maps.",
    )
    assert str(diff) == diff.text == "\n".join(diff.lines)


def test_a_change_says_what_why_and_from_what() -> None:
    change = CardChange(before=None, after=document(CARD, **META))
    assert change.summary == "Added a name."
    assert change.reasons == ("much was said", "call me Alex")
    assert change.refs == (Ref("2026-08-11-1426", 1),)
    lines = str(change).splitlines()
    assert lines[0] == "revision 1, 2026-08-11 12:26 UTC: Added a name."
    assert lines[1] == "+ Name: Alex"
    assert lines[-1] == "evidence: 2026/08/11/1426#1"
    text = Page(change._repr_html_()).text
    assert all(line in text for line in lines)
    assert "much was said; call me Alex" in text


def test_a_change_made_by_hand_has_no_evidence_and_says_so() -> None:
    change = CardChange(
        before=document(CARD), after=document(replace(CARD, profile="Alex maps."), 2, summary="", edits=[])
    )
    assert change.lines == ["- Alex is an engineer.", "+ Alex maps."]
    assert "evidence" not in str(change)
    assert "a person wrote it" in Page(change._repr_html_()).text


def test_the_timeline_tells_when_by_the_clock_of_the_slice() -> None:
    night = a_slice(slice_id="2026-08-10-2350", start=AT - timedelta(hours=14, minutes=36), end=AT)
    dry = a_slice(slice_id="2026-08-12-0900", focus="", summary="", tags=(), tone=None, status="active", closed_by=None)
    view = TimelineView(space="alex", slices=(dry, a_slice(), night), openings={dry.slice_id: "Ugh, what a day."})
    text = Page(view._repr_html_()).text
    assert "2026/08/11/1426running14:26–14:3410 turnsrunning, friendspositivetime cap" in text
    assert "23:50–2026-08-11 14:26" in text
    assert "Ugh, what a day." in text
    assert "Ugh, what a day." in view.text
    assert view.text == str(view)
    assert [view.about(item) for item in view.slices] == ["Ugh, what a day.", "running", "running"]


def test_a_closed_slice_without_marks_is_called_unmarked() -> None:
    dry = a_slice(focus="", summary="")
    assert TimelineView(space="alex", slices=(dry,)).facts(dry)[-1] == "unmarked"


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(min_size=1, max_size=40) | st.sampled_from(["<script>alert(1)</script>", '" onload="x', "&lt;b&gt;"])
)
def test_no_text_of_anybody_becomes_markup(text: str) -> None:
    line = " ".join(text.split()) or "x"
    card = replace(CARD, identity=(("Name", line),), profile="", anchors=(replace(ANCHOR, text=line),))
    after = document(card, summary=text, edits=[{"tool": text, "args": {"text": line}}], triggers=[{"reason": text}])
    marked = a_slice(focus=text, tags=(text,))
    for view in (
        CardView(document=after, history=(after,)),
        CardChange(before=document(CARD), after=after),
        TimelineView(space=text, slices=(marked,)),
        Diff(lines=(f"+ {text}", text)),
    ):
        page = Page(view._repr_html_())
        assert page.tags <= OURS
        assert page.open == []


@pytest.mark.parametrize("view", [CardView(document=document(CARD)), TimelineView(space="alex", slices=(a_slice(),))])
def test_html_takes_its_text_colour_from_the_page(view: Any) -> None:
    styles = view._repr_html_().replace("background:", "").split(";")
    assert not [style for style in styles if style.strip('"').startswith("color:")]
