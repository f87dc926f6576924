"""Options of the program and of its commands, and what is wrong with them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .terminal import EXAMPLES, Run, invoke, told

COMMANDS = (
    "demo",
    "chat",
    "replay",
    "card",
    "timeline",
    "slice",
    "review",
    "backlog",
    "work",
    "rebuild",
    "erase",
    "doctor",
)


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; import previously.cli.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"langgraph", "langchain_core", "sqlalchemy", "chromadb", "pygit2", "openai", "pydantic"} & set(loaded)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    assert "Usage:" in told(invoke(command, "--help"))


def test_the_version_is_the_package_s() -> None:
    assert re.fullmatch(r"previously \d+\.\d+\.\d+\n", told(invoke("--version")))


@pytest.mark.parametrize(
    "command", [["card"], ["timeline"], ["slice", "x"], ["review"], ["rebuild"], ["erase"], ["chat"]]
)
def test_a_space_is_required(command: list[str], look: Run) -> None:
    assert "--space" in told(look(*command), code=2)


def test_the_space_may_come_from_the_environment(look: Run) -> None:
    assert "Name: Alex" in told(look("card", env={"PREVIOUSLY_SPACE": "alex"}))


def test_the_program_s_options_may_stand_anywhere(kept: Path) -> None:
    expected = told(invoke("--home", kept, "card", "-s", "alex"))
    assert told(invoke("card", "--home", kept, "-s", "alex")) == expected
    assert told(invoke("card", "-s", "alex", f"--home={kept}")) == expected
    assert "needs a value" in told(invoke("card", "-s", "alex", "--home"), code=2)


def test_looking_at_a_memory_that_is_not_there_makes_none(tmp_path: Path) -> None:
    assert "there is no memory at" in told(invoke("--home", tmp_path / "none", "card", "-s", "alex"), code=1)
    assert not (tmp_path / "none").exists()


def test_a_space_that_nobody_has_is_an_error(look: Run) -> None:
    assert "no space 'alxe'" in told(look("card", "-s", "alxe"), code=1)


def test_looking_needs_no_model(look: Run) -> None:
    assert "Name: Alex" in told(look("card", "-s", "alex", env={"PREVIOUSLY_MODEL": "openai:gpt-5-mini"}))


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        (["--timezone", "Mars/X"], "not an IANA time zone"),
        (["--language", "fr"], "'fr' is not supported"),
        (["--model", "gpt"], "names no provider"),
        (["--model", "openai:gpt-5-mini"], "can't be opened"),
        (["--database", "nosuch://x"], "is not supported"),
    ],
)
def test_a_setting_that_can_t_be_is_said_before_anything_is_stored(
    option: list[str], complaint: str, tmp_path: Path
) -> None:
    result = invoke("--home", tmp_path, "replay", EXAMPLES / "alex.jsonl", "-s", "alex", *option)
    assert complaint in told(result, code=1)
    told(invoke("--home", tmp_path, "card", "-s", "alex"), code=1)


def test_a_file_that_is_no_database_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_text("not a database, whatever its name says")
    assert "can't be opened" in told(invoke("--home", tmp_path, "doctor"), code=1)
