"""The example transcripts, read session by session onto a real card, as the card graph does it."""

from __future__ import annotations

import json
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from previously.offline import OfflineChatModel
from previously.offline.analyze import analyze
from previously.offline.card import _NOUNS
from previously.state.card import Card, render_card
from previously.state.card_edits import CARD_EDITS
from previously.state.edit import EditContext
from previously.state.ref import Ref

from .prompting import TOOLS, Row, analysis_prompt, card_prompt

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = OfflineChatModel().bind_tools(TOOLS)


def sessions(name: str) -> list[list[Row]]:
    """Return the transcript as turn rows, one list a day."""
    messages = [json.loads(line) for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()]
    found = []
    for _, group in groupby(messages, key=lambda message: message["timestamp"][:10]):
        rows = list(group)
        path = datetime.fromisoformat(rows[0]["timestamp"]).strftime("%Y/%m/%d/%H%M")
        found.append(
            [
                {
                    "id": f"m{number}",
                    "ref": f"{path}#{number}",
                    "role": message["role"],
                    "at": datetime.fromisoformat(message["timestamp"]).strftime("%Y-%m-%d %H:%M (%a)"),
                    "text": message["content"],
                }
                for number, message in enumerate(rows, 1)
            ]
        )
    return found


def evolve(card: Card, rows: list[Row]) -> tuple[Card, list[str], dict[str, Any]]:
    """Run the tool loop of one session; return the card, the refusals and what `finish` said."""
    today = date.fromisoformat(rows[-1]["at"][:10])
    said = {Ref.parse(row["ref"]): row["role"] == "user" for row in rows}
    context = EditContext(
        today=today,
        agent="assistant",
        handles={row["id"]: Ref.parse(row["ref"]) for row in rows},
        said_by_user=lambda ref: said.get(ref, False),
    )
    prompt, refused = card_prompt(rows, render_card(card), today=today.isoformat()), list[str]()
    brake: dict[str, int] = {}
    for _ in range(4):
        answer = MODEL.invoke(prompt)
        prompt.append(answer)
        for call in answer.tool_calls:
            if call["name"] == "finish":
                return card, refused, call["args"]
            applied = CARD_EDITS.apply(card, call["name"], call["args"], context, brake)
            card = applied.document
            refused += [applied.message] if applied.refusal else []
            prompt.append(ToolMessage(applied.message, tool_call_id=call["id"]))
    raise AssertionError("the loop did not finish")


def read(name: str) -> Card:
    card = Card()
    for rows in sessions(name):
        card, refused, _ = evolve(card, rows)
        assert refused == []
    return card


def texts(card: Card) -> dict[str, list[str]]:
    return {
        "identity": [f"{label}: {value}" for label, value in card.identity],
        "profile": [card.profile],
        "anchors": [entry.text for entry in card.anchors],
        "now": [entry.text for entry in card.now],
        "horizon": [f"{entry.text} ({entry.by})" for entry in card.horizon],
        "rules": [entry.text for entry in card.self_model("assistant")],
    }


def test_every_edit_can_be_named_in_a_summary() -> None:
    assert set(_NOUNS) == set(CARD_EDITS)


def test_the_english_example() -> None:
    assert texts(read("alex.jsonl")) == {
        "identity": ["Name: Alex"],
        "profile": [
            "Alex is a software engineer at a small mapping company. Alex prefers evidence over theory. Alex's sister is called Nora."
        ],
        "anchors": [
            "Alex graduated in 2021",
            "Alex changed jobs in May 2024, best decision in years",
            "Alex is allergic to penicillin, the dentist asks every time",
        ],
        "now": [
            "Alex is reading a lot about coastlines these days",
            "Alex is training for a 5K with their friend Lao Zhou",
        ],
        "horizon": [
            "Alex has a dentist appointment (2026-08-27)",
            "Alex needs to renew their passport (2026-08-25)",
            "Alex has to book a hotel for her (2026-08-31)",
        ],
        "rules": [
            "Stop using emojis in your answers",
            "When I'm venting, don't jump to solutions",
            "From now on give me one concrete example with every explanation",
        ],
    }


def test_the_chinese_example() -> None:
    assert texts(read("xiaoai.jsonl")) == {
        "identity": ["Name: 林晓", "Address them as: 小艾", "Alias: 小艾"],
        "profile": ["林晓是一名产品经理。林晓的妹妹叫林晨。"],
        "anchors": ["2021年从浙大毕业", "林晓2024年5月换了工作", "林晓对青霉素过敏，体检的时候总要问"],
        "now": ["林晓这段时间一直在准备马拉松", "最近在学吉他"],
        "horizon": ["还得交年度总结 (2026-08-31)", "林晓要给她订好酒店 (2026-08-25)"],
        "rules": [
            "以后别用表情，也别叫我亲，怪不自在的",
            "我抱怨的时候，先听我说完，别急着给建议",
            "以后解释东西都先举一个具体的例子",
        ],
    }


def test_a_wish_against_a_standing_rule_is_carried_out_with_the_turn_that_overrides_it() -> None:
    row = {"id": "m1", "ref": "2026/08/11/1426#1", "role": "user", "at": "2026-08-11 14:26 (Tue)"}
    card, refused, _ = evolve(Card(), [{**row, "text": "From now on, skip the references in your answers."}])
    assert len(refused) == 1
    assert texts(card)["rules"] == ["From now on, skip the references in your answers"]


@pytest.mark.parametrize("name", ["alex.jsonl", "xiaoai.jsonl"])
def test_reading_a_session_again_changes_nothing_new(name: str) -> None:
    card = Card()
    for rows in sessions(name)[:3]:
        card, _, _ = evolve(card, rows)
        again, _, account = evolve(card, rows)
        assert again.substance() == card.substance()
        assert account["summary"] == ""


@pytest.mark.parametrize("name", ["alex.jsonl", "xiaoai.jsonl"])
def test_every_line_cites_a_turn_of_the_user(name: str) -> None:
    users = {row["ref"] for rows in sessions(name) for row in rows if row["role"] == "user"}
    card = read(name)
    assert all(str(ref) in users for entry in card.entries("assistant") for ref in entry.refs)
    assert not card.problems()


@pytest.mark.parametrize(("name", "scores"), [("alex.jsonl", [1, -2, 1, 1]), ("xiaoai.jsonl", [-2, 1, 1, 1])])
def test_complaints_and_praise_are_scored_with_the_user_s_words(name: str, scores: list[int]) -> None:
    found = []
    for rows in sessions(name):
        for number, row in enumerate(rows):
            if row["role"] == "user":
                answer = analyze(analysis_prompt([row], before=rows[max(0, number - 2) : number])[-1].text)
                found += answer["fitness"]
                assert all(score["evidence"] in row["text"] for score in answer["fitness"])
    assert [score["delta"] for score in found] == scores


@pytest.mark.parametrize("name", ["alex.jsonl", "xiaoai.jsonl"])
def test_every_session_gets_a_mark(name: str) -> None:
    slices = [{"id": f"s{n}", "closing": True, "turns": rows} for n, rows in enumerate(sessions(name), 1)]
    answer = analyze(analysis_prompt([], slices=slices)[-1].text)
    assert len(answer["markings"]) == len(slices) == 6
    for marking in answer["markings"]:
        assert marking["focus"]
        assert 0 < len(marking["summary"]) <= 100
