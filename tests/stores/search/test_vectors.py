"""What becomes of a search when the kept vectors are gone, damaged, old, or somebody else's."""

from __future__ import annotations

import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from previously.state.paths import label
from previously.stores.database import Store
from previously.stores.search.index import SearchError, SearchIndex

from .talk import SMALL_TALK, START, Say, Senses, ids, speaking

QUESTION = "Where is my sister Anna?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def kept(store: Store, say: Say, folder: Path) -> Iterator[Path]:
    """The folder of a space whose vectors are on disk."""
    say("a", *SMALL_TALK)
    index = SearchIndex(store, embeddings=Senses(), chroma=folder)
    index.settle("a")
    index.close()
    return folder / label("a")


def _database(kept: Path) -> Path:
    return next(kept.glob("*/chroma.sqlite3"))


def check(store: Store, folder: Path, *, made: int, model: Senses | None = None, size: int = len(SMALL_TALK)) -> None:
    """Open the index, ask, and see that exactly `made` turns had to be embedded, and none at the next opening."""
    for expected in (made, 0):
        model = model or Senses()
        model.documents = 0
        index = SearchIndex(store, embeddings=model, chroma=folder)
        index.settle("a")
        best = index.search("a", QUESTION, k=100, floor=0)
        assert ids(best)[0] == "t1"
        assert "meaning" in best.hits[0].why
        assert len(best.hits) == size
        index.close()
        assert model.documents - _background(model) == expected


def _background(model: Senses) -> int:
    from previously.stores.search.embedder import _PLAIN

    return len(_PLAIN)


def test_vectors_outlive_the_process(store: Store, folder: Path, kept: Path) -> None:
    check(store, folder, made=0)


def _gone(kept: Path) -> None:
    shutil.rmtree(kept)


def _without_its_database(kept: Path) -> None:
    _database(kept).unlink()


def _garbage(kept: Path) -> None:
    _database(kept).write_bytes(b"garbage" * 1000)


def _cut_short(kept: Path) -> None:
    path = _database(kept)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _a_folder_instead(kept: Path) -> None:
    path = _database(kept)
    path.unlink()
    path.mkdir()


def _a_file_instead(kept: Path) -> None:
    shutil.rmtree(kept)
    kept.write_text("no folder")


@pytest.mark.parametrize(
    "damage", [_gone, _without_its_database, _garbage, _cut_short, _a_folder_instead, _a_file_instead]
)
def test_a_damaged_folder_is_made_anew(store: Store, folder: Path, kept: Path, damage: Callable[[Path], None]) -> None:
    damage(kept)
    check(store, folder, made=len(SMALL_TALK))


def test_turns_that_came_since_are_embedded(store: Store, folder: Path, kept: Path, say: Say) -> None:
    say("a", "one more about umbrellas", "and one about ferries", at=START + timedelta(days=2))
    check(store, folder, made=2, size=10)


def test_another_model_makes_everything_anew(store: Store, folder: Path, kept: Path) -> None:
    check(store, folder, made=len(SMALL_TALK), model=Senses("another"))


def test_a_model_of_other_dimensions_makes_everything_anew(store: Store, folder: Path, kept: Path) -> None:
    class Short(Senses):
        def _vector(self, text: str) -> list[float]:
            return super()._vector(text)[:16]

    check(store, folder, made=len(SMALL_TALK), model=Short())


def test_vectors_of_an_older_database_are_not_used(store: Store, folder: Path, kept: Path, say: Say) -> None:
    store.erase("a")
    say("a", "Completely different", SMALL_TALK[1], "and shorter")
    check(store, folder, made=2, size=3)


def test_erasing_leaves_nothing_on_disk(store: Store, folder: Path, kept: Path) -> None:
    index = SearchIndex(store, embeddings=Senses(), chroma=folder)
    index.search("a", QUESTION)
    index.erase("a")
    assert not kept.exists()
    index.erase("a")
    index.erase("never seen")
    index.close()


def test_an_erased_space_that_was_never_opened_leaves_nothing(store: Store, folder: Path, kept: Path) -> None:
    index = SearchIndex(store, embeddings=Senses(), chroma=folder)
    index.erase("a")
    assert not kept.exists()
    index.close()


def test_rebuilding_makes_every_vector(store: Store, folder: Path, kept: Path) -> None:
    model = Senses()
    index = SearchIndex(store, embeddings=model, chroma=folder)
    index.rebuild("a")
    assert model.documents == len(SMALL_TALK) + _background(model)
    assert ids(index.search("a", QUESTION))[0] == "t1"
    index.close()


def test_a_server_that_is_away_costs_only_the_keeping(store: Store, say: Say, caplog: pytest.LogCaptureFixture) -> None:
    say("a", *SMALL_TALK)
    index = SearchIndex(store, embeddings=Senses(), chroma="http://127.0.0.1:9")
    index.settle("a")
    assert "meaning" in index.search("a", QUESTION).hits[0].why
    assert "vectors are made anew" in caplog.text
    with pytest.raises(SearchError):
        index.erase("a")
    index.close()


def test_a_folder_that_cant_be_written_costs_only_the_keeping(store: Store, say: Say, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    say("a", *SMALL_TALK)
    index = SearchIndex(store, embeddings=Senses(), chroma=tmp_path / "file")
    index.settle("a")
    assert ids(index.search("a", QUESTION))[0] == "t1"
    index.close()


def test_two_indexes_on_one_folder_answer_alike(store: Store, folder: Path, kept: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as other:
        one = SearchIndex(store, embeddings=Senses(), chroma=folder)
        two = SearchIndex(other, embeddings=Senses(), chroma=folder)
        for number, (store_, index, reader) in enumerate([(store, one, two), (other, two, one)] * 2):
            text = f"Ferry number {number} leaves from pier {number}"
            new = speaking(store_)("a", text, at=START + timedelta(days=1 + number))
            index.settle("a")
            assert ids(reader.search("a", f"ferry number {number} pier {number}"))[0] == new[0]
            reader.settle("a")
        assert ids(one.search("a", "ferry", k=50)) == ids(two.search("a", "ferry", k=50))
        one.close()
        two.close()
    check(store, folder, made=0, size=12)


def _write(database: Path, folder: Path, name: str, lines: int) -> None:
    with Store.open(database) as store:
        index = SearchIndex(store, embeddings=Senses(), chroma=folder)
        for number in range(lines):
            speaking(store)(
                "a", f"{name} saw bird {number}", at=START + timedelta(days=2, hours=number), id=f"{name}{number}"
            )
            index.catch_up("a")
        index.settle("a")
        index.close()
    os._exit(0)


def test_two_processes_write_and_nothing_is_lost(store: Store, folder: Path, kept: Path, tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [
        spawn.Process(target=_write, args=(tmp_path / "memory.db", folder, name, 6)) for name in ("robin", "wren")
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    index = SearchIndex(store, embeddings=Senses(), chroma=folder)
    index.settle("a")
    assert len(index.search("a", "bird", k=100, floor=0).hits) == len(SMALL_TALK) + 12
    assert ids(index.search("a", "wren bird 3"))[0] == "wren3"
    index.close()
