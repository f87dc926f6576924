"""Any text goes into the store and comes out as it was, or with what no database holds replaced."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from previously.state.commit import Annotation, Put, Score, SliceUpdate
from previously.state.context import clean_text, normal_id
from previously.state.errors import Failure, InvalidInput
from previously.state.paths import CARD_PATH
from previously.state.turn import content_hash
from previously.stores.database import Store
from previously.tests.stores.given import START, commit, say, turn

NUMBERS = itertools.count(1)
ANY_TEXT = st.text(st.characters(codec=None), max_size=40)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXT)
@example("a\x00b")
@example("half \ud83e of a fox")
@example("\ufffe\uffff\U0010ffff")
@example("'; DROP TABLE turns; -- %s :x %(y)s {z}")
@example("line\r\nline\u2028line\x85")
def test_any_text_in_any_field(store: Store, text: str) -> None:
    space, kept = f"s{next(NUMBERS)}", clean_text(text)
    say(store, turn(1, f"said {text}", id=f"i{text}", thread=f"t{text}", speaker=text), space=space)
    (found,) = store.turns(space, ids=[f"i{text}"], thread=f"t{text}")
    assert (found.id, found.thread, found.speaker, found.text) == (f"i{kept}", f"t{kept}", kept, f"said {kept}")
    assert found.hash == content_hash(found.text)
    key = f"turn:i{text}"
    job = store.defer(space, key, failure=Failure.SERVER, detail=text, next_at=START, max_attempts=2)
    assert (job.detail, job.thread) == (kept, f"t{kept}")
    store.commit(
        commit(
            key,
            space=space,
            documents=(Put(path=CARD_PATH, text=text),),
            slices=(SliceUpdate(slice_id=found.slice_id, focus=text, summary=text, tags=(f"#{text}",)),),
            annotations=(Annotation(turn_id=f"i{text}", kind="analysis", data={"note": text.replace("\x00", "")}),),
            scores=(
                Score(agent="a", bucket="card", delta=1, evidence=f"said {text}", turn_id=f"i{text}", slice_id="s"),
            ),
            finish=(key,),
        )
    )
    item = store.slice(space, found.slice_id)
    head = store.head(space, CARD_PATH)
    assert item is not None
    assert head is not None
    assert (item.focus, item.summary, item.tags, head.text) == (kept, kept, (f"#{kept}",), kept)
    assert store.strand_names(space) == [f"#{kept}"]
    assert store.annotations(space, kind="analysis")[0].data == {"note": clean_text(text.replace("\x00", ""))}
    assert [row.delta for row in store.ledger.scores(space, "a")] == [1]
    assert store.owed(space=space) == []
    assert store.commit(commit(key, space=space)).repeated


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("It's „schlecht“, really", 'it’s "SCHLECHT"'),
        ("你怎么又忘了「名字」？", "又忘了“名字”?"),
        ("Ａｌｌ ｗｒｏｎｇ！", "all wrong!"),
        ("not\n  like\tthat", "not like that"),
        ("straße", "STRASSE"),
        ("say ＂no＂", "say “no”"),
        ("That was wrong.", "“That was wrong.”"),
        ("👎", "👎"),
    ],
)
def test_a_quote_may_differ_in_its_typography_only(store: Store, said: str, quoted: str) -> None:
    say(store, turn(1, said))
    scores = [
        Score(agent="a", bucket="card", delta=-1, evidence=evidence, turn_id="t1", slice_id="s")
        for evidence in (quoted, f"{quoted} at all")
    ]
    store.commit(commit(scores=tuple(scores)))
    assert [row.delta for row in store.ledger.scores("alex", "a")] == [-1, 0]


def test_marks_alone_are_no_evidence(store: Store) -> None:
    say(store, turn(1, "It's “bad”"))
    marks = ("'", " ” “ ", "\u00ab\u00bb", "\x00")
    scores = (Score(agent="a", bucket="card", delta=-1, evidence=mark, turn_id="t1", slice_id="s") for mark in marks)
    store.commit(commit(scores=tuple(scores)))
    assert [row.delta for row in store.ledger.scores("alex", "a")] == [0, 0, 0, 0]


@pytest.mark.parametrize("turn_id", ["t1", "t2", "t9"])
def test_words_of_another_space_or_turn_are_no_evidence(store: Store, turn_id: str) -> None:
    say(store, turn(1, "bad"), turn(3, "bad"), space="other")
    say(store, turn(2, "fine"), turn(3, "bad"))
    store.commit(
        commit(scores=(Score(agent="a", bucket="card", delta=-1, evidence="bad", turn_id=turn_id, slice_id="s"),))
    )
    assert store.ledger.scores("alex", "a")[0].delta == 0


def test_names_sort_by_code_point_on_every_database(store: Store) -> None:
    paths = ["B", "a", "a-b", "a/b", "aa", "ä", "é", "🦊", "Z"]
    store.commit(commit(documents=tuple(Put(path=path, text="x") for path in paths)))
    assert store.paths("alex") == sorted(paths)


def test_the_longest_ids_fit_into_every_key(store: Store) -> None:
    longest = "".join(chr(0x1F300 + n * 7 % 600) for n in range(300))  # 1,200 bytes that don't compress well
    assert normal_id("space", longest) == longest
    with pytest.raises(InvalidInput, match="1204 bytes"):
        normal_id("space", longest + "🦊")
    say(store, turn(1, id=longest, thread=longest), space=longest)
    store.commit(
        commit(f"turn:{longest}", space=longest, annotations=(Annotation(turn_id=longest, kind="cognition", data={}),))
    )
    assert store.active_slice(longest, longest) is not None
    assert [job.subject for job in store.owed(space=longest)] == [longest]
