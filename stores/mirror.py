"""The Markdown mirror: each space as a tree of files in a private git repository, one git commit a memory commit.

A projection: it can be deleted and rebuilt. A file that somebody changed by hand is left alone until its owner decides,
see `external_edits`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2
from filelock import FileLock, Timeout

from previously.state.by_hand import writable
from previously.state.commit import Committed
from previously.state.errors import NotFound, PreviouslyError
from previously.state.paths import label
from previously.stores import external_edits
from previously.stores.database import Store
from previously.stores.external_edits import ExternalEdit
from previously.stores.packing import join_packs
from previously.stores.projection import render_paths
from previously.stores.repository import Change, Repository

_LOCK_SECONDS = 30.0
_AT_ONCE = 100
"""Memory commits that are mirrored before another process gets at the folder."""
_JOIN_EVERY = 50
"""Memory commits between two joinings of packs."""


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
        return self._root / label(space)

    def sync(self, space: str) -> int:
        """Bring the tree up to date with the database; return how many commits were mirrored. Raises `MirrorError`."""
        if not self.folder(space).exists() and not self._store.commits(space, limit=1):
            return 0
        done = some = self._sync_some(space)
        while some == _AT_ONCE:
            done += (some := self._sync_some(space))
        return done

    def behind(self, space: str) -> int:
        """Return how many commits of the database the tree lacks."""
        if not self.folder(space).exists():
            return len(self._store.commits(space))
        with self._locked(space) as repo:
            return len(self._store.commits(space, after=repo.mirrored))

    def pack(self, space: str) -> None:
        """Pack the repository of a space now."""
        if self.folder(space).exists():
            with self._locked(space) as repo:
                join_packs(repo.git, all_at_once=True)

    def rebuild(self, space: str) -> None:
        """Delete the tree with all external edits in it, and make it anew."""
        self.erase(space)
        self.sync(space)

    def erase(self, space: str) -> None:
        """Remove the tree and the repository of a space."""
        lock = self._lock(space)
        try:
            with lock:
                if self.folder(space).exists():
                    shutil.rmtree(self.folder(space))
            Path(lock.lock_file).unlink(missing_ok=True)
        except OSError as error:
            raise MirrorError(f"{self.folder(space)} can't be removed: {error}") from error

    def edits(self, space: str) -> list[ExternalEdit]:
        """Return the files that differ from what the mirror wrote, after bringing it up to date."""
        self.sync(space)
        if not self.folder(space).exists():
            return []
        with self._locked(space) as repo:
            return external_edits.find(repo, self.folder(space), set(filter(writable, self._store.paths(space))))

    def adopt(self, space: str, path: str) -> str:
        """Return the text of an external edit, to be checked and committed as a new revision.

        Raises `NotFound` for a path that is no file of the mirror, `InvalidInput` for bytes that are not UTF-8.
        """
        with self._found(space, path):
            return external_edits.text_of(self.folder(space), path)

    def discard(self, space: str, path: str) -> str:
        """Undo an external edit; return the text that is given up (`""` for a deleted file)."""
        with self._found(space, path) as repo:
            return external_edits.discard(repo, self.folder(space), path)

    def _sync_some(self, space: str) -> int:
        with self._locked(space) as repo:
            if repo.unfinished:
                self._carry_out(repo, space, repo.changes())
            last = repo.mirrored
            commits = self._store.commits(space, after=max(last - 1, 0), limit=_AT_ONCE + min(last, 1))
            if last and not commits:
                raise MirrorError(f"{self.folder(space)} is of another database. `previously rebuild` makes it anew")
            new = commits[1:] if last else commits
            for commit in new:
                self._mirror(repo, space, commit)
            if new and new[-1].seq // _JOIN_EVERY > last // _JOIN_EVERY:
                join_packs(repo.git)
            return len(new)

    def _mirror(self, repo: Repository, space: str, commit: Committed) -> None:
        """Mirror one commit: it is in the repository, then in the files, then in the branch; so a crash can be told."""
        files = render_paths(self._store, space, commit, lambda path: (repo.content(path) or b"").decode())
        self._carry_out(repo, space, repo.add(commit, files))

    def _carry_out(self, repo: Repository, space: str, changes: list[Change]) -> None:
        """Write what the newest commit changes, except over what is not the mirror's own; then set the branch to it."""
        for change in changes:
            there = external_edits.content(self.folder(space), change.path)
            if there == change.before:
                external_edits.write(self.folder(space), change.path, change.after)
        repo.finish()

    def _lock(self, space: str) -> FileLock:
        folder = self._root / ".locks"
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / label(space), timeout=_LOCK_SECONDS)

    @contextmanager
    def _found(self, space: str, path: str) -> Iterator[Repository]:
        """Hold the space's folder, once it is clear that the path is in it."""
        if not (self.folder(space).exists() and external_edits.inside(path)):
            raise NotFound(f"{path} is not a file of the mirror")
        with self._locked(space) as repo:
            yield repo

    @contextmanager
    def _locked(self, space: str) -> Iterator[Repository]:
        """Hold the space's folder; every fault of the disk or of git comes out as `MirrorError`."""
        try:
            with self._lock(space):
                repo = Repository(self.folder(space))
                try:
                    yield repo
                finally:
                    repo.close()
        except Timeout as error:
            raise MirrorError(f"{self.folder(space)} is held by another process") from error
        except (OSError, pygit2.GitError, KeyError, UnicodeDecodeError) as error:
            raise MirrorError(f"{self.folder(space)}: {error}. `previously rebuild` makes it anew") from error
