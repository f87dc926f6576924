"""The whole of it on each database: a conversation, its card, and what a person writes by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from previously import Conflict, InvalidInput, MemoryContext, Previously
from previously.state.paths import CARD_PATH, DIRECTION_PATH, account_path, playbook_path

CONTEXT = MemoryContext(space="alex", thread="t", timezone="Europe/Berlin")


def test_a_conversation_and_its_card(database: str, tmp_path: Path) -> None:
    with Previously(tmp_path / "home", database=database, embeddings=False) as memory:
        said = [
            HumanMessage("My name is Alex. Remember that I'm allergic to nuts.", id="1"),
            AIMessage("Noted.", id="2"),
        ]
        memory.intake.invoke({"messages": said}, context=CONTEXT)
        memory.close_slice(CONTEXT)
    with Previously(tmp_path / "home", database=database, embeddings=False) as memory:
        assert "allergic to nuts" in memory.card("alex").text
        assert "- Name: Alex" in memory.card("alex").text
        assert memory.backlog() == []
        assert memory.erase("alex") > 0
        assert memory.services.store.spaces() == []


SLICE = "2026/08/11/1226"


class TestByHand:
    @pytest.fixture
    def edited(self, memory: Previously) -> Previously:
        memory.intake.invoke({"messages": [HumanMessage("Remember that I like tea.", id="1")]}, context=CONTEXT)
        return memory

    def _file(self, memory: Previously) -> Path:
        assert memory.services.mirror is not None
        return memory.services.mirror.folder("alex") / CARD_PATH

    def test_an_adopted_edit_is_the_new_revision(self, edited: Previously) -> None:
        file = self._file(edited)
        file.write_text(file.read_text().replace("tea", "green tea"))
        assert "green" not in edited.card("alex").text, "never adopted silently"
        edited.adopt("alex", CARD_PATH)
        assert "green tea" in edited.card("alex").text
        assert edited.card("alex").revision == 2
        assert edited.edits("alex") == []

    def test_a_card_that_breaks_the_format_is_refused_and_kept(self, edited: Previously) -> None:
        file = self._file(edited)
        broken = file.read_text() + "\n## Horizon\n\n- no date — refs: [2026/01/01/0000]\n"
        file.write_text(broken)
        with pytest.raises(InvalidInput, match="no due date"):
            edited.adopt("alex", CARD_PATH)
        assert file.read_text() == broken
        assert edited.discard("alex", CARD_PATH) == broken

    def test_a_write_on_an_old_reading_conflicts(self, edited: Previously) -> None:
        text = edited.card("alex").text
        with pytest.raises(Conflict):
            edited.write_card("alex", text, reason="late", base=0)

    def test_a_direction_and_a_playbook_are_adopted_too(self, edited: Previously) -> None:
        portrait = f"# Portrait\n\n## Values & boundaries\n\n- Values tea — refs: [{SLICE}#1]\n\n# Hypotheses\n"
        for path, text in {DIRECTION_PATH: portrait, playbook_path("recall", "assistant"): "Look twice."}.items():
            edited.write("alex", path, text, reason="by hand")
            assert edited.services.mirror is not None
            file = edited.services.mirror.folder("alex") / path
            file.write_text(file.read_text().replace("tea", "green tea").replace("twice", "thrice"))
            edited.adopt("alex", path)
        assert "Values green tea" in str(edited.direction("alex"))
        assert "Look thrice." in edited.playbook("recall", CONTEXT)

    @pytest.mark.parametrize(("path", "text"), [
        (DIRECTION_PATH, "# Portrait\n\n## Values & boundaries\n\n- No refs here\n"),
        (DIRECTION_PATH, "# Portrait\n\nprose\n"),
        (playbook_path("recall", "assistant"), "x" * 2_001),
        (playbook_path("recall", "assistant"), " "),
        (account_path("assistant"), "# Evolution"),
        ("memory/episodic/timeline.md", "# Timeline"),
        ("../elsewhere.md", "text"),
        ("memory/agent-playbooks/../../../elsewhere.md", "text"),
        ("memory/agent-playbooks/foo.md", "text"),
        ("memory/agent-playbooks/recall.md\n", "text"),
    ])  # fmt: skip
    def test_what_breaks_a_format_or_is_written_by_code_is_refused(
        self, edited: Previously, path: str, text: str
    ) -> None:
        with pytest.raises(InvalidInput):
            edited.write("alex", path, text, reason="by hand")
        assert edited.services.store.head("alex", path) is None
