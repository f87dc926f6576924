"""Commands that show what memory holds."""

from __future__ import annotations

import re
from pathlib import Path

from langchain_core.messages import HumanMessage

from previously import MemoryContext, Previously

from .terminal import CARD_FILE, Run, invoke, mirror, told


def test_card_shows_the_text(look: Run) -> None:
    text = told(look("card", "-s", "alex"))
    assert text.startswith("# Previously On")
    assert "- Stop using emojis in your answers — refs: [2026/08/11/1426#7]" in text


def test_card_as_another_agent_sees_it_has_no_lessons_of_the_first(look: Run) -> None:
    assert "Self-model" not in told(look("card", "-s", "alex", "--agent", "coach"))


def test_card_as_it_stood_when_a_slice_ended(look: Run) -> None:
    text = told(look("card", "-s", "alex", "--at", "2026/08/12/2010"))
    assert "venting" in text
    assert "penicillin" not in text
    assert "is not a slice" in told(look("card", "-s", "alex", "--at", "2020/01/01/0000"), code=1)


def test_card_why_proves_every_line_with_what_was_said(look: Run) -> None:
    text = told(look("card", "-s", "alex", "--why"))
    assert "- Name: Alex\n    revision 2, set_identity\n    2026/08/11/1426#1 user: “Hi, I'm Alex!" in text
    profile = text[text.index("- Alex is a software engineer") : text.index("- Alex graduated")]
    assert profile.count("user: “") == 3
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(lines) == 13
    assert text.count("revision ") == len(lines)


def test_timeline_lists_the_newest_first(look: Run) -> None:
    text = told(look("timeline", "-s", "alex"))
    assert re.findall(r"^(\d{4}/\d\d/\d\d)", text, re.MULTILINE)[0] == "2026/08/29"
    assert "14:26–14:34 · 10 turns · running, friends · positive · time cap" in text
    assert "4 older slices are not shown" in told(look("timeline", "-s", "alex", "--limit", "2"))


def test_slice_shows_marks_and_turns(look: Run) -> None:
    text = told(look("slice", "2026-08-12-2010", "-s", "alex"))
    assert text.startswith("2026/08/12/2010 · 10 turns · Europe/Berlin · ended by time cap")
    assert "tone: mixed" in text
    assert "#1 20:10 user\nUgh, what a day." in text
    one = told(look("slice", "2026/08/12/2010#5", "-s", "alex"))
    assert "When I'm venting" in one
    assert "Ugh, what a day. My manager" not in one
    assert "answer" in told(look("slice", "2026/08/12/2010", "-s", "alex", "--log"))
    assert "is not a ref" in told(look("slice", "yesterday", "-s", "alex"), code=1)


def test_text_of_users_can_t_steer_the_terminal(tmp_path: Path) -> None:
    text = "\x1b[31mred\x1b[0m [bold]not bold[/bold] \u202eright to left\x07"
    with Previously(tmp_path) as memory:
        memory.record([HumanMessage(text)], MemoryContext(space="bo"))
        slice_id = memory.timeline("bo").slices[0].slice_id
    for command in (["slice", slice_id], ["timeline"]):
        shown = told(invoke("--home", tmp_path, *command, "-s", "bo"))
        assert not set("\x1b\u202e\x07") & set(shown)
        assert "[bold]not bold[/bold]" in shown


def test_review_lists_adopts_and_discards(home: Path) -> None:
    def review(*args: str, code: int = 0) -> str:
        return told(invoke("--home", home, "review", *args, "-s", "alex"), code)

    assert "No file of the mirror was changed by hand." in review()
    file = mirror(home) / CARD_FILE
    file.write_text(file.read_text().replace("Name: Alex", "Name: Alexis"))
    (mirror(home) / "notes.md").write_text("mine")
    listed = review()
    assert "+- Name: Alexis" in listed
    assert "notes.md (added)" in listed
    assert "can't be written by hand" in review("adopt", "notes.md", code=1)
    assert "as memory has it" in review("discard", "notes.md")
    assert not (mirror(home) / "notes.md").exists()
    assert "adopted as a new revision" in review("adopt", CARD_FILE)
    assert "written by a person" in told(invoke("--home", home, "card", "-s", "alex", "--why"))
    assert "path of one file" in review("adopt", code=2)
    assert "has no external edit" in review("adopt", CARD_FILE, code=1)


def test_rebuild_asks_before_it_throws_away_what_somebody_wrote(home: Path) -> None:
    file = mirror(home) / CARD_FILE
    written = file.read_text()
    file.write_text("mine")
    told(invoke("--home", home, "rebuild", "-s", "alex", typed="n\n"), code=1)
    assert file.read_text() == "mine"
    told(invoke("--home", home, "rebuild", "-s", "alex", "--yes"))
    assert file.read_text() == written
    assert "built anew" in told(invoke("--home", home, "rebuild", "-s", "alex"))


def test_evolution_shows_ledger_direction_playbooks_and_runs(home: Path) -> None:
    said = "2026/08/11/1426#1"
    with Previously(home, embeddings=False) as memory:
        memory.write(
            "alex",
            "memory/evolution/direction.md",
            f"# Portrait\n\n## Traits & cognitive style\n\n- Likes plain words — refs: [{said}]\n\n# Hypotheses\n\n"
            "- [proposed 2026-08-11-1426] Decides fast — falsify if: waits twice\n",
            reason="by hand",
        )
        memory.write("alex", "memory/agent-playbooks/recall.md", "Look twice.", reason="by hand")
    text = told(invoke("--home", home, "evolution", "-s", "alex"))
    assert "- Likes plain words — refs: [2026/08/11/1426#1]" in text
    assert "Look twice." in text
    why = told(invoke("--home", home, "evolution", "-s", "alex", "--why"))
    assert "- Likes plain words\n    2026/08/11/1426#1 user: “Hi, I'm Alex!" in why
    assert "[proposed 2026-08-11-1426] Decides fast — falsify if: waits twice" in why


def test_signal_records_a_fact_and_refuses_others(home: Path) -> None:
    assert told(invoke("--home", home, "signal", "interaction_interrupt", "-s", "alex")) == "recorded\n"
    other = told(invoke("--home", home, "signal", "interaction_interrupt", "-s", "alex", "--thread", "other"))
    assert "nothing was said" in other
    assert "is not one of" in told(invoke("--home", home, "signal", "nonsense", "-s", "alex"), code=1)
