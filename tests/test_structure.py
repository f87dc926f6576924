"""The architecture as a test: which room may import which, and what no room may hold."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = {
    "state": set[str](),
    "prompts": {"state"},
    "stores": {"state"},
    "nodes": {"state", "prompts", "stores"},
    "graphs": {"state", "nodes"},
    "offline": {"state", "prompts"},
}
CODE = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if path.relative_to(ROOT).parts[0] not in {".venv", "build", "dist"} and not path.is_symlink()
]
PACKAGE = [path for path in CODE if path.relative_to(ROOT).parts[0] not in {"tests", "benchmarks", "notebooks", "docs"}]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _imports(path: Path) -> Iterator[str]:
    """Yield each module of ours that a file imports, as its path below the package."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{_name(path)}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("previously.") for name in names if name.startswith("previously."))


@pytest.mark.parametrize("path", [path for path in PACKAGE if path.relative_to(ROOT).parts[0] in ROOMS], ids=_name)
def test_rooms_import_in_one_direction(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    allowed = ROOMS[room] | {room}
    wrong = [name for name in _imports(path) if name.split(".")[0] not in allowed]
    assert not wrong, f"{room}/ may import {sorted(allowed)} only"


@pytest.mark.parametrize("path", CODE, ids=_name)
def test_files_stay_small_and_are_named_by_what_they_hold(path: Path) -> None:
    assert path.stem not in {"utils", "util", "helpers", "helper", "common", "base", "misc"}
    assert len(path.read_text().splitlines()) <= 400


def test_the_packages_of_the_wheel_are_the_packages_of_the_tree() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {path.parent for path in PACKAGE if path.name == "__init__.py"}
    names = {".".join(["previously", *folder.relative_to(ROOT).parts]) for folder in found}
    assert set(listed) == names


def test_the_rooms_of_the_design_stand_at_the_top() -> None:
    for room in ("graphs", "nodes", "state", "stores", "prompts", "tests", "notebooks"):
        assert (ROOT / room).is_dir()
