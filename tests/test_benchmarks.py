"""Benchmarks run, and end with one line of JSON that can be compared with the next run's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from previously.transcripts import load_transcripts

ROOT = Path(__file__).parent.parent


def _run(*arguments: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PREVIOUSLY_")}
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=clean,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_a_turn_costs() -> None:
    figures = json.loads(_run("benchmarks.turn", "--quick", "--turns", "20", "40").splitlines()[-1])
    assert figures.keys() >= {
        *(f"{name}_p{q}_ms" for name in ("record", "baseline") for q in (50, 95)),
        *(f"housekeeping_p{q}_ms_{turns}" for turns in (20, 40) for q in (50, 95)),
        "bytes_per_turn",
        "mirror_bytes_per_turn",
        "calls_per_turn",
        "prompt_tokens_per_turn",
        "prefix_share",
    }
    assert figures["index_bytes_per_turn"] == 0, "no vectors when it has to be quick"
    assert all(value > 0 for name, value in figures.items() if name not in {"load_average", "index_bytes_per_turn"})
    assert figures["calls_per_turn"] == 1
    assert figures["prefix_share"] <= 1


def test_a_locomo_conversation_becomes_a_replay(tmp_path: Path) -> None:
    talk = {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Hey Bob!"},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Hi Ann."},
        ],
    }
    question = {"question": "Who?", "category": 4, "evidence": ["D1: 2; D:1:1", "D9:9"]}
    data, out = tmp_path / "locomo.json", tmp_path / "out.jsonl"
    data.write_text(json.dumps([{"sample_id": "conv-1", "conversation": talk, "qa": [question]}]))
    assert "2 messages" in _run("benchmarks.locomo", str(data), "conv-1", str(out))
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[1] == {
        "role": "assistant",
        "name": "Bob",
        "content": "Hi Ann.",
        "timestamp": "2023-05-08T13:56:20+00:00",
        "id": "D1:2",
    }
    [transcript] = load_transcripts(out)
    assert [message.id for message in transcript.messages] == ["D1:1", "D1:2"]
