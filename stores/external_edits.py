"""Files of the mirror that somebody changed by hand: shown, given back, or undone; never adopted silently."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from stat import S_ISDIR, S_ISREG
from typing import Literal

from previously.state.errors import InvalidInput, NotFound
from previously.stores.repository import Repository

Kind = Literal["changed", "deleted", "added"]
_PRIVATE = ".git"


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


def find(repo: Repository, folder: Path, documents: set[str]) -> list[ExternalEdit]:
    """Return every difference between what the mirror wrote last and the files."""
    ours = dict(repo.walk())
    found = []
    for path in sorted({*ours, *_paths(folder)}):
        there = content(folder, path)
        if there != ours.get(path):
            reason = _reason(folder, path, there, is_document=path in documents)
            found.append(_edit(path, ours.get(path), there, reason))
    return found


def discard(repo: Repository, folder: Path, path: str) -> str:
    """Make a file what the mirror wrote last; return the text that stood there."""
    ours, there = repo.content(path), content(folder, path)
    if ours is None and there is None:
        raise NotFound(f"{path} is not a file of the mirror")
    file = folder / path
    if not file.is_symlink() and (obstacle := _obstacle(folder, path)):
        raise InvalidInput("path", f"{obstacle}: move it away first")
    if ours is None or file.is_symlink():
        file.unlink()
    if ours is not None:
        write(folder, path, ours)
    return (there or b"").decode(errors="replace")


def text_of(folder: Path, path: str) -> str:
    """Return the text of a file. Raises `InvalidInput` when it has none, `NotFound` when it is not there."""
    there, obstacle = content(folder, path), _obstacle(folder, path)
    if there is None:
        raise NotFound(f"{path} is not a file of the mirror")
    try:
        text = there.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("path", f"{path} is not UTF-8 text ({error}): save it as UTF-8") from None
    if obstacle:
        raise InvalidInput("path", obstacle)
    return text


def inside(path: str) -> bool:
    """Whether a path can be one of a file in the tree."""
    parts = PurePosixPath(path).parts
    return bool(parts) and ".." not in parts and not PurePosixPath(path).is_absolute() and parts[0] != _PRIVATE


def content(folder: Path, path: str) -> bytes | None:
    """Return what stands at a path, `None` for nothing, a remark for what is no plain file in plain folders."""
    if obstacle := _obstacle(folder, path):
        return f"({obstacle})".encode(errors="replace")
    try:
        return (folder / path).read_bytes()
    except FileNotFoundError:
        return None


def write(folder: Path, path: str, data: bytes) -> None:
    """Put a file in its place at once, whole or not at all."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = folder / _PRIVATE / "draft"
    draft.write_bytes(data)
    draft.replace(file)


def _obstacle(folder: Path, path: str) -> str:
    """Return what keeps a path from being a file of the mirror; nothing is written or read through a link."""
    *parents, _ = parts = PurePosixPath(path).parts
    for depth in range(1, len(parts) + 1):
        try:
            mode = os.lstat(folder.joinpath(*parts[:depth])).st_mode
        except FileNotFoundError:
            return ""
        if depth <= len(parents) and not S_ISDIR(mode):
            return f"{'/'.join(parts[:depth])} is no folder"
    return "" if S_ISREG(mode) else f"{path} is no plain file"


def _paths(folder: Path, below: str = "") -> Iterator[str]:
    for entry in os.scandir(folder / below):
        path = below + entry.name
        if entry.is_dir(follow_symlinks=False) and path != _PRIVATE:
            yield from _paths(folder, f"{path}/")
        elif path != _PRIVATE:
            yield path


def _reason(folder: Path, path: str, there: bytes | None, *, is_document: bool) -> str:
    """Return why an edit can't be adopted."""
    if there is None:
        return "a document is not removed by deleting its file: discard the edit, or erase the space"
    if not is_document:
        return "this file is made from what was said and can't be written by hand: discard the edit"
    obstacle = _obstacle(folder, path)
    return obstacle and f"{obstacle}: move it away, or discard the edit"


def _edit(path: str, ours: bytes | None, theirs: bytes | None, reason: str) -> ExternalEdit:
    kind: Kind = "added" if ours is None else "deleted" if theirs is None else "changed"
    old, new = ((text or b"").decode(errors="replace").split("\n") for text in (ours, theirs))
    diff = "\n".join(difflib.unified_diff(old, new, "memory", "file", lineterm=""))
    return ExternalEdit(path=path, kind=kind, diff=diff, adoptable=not reason, reason=reason)
