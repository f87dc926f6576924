from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SAMPLE: dict[str, Any] = {
    "sample_id": "conv-1",
    "qa": [
        {"question": "Where is Ann's key?", "category": 4, "evidence": ["D1:1; D2: 1"]},
        {"question": "Who?", "category": 5, "evidence": ["D", "D:1:2", "D9:9"], "adversarial_answer": "x"},
        {"question": "Why?", "category": 3},
    ],
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_2_date_time": "9:05 am on 9 June, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Morning"}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "The key is here"},
            {"speaker": "Ben", "dia_id": "D1: 2", "text": "Good"},
        ],
    },
}


@pytest.fixture
def locomo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "locomo.py"
    spec = importlib.util.spec_from_file_location("locomo", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "locomo", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.json"
    path.write_text(json.dumps([SAMPLE]))
    return path


def test_slips_in_evidence_are_read(locomo: ModuleType, data: Path) -> None:
    (conversation,) = locomo.load(data)
    assert [question.evidence for question in conversation.questions] == [{"D1:1", "D2:1"}, {"D1:2"}, frozenset()]
    assert conversation.nameless("Where is Ann's key, BEN?") == "Where is key, ?"


def test_a_conversation_becomes_a_replay(locomo: ModuleType, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert locomo.main([str(data), "conv-1", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["role"], row["name"], row["timestamp"], row["id"]) for row in rows] == [
        ("user", "Ann", "2023-05-08T13:56:00+00:00", "D1:1"),
        ("assistant", "Ben", "2023-05-08T13:56:20+00:00", "D1:2"),
        ("assistant", "Ben", "2023-06-09T09:05:00+00:00", "D2:1"),
    ]


def test_mistakes_are_named(locomo: ModuleType, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert locomo.main([str(data), "conv-9", "out"]) == 1
    assert "conv-1" in capsys.readouterr().err
    assert locomo.main([]) == 2
