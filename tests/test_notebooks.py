"""Every notebook runs from top to bottom, and is kept with its outputs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

ROOM = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(ROOM.glob("*.ipynb"))


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    """notebooks/run.py, which stands outside the package."""
    spec = importlib.util.spec_from_file_location("notebooks_run", ROOM / "run.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _code(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _kinds(cell: nbformat.NotebookNode) -> list[str]:
    """What a cell put out; its own text may differ between versions of what it shows."""
    return [output.output_type for output in cell.outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_is_kept_with_what_it_shows(path: Path, runner: ModuleType, tmp_path: Path) -> None:
    kept = _code(nbformat.read(path, as_version=4))
    ran = _code(runner.execute(path, tmp_path))
    assert [cell.execution_count for cell in ran] == list(range(1, len(ran) + 1))
    assert not [kind for cell in ran for kind in _kinds(cell) if kind == "error"]
    assert [_kinds(cell) for cell in kept] == [_kinds(cell) for cell in ran], "run `make notebooks`"


def test_there_is_a_notebook_of_a_turn_and_one_of_evolution(runner: ModuleType) -> None:
    assert [path.name for path in runner.notebooks()] == [path.name for path in NOTEBOOKS]
    assert {"01_a_turn_step_by_step", "02_evolution"} <= {path.stem for path in NOTEBOOKS}
