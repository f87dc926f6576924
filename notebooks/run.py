"""Run every notebook of this folder and write its outputs back.

usage: python notebooks/run.py [NOTEBOOK ...]
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
_SECONDS = 60
_QUIET = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def notebooks() -> list[Path]:
    """Return the notebooks of this folder, in their order."""
    return sorted(HERE.glob("*.ipynb"))


def execute(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of a fresh run in `folder`; a cell that fails raises `CellExecutionError`.

    Client and kernel talk over sockets of the file system, so that nothing listens on the network. What differs from
    run to run without a reason, such as times, is left out.
    """
    notebook = nbformat.read(path, as_version=4)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PREVIOUSLY_")}
    places = {"IPYTHONDIR": str(folder / "ipython"), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    client = NotebookClient(
        notebook,
        timeout=_SECONDS,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    manager = client.create_kernel_manager()
    manager.transport = "ipc"
    manager.connection_file = str(folder / "kernel.json")
    executed: nbformat.NotebookNode = client.execute(env={**ours, **_QUIET, **places})
    executed.metadata["language_info"] = {"name": "python"}
    return executed


def main(names: list[str]) -> int:
    """Run the notebooks that are named, or all."""
    for path in [Path(name) for name in names] or notebooks():
        with tempfile.TemporaryDirectory(prefix="nb") as folder:
            nbformat.write(execute(path, Path(folder)), path)
        print(f"{path.name}: done")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
