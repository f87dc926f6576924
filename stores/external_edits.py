"""Files of the mirror that somebody changed by hand: shown, given back, or undone; never adopted silently."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pygit2

from previously.state.errors import NotFound
from previously.stores import repository
from previously.stores.repository import BRANCH

Kind = Literal["changed", "deleted", "added"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExternalEdit:
    """A file that differs from what the mirror wrote."""

    path: str
    kind: Kind
    diff: str
    """Unified, from the mirror's text to the file's."""
    adoptable: bool
    """Whether the file is a document, which a person may write; the others are made from what was said."""
    reason: str
    """Why it can't be adopted, `""` when it can."""


def find_edits(repo: pygit2.Repository, folder: Path, documents: set[str]) -> list[ExternalEdit]:
    """Return every difference between the branch and the files."""
    ours = dict(repository.walk(repo))
    theirs = {str(file.relative_to(folder)): file for file in _files(folder)}
    found = []
    for path in sorted({*ours, *theirs}):
        there = theirs[path].read_bytes() if path in theirs else None
        if there != ours.get(path):
            found.append(_edit(path, ours.get(path), there, is_document=path in documents))
    return found


def discard_edit(repo: pygit2.Repository, folder: Path, path: str) -> str:
    """Make a file what the branch says; return the text that stood there."""
    file = folder / path
    if not file.resolve().is_relative_to(folder.resolve()) or ".git" in file.relative_to(folder).parts:
        raise NotFound(f"{path} is not a file of the mirror")
    ours = repository.content(repo, BRANCH, path)
    if ours is None and not file.is_file():
        raise NotFound(f"{path} is not a file of the mirror")
    given_up = file.read_bytes().decode(errors="replace") if file.is_file() else ""
    if ours is None:
        file.unlink()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(ours)
    return given_up


def _files(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name == ".git":
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)
        else:
            yield entry


def _edit(path: str, ours: bytes | None, theirs: bytes | None, *, is_document: bool) -> ExternalEdit:
    kind: Kind = "added" if ours is None else "deleted" if theirs is None else "changed"
    old, new = ((text or b"").decode(errors="replace").splitlines() for text in (ours, theirs))
    diff = "\n".join(difflib.unified_diff(old, new, "memory", "file", lineterm=""))
    reason = ""
    if kind == "deleted":
        reason = "a document is not removed by deleting its file: discard the edit, or erase the space"
    elif not is_document:
        reason = "this file is made from what was said and can't be written by hand: discard the edit"
    return ExternalEdit(path=path, kind=kind, diff=diff, adoptable=not reason, reason=reason)
