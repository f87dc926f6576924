"""The git repository of one space, without an index: trees are built from the paths that changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pygit2
from pygit2.enums import FileMode

from previously.state.commit import Committed
from previously.state.context import clean_text
from previously.stores.packing import Pack

BRANCH = "refs/heads/main"
_NEWEST = "previously-newest"
"""File in `.git` with the id of the newest commit of ours. The branch is set to it once all its files are written."""
_AUTHOR = "previously <memory@localhost>"
_OID = re.compile(r"[0-9a-f]{40}")
_TRAILER = re.compile(r"^Previously-Commit: (\d+)$", re.MULTILINE)

Paths = Mapping[tuple[str, ...], pygit2.Oid]


class Change(NamedTuple):
    """A file of a commit that its parent has not, or otherwise."""

    path: str
    before: bytes | None
    after: bytes


class Repository:
    """The commits that were made from memory, whatever else somebody has done with the repository."""

    def __init__(self, folder: Path) -> None:
        """Open the repository in a folder; it is made, or made complete, while it has no commit."""
        if not (folder / ".git" / _NEWEST).exists():
            _make(folder / ".git")
        self.git = pygit2.Repository(str(folder))
        self._note = Path(self.git.path, _NEWEST)
        self._newest = self._noted()

    def close(self) -> None:
        """Let go of the repository's files."""
        self._newest = None
        self.git.free()

    @property
    def mirrored(self) -> int:
        """The number of the newest memory commit in the repository, 0 when there is none."""
        return int(_TRAILER.findall(self._newest.message)[-1]) if self._newest else 0

    @property
    def unfinished(self) -> bool:
        """Whether the branch is not at the newest commit: a crash was in between, or somebody has moved it."""
        if self._newest is None:
            return False
        return BRANCH not in self.git.references or self.git.references[BRANCH].target != self._newest.id

    def content(self, path: str) -> bytes | None:
        """Return what a file holds in the newest commit, `None` when it is not in it."""
        return _blob(self._newest.tree, path) if self._newest else None

    def walk(self) -> Iterator[tuple[str, bytes]]:
        """Yield path and content of every file of the newest commit."""
        todo: list[tuple[str, pygit2.Tree]] = [("", self._newest.tree)] if self._newest else []
        while todo:
            prefix, tree = todo.pop()
            for item in tree:
                if isinstance(item, pygit2.Tree):
                    todo.append((f"{prefix}{item.name}/", item))
                elif isinstance(item, pygit2.Blob):
                    yield f"{prefix}{item.name}", item.data

    def changes(self) -> list[Change]:
        """Return what the newest commit changed."""
        if self._newest is None:
            return []
        before = self._newest.parents[0].tree if self._newest.parents else None
        tree = self._newest.tree
        diff = before.diff_to_tree(tree) if before else tree.diff_to_tree(swap=True)
        paths = [delta.new_file.path for delta in diff.deltas]
        return [Change(path, _blob(before, path), _blob(tree, path) or b"") for path in paths]

    def add(self, commit: Committed, files: Mapping[str, str]) -> list[Change]:
        """Make the git commit of a memory commit the newest; return its changes. Its author time is the event time."""
        parent, pack = self._newest, Pack()
        before = parent.tree if parent else None
        changes = [Change(path, _blob(before, path), text.encode()) for path, text in files.items()]
        blobs = {tuple(change.path.split("/")): pack.add("blob", change.after) for change in changes}
        tree = _with_blobs(pack, before, blobs)
        by = f"{_AUTHOR} {int(commit.at.timestamp())} +0000"
        head = [f"tree {tree}", *([f"parent {parent.id}"] if parent else []), f"author {by}", f"committer {by}"]
        message = f"{commit.kind}: {_subject(commit)}\n\nPreviously-Commit: {commit.seq}\n"
        oid = pack.add("commit", "\n".join([*head, "", message]).encode())
        pack.write(self.git)
        _write_over(self._note, str(oid).encode())
        self._newest = self._noted()
        return changes

    def finish(self) -> None:
        """Set the branch to the newest commit."""
        if self._newest:
            Path(self.git.path, f"{BRANCH}.lock").unlink(missing_ok=True)  # left there by a process that was killed
            self.git.references.create(BRANCH, self._newest.id, force=True)

    def _noted(self) -> pygit2.Commit | None:
        oid = self._note.read_text() if self._note.exists() else ""
        if not oid:
            return None
        found = self.git.get(oid) if _OID.fullmatch(oid) else None
        if not isinstance(found, pygit2.Commit):
            raise pygit2.GitError(f"{self._note} names no commit")
        return found


def _make(private: Path) -> None:
    """Make an empty repository, also where a process was killed while it made one.

    It is made without a work tree, in which git would leave files that it tries the file system with.
    """
    private.mkdir(parents=True, exist_ok=True)
    for lock in private.glob("*.lock"):
        lock.unlink()
    pygit2.init_repository(str(private), bare=True, initial_head="main").config["core.bare"] = False


def _write_over(file: Path, data: bytes) -> None:
    """Write as many bytes as the file holds already, in one go: there is no moment at which it is empty."""
    target = os.open(file, os.O_WRONLY | os.O_CREAT)
    try:
        os.write(target, data)
    finally:
        os.close(target)


def _blob(tree: pygit2.Tree | None, path: str) -> bytes | None:
    if tree is None or path not in tree:
        return None
    found = tree[path]
    return found.data if isinstance(found, pygit2.Blob) else None


def _subject(commit: Committed) -> str:
    evolution = commit.result.get("evolution") or {}
    told = evolution.get("summary") or commit.result.get("reason") or commit.key
    return " ".join(clean_text(str(told)).split())[:100]


def _with_blobs(pack: Pack, tree: pygit2.Tree | None, blobs: Paths) -> pygit2.Oid:
    """Return a tree with some files put into it."""
    entries = {item.name or "": (item.filemode, item.id) for item in tree or ()}
    below: dict[str, dict[tuple[str, ...], pygit2.Oid]] = {}
    for (name, *rest), oid in blobs.items():
        if rest:
            below.setdefault(name, {})[tuple(rest)] = oid
        else:
            entries[name] = FileMode.BLOB, oid
    for name, inner in below.items():
        child = tree[name] if tree is not None and name in tree else None
        entries[name] = FileMode.TREE, _with_blobs(pack, child if isinstance(child, pygit2.Tree) else None, inner)
    rows = sorted(entries.items(), key=lambda item: item[0] + "/" if item[1][0] == FileMode.TREE else item[0])
    return pack.add("tree", b"".join(f"{mode:o} {name}\0".encode() + oid.raw for name, (mode, oid) in rows))
