"""Git's objects in packs: those of one commit in a small pack of their own, written at once; later many in one.

A file for each object, as git writes them first, would be a dozen files a commit: made slowly, and deleted soon after.
"""

from __future__ import annotations

import hashlib
import shutil
import struct
import zlib
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Literal

import pygit2

Kind = Literal["commit", "tree", "blob"]
_KINDS: dict[Kind, int] = {"commit": 1, "tree": 2, "blob": 3}
_SMALL, _MIDDLE = 64_000, 1_000_000
"""Bytes of packs that are still joined with others: those of one commit at once, those of many when there are some."""
_SOME = 8
_SPEED = 1
_IDS_AT = 8 + 4 * 256
"""Where the ids begin in an index of version 2: behind its mark and its table of counts."""


class Pack:
    """The new objects of one commit."""

    def __init__(self) -> None:
        """Begin without objects."""
        self._objects: dict[bytes, tuple[Kind, bytes]] = {}

    def add(self, kind: Kind, data: bytes) -> pygit2.Oid:
        """Take an object in; return its id."""
        name = hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).digest()
        self._objects[name] = kind, data
        return pygit2.Oid(raw=name)

    def write(self, git: pygit2.Repository) -> None:
        """Put the objects into the repository: first the pack, then the index that makes it count."""
        names = sorted(self._objects)
        parts = [_packed(*self._objects[name]) for name in names]
        body = b"".join([b"PACK", struct.pack(">II", 2, len(parts)), *parts])
        check = _sha1(body)
        folder = _folder(git)
        folder.mkdir(parents=True, exist_ok=True)
        for suffix, data in ((".pack", body + check), (".idx", _index(names, parts, check))):
            draft = folder / f"draft{suffix}"
            draft.write_bytes(data)
            draft.replace(folder / f"pack-{check.hex()}{suffix}")


def _packed(kind: Kind, data: bytes) -> bytes:
    """Return an object as it stands in a pack: kind and size in groups of 7 bits (4 in the first), then the data."""
    size, head = len(data) >> 4, bytearray([_KINDS[kind] << 4 | len(data) & 15])
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head) + zlib.compress(data, _SPEED)


def _index(names: list[bytes], parts: list[bytes], check: bytes) -> bytes:
    """Return the index of a pack whose objects stand in the order of their ids."""
    counts = [0] * 256
    for name in names:
        counts[name[0]] += 1
    offsets = list(accumulate(map(len, parts), initial=12))[:-1]
    table = b"\xfftOc" + struct.pack(">I256I", 2, *accumulate(counts))
    sums = struct.pack(f">{len(parts)}I", *map(zlib.crc32, parts))
    index = table + b"".join(names) + sums + struct.pack(f">{len(parts)}I", *offsets) + check
    return index + _sha1(index)


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()


def join_packs(git: pygit2.Repository, *, all_at_once: bool = False) -> None:
    """Put small packs into one, with differences instead of whole texts; those of middle size when there are some."""
    _join(git, [] if all_at_once else _below(git, _SMALL))
    middle = _below(git, _MIDDLE)
    _join(git, middle if all_at_once or len(middle) >= _SOME else [])


def _below(git: pygit2.Repository, size: int) -> list[Path]:
    """Return the indexes of the packs that are smaller than that."""
    return [file for file in _folder(git).glob("*.idx") if file.with_suffix(".pack").stat().st_size < size]


def _join(git: pygit2.Repository, indexes: list[Path]) -> None:
    if len(indexes) < 2:  # noqa: PLR2004 - one is joined already
        return
    builder = pygit2.PackBuilder(git)
    for name in dict.fromkeys(_ids(indexes)):
        builder.add(pygit2.Oid(hex=name))
    drafts = Path(git.path, "joining")
    shutil.rmtree(drafts, ignore_errors=True)
    drafts.mkdir()
    builder.write(drafts)
    made = sorted(drafts.iterdir(), key=lambda file: file.suffix, reverse=True)
    for file in made:
        file.replace(_folder(git) / file.name)
    drafts.rmdir()
    for index in indexes:
        if index.name not in {file.name for file in made}:
            index.unlink()
            index.with_suffix(".pack").unlink()


def _ids(indexes: list[Path]) -> Iterator[str]:
    """Yield the ids in some indexes."""
    for index in indexes:
        data = index.read_bytes()
        (count,) = struct.unpack_from(">I", data, _IDS_AT - 4)
        yield from (data[at : at + 20].hex() for at in range(_IDS_AT, _IDS_AT + 20 * count, 20))


def _folder(git: pygit2.Repository) -> Path:
    return Path(git.path, "objects", "pack")
