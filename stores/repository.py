"""The git repository of one space, without an index: trees are built from the paths that changed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, ObjectType

from previously.state.commit import Committed

BRANCH = "refs/heads/main"
PENDING = "refs/previously/pending"
"""A commit whose files are being written; it is the branch once they all are."""
_AUTHOR = ("previously", "memory@localhost")
_TRAILER = re.compile(r"^Previously-Commit: (\d+)$", re.MULTILINE)


def opened(folder: Path) -> pygit2.Repository:
    """Return the repository in a folder, made when it is missing."""
    if (folder / ".git").is_dir():
        return pygit2.Repository(str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    return pygit2.init_repository(str(folder), initial_head="main")


def mirrored(repo: pygit2.Repository) -> int:
    """Return the number of the newest memory commit in the branch, 0 when there is none."""
    found = _TRAILER.findall(_commit(repo, BRANCH).message) if BRANCH in repo.references else []
    return int(found[-1]) if found else 0


def prepare(repo: pygit2.Repository, commit: Committed, files: Mapping[str, str]) -> pygit2.Oid:
    """Make the git commit of a memory commit and note it as pending. Its author time is the event time."""
    parents = [repo.references[BRANCH].target] if BRANCH in repo.references else []
    blobs = {tuple(path.split("/")): repo.create_blob(text.encode()) for path, text in files.items()}
    before = _commit(repo, BRANCH).tree if parents else None
    tree = _with_blobs(repo, before, blobs)
    author = pygit2.Signature(*_AUTHOR, int(commit.at.timestamp()), 0)
    message = f"{commit.kind}: {_subject(commit)}\n\nPreviously-Commit: {commit.seq}\n"
    oid = repo.create_commit(None, author, author, message, tree, parents)
    repo.references.create(PENDING, oid, force=True)
    return oid


def interrupted(repo: pygit2.Repository) -> tuple[pygit2.Oid, dict[str, str]] | None:
    """Return a prepared commit that a crash kept from its end, with the files that it changes."""
    if PENDING not in repo.references:
        return None
    pending = _commit(repo, PENDING)
    before = _commit(repo, BRANCH).tree if BRANCH in repo.references else None
    changes = pending.tree.diff_to_tree(before, swap=True) if before else pending.tree.diff_to_tree(swap=True)
    paths = [delta.new_file.path for delta in changes.deltas]
    return pending.id, {path: (content(repo, PENDING, path) or b"").decode() for path in paths}


def finish(repo: pygit2.Repository, oid: pygit2.Oid) -> None:
    """Make a prepared commit the newest of the branch."""
    repo.references.create(BRANCH, oid, force=True)
    repo.references.delete(PENDING)


def content(repo: pygit2.Repository, reference: str, path: str) -> bytes | None:
    """Return what a file holds in a commit, `None` when it is not in it."""
    if reference not in repo.references:
        return None
    try:
        found = _commit(repo, reference).tree[path]
    except KeyError:
        return None
    return found.data if isinstance(found, pygit2.Blob) else None


def texts(repo: pygit2.Repository) -> Callable[[str], str]:
    """Return a function from path to the newest text in the branch, `""` when it has none."""
    return lambda path: (content(repo, BRANCH, path) or b"").decode()


def walk(repo: pygit2.Repository) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of every file of the branch."""
    todo: list[tuple[str, pygit2.Tree]] = [("", _commit(repo, BRANCH).tree)] if BRANCH in repo.references else []
    while todo:
        prefix, tree = todo.pop()
        for item in tree:
            if isinstance(item, pygit2.Tree):
                todo.append((f"{prefix}{item.name}/", item))
            elif isinstance(item, pygit2.Blob):
                yield f"{prefix}{item.name}", item.data


def pack_loose(repo: pygit2.Repository) -> None:
    """Put all loose objects into one pack, and remove them."""
    objects = Path(repo.path) / "objects"
    loose = [folder for folder in objects.iterdir() if len(folder.name) == 2 and folder.is_dir()]  # noqa: PLR2004
    names = [pygit2.Oid(hex=folder.name + file.name) for folder in loose for file in folder.iterdir()]
    if not names:
        return

    def add_all(builder: pygit2.PackBuilder) -> None:
        for name in names:
            builder.add(name)

    repo.pack(pack_delegate=add_all)
    for folder in loose:
        shutil.rmtree(folder)


def _commit(repo: pygit2.Repository, reference: str) -> pygit2.Commit:
    found = repo.references[reference].peel(ObjectType.COMMIT)
    assert isinstance(found, pygit2.Commit)  # noqa: S101 - what peel was asked for
    return found


def _subject(commit: Committed) -> str:
    evolution = commit.result.get("evolution") or {}
    told = evolution.get("summary") or commit.result.get("reason") or commit.key
    return " ".join(str(told).split())[:100]


def _with_blobs(
    repo: pygit2.Repository, tree: pygit2.Tree | None, blobs: Mapping[tuple[str, ...], pygit2.Oid]
) -> pygit2.Oid:
    """Return a tree with some files put into it."""
    builder = repo.TreeBuilder(tree) if tree is not None else repo.TreeBuilder()
    below: dict[str, dict[tuple[str, ...], pygit2.Oid]] = {}
    for (name, *rest), oid in blobs.items():
        if rest:
            below.setdefault(name, {})[tuple(rest)] = oid
        else:
            builder.insert(name, oid, FileMode.BLOB)
    for name, inner in below.items():
        child = tree[name] if tree is not None and name in tree else None
        builder.insert(name, _with_blobs(repo, child if isinstance(child, pygit2.Tree) else None, inner), FileMode.TREE)
    return builder.write()
