"""The Markdown mirror: each space as a tree of files in a private git repository, one git commit a memory commit.

A projection: it can be deleted and rebuilt. A file that somebody changed by hand is left alone until its owner decides,
see `external_edits`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pygit2
from filelock import FileLock

from previously.state.commit import Committed
from previously.state.errors import PreviouslyError
from previously.stores import repository
from previously.stores.database import Store
from previously.stores.external_edits import ExternalEdit, discard_edit, find_edits
from previously.stores.names import space_label
from previously.stores.projection import render_paths
from previously.stores.repository import BRANCH, PENDING

_LOCK_SECONDS = 30.0
_PACK_EVERY = 200
"""Memory commits between two packings of the repository's loose objects."""


class MirrorError(PreviouslyError):
    """The mirror's folder can't be read or written; the database is not concerned."""


class Mirror:
    """The trees of all spaces under one folder. Several processes may share it."""

    def __init__(self, root: Path, store: Store) -> None:
        """`root` is made when it is first needed."""
        self._root = root
        self._store = store

    def folder(self, space: str) -> Path:
        """Return the folder of a space: its files and its repository."""
        return self._root / space_label(space)

    def sync(self, space: str) -> int:
        """Bring the tree up to date with the database; return how many commits were mirrored. Raises `MirrorError`."""
        with self._locked(space) as repo:
            if begun := repository.interrupted(repo):
                self._carry_out(repo, space, *begun)
            last = repository.mirrored(repo)
            commits = self._store.commits(space, after=last)
            for commit in commits:
                self._mirror(repo, space, commit)
            if commits and commits[-1].seq // _PACK_EVERY > last // _PACK_EVERY:
                repository.pack_loose(repo)
            return len(commits)

    def behind(self, space: str) -> int:
        """Return how many commits of the database the tree lacks."""
        with self._locked(space) as repo:
            return len(self._store.commits(space, after=repository.mirrored(repo)))

    def pack(self, space: str) -> None:
        """Pack the repository of a space now."""
        with self._locked(space) as repo:
            repository.pack_loose(repo)

    def rebuild(self, space: str) -> None:
        """Delete the tree with all external edits in it, and make it anew."""
        self.erase(space)
        self.sync(space)

    def erase(self, space: str) -> None:
        """Remove the tree and the repository of a space."""
        lock = self._lock(space)
        try:
            with lock:
                shutil.rmtree(self.folder(space), ignore_errors=False) if self.folder(space).exists() else None
            Path(lock.lock_file).unlink(missing_ok=True)
        except OSError as error:
            raise MirrorError(f"{self.folder(space)} can't be removed: {error}") from error

    def edits(self, space: str) -> list[ExternalEdit]:
        """Return the files that differ from what the mirror wrote, after bringing it up to date."""
        self.sync(space)
        with self._locked(space) as repo:
            return find_edits(repo, self.folder(space), set(self._store.paths(space)))

    def adopt(self, space: str, path: str) -> str:
        """Return the text of an external edit, to be checked and committed as a new revision."""
        with self._locked(space):
            return (self.folder(space) / path).read_bytes().decode()

    def discard(self, space: str, path: str) -> str:
        """Undo an external edit; return the text that is given up (`""` for a deleted file)."""
        with self._locked(space) as repo:
            return discard_edit(repo, self.folder(space), path)

    def _mirror(self, repo: pygit2.Repository, space: str, commit: Committed) -> None:
        """Mirror one commit: prepared in the repository, then the files, then the branch; so a crash can be told."""
        files = render_paths(self._store, space, commit, repository.texts(repo))
        self._carry_out(repo, space, repository.prepare(repo, commit, files), files)

    def _carry_out(self, repo: pygit2.Repository, space: str, oid: pygit2.Oid, files: Mapping[str, str]) -> None:
        """Write the files of a prepared commit, then make it the newest of the branch."""
        for path, text in files.items():
            self._write(repo, space, path, text)
        repository.finish(repo, oid)

    def _write(self, repo: pygit2.Repository, space: str, path: str, text: str) -> None:
        """Write a file unless somebody else has changed it: what stands there must be one of ours."""
        file = self.folder(space) / path
        there = file.read_bytes() if file.is_file() else None
        ours = [repository.content(repo, name, path) for name in (BRANCH, PENDING)]
        if there == text.encode() or (there not in ours and there is not None) or (there is None and ours[0]):
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        draft.write_bytes(text.encode())
        draft.replace(file)

    def _lock(self, space: str) -> FileLock:
        folder = self._root / ".locks"
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / space_label(space), timeout=_LOCK_SECONDS)

    @contextmanager
    def _locked(self, space: str) -> Iterator[pygit2.Repository]:
        """Hold the space's folder; every fault of the disk or of git comes out as `MirrorError`."""
        try:
            with self._lock(space):
                repo = repository.opened(self.folder(space))
                try:
                    yield repo
                finally:
                    repo.free()
        except (OSError, pygit2.GitError, KeyError, UnicodeDecodeError) as error:
            raise MirrorError(f"{self.folder(space)}: {error}. `previously rebuild` makes it anew") from error
