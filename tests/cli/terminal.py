"""Typing a command, and reading what it prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner, Result

from previously.cli.app import app

EXAMPLES = Path(__file__).parents[2] / "examples"
CARD_FILE = "memory/episodic/current-previously.md"
Run = Callable[..., Result]


def invoke(*args: str | Path, typed: str | None = None, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args], input=typed, env={"COLUMNS": "160", **(env or {})})


def told(result: Result, code: int = 0) -> str:
    """Return what a command printed, after a look at its exit code."""
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result.stderr if code else result.stdout


def mirror(home: Path) -> Path:
    (folder,) = [folder for folder in (home / "mirror").iterdir() if folder.name.startswith("alex-")]
    return folder


def grep(folder: Path, canary: str) -> list[str]:
    found = [file for file in folder.rglob("*") if file.is_file() and canary.encode() in file.read_bytes()]
    return [str(file.relative_to(folder)) for file in found]
