"""The peer of the cases `ranked-…` and `fuzzy-1`: Tantivy, on the documents and the queries of a corpus.

    python3 -m fulltext.tantivy_program CASE FOLDER [RUNS]
    python3 -m fulltext.tantivy_program --list

It answers as the programs of Benchmarks/ do.

A search is timed from a query that exists to a list of 20 titles: building the query isn't a part of it, and has its
own figure. Each search is done once before it is timed, so that the blocks with its titles are in Tantivy's cache. The
number of documents that match is the checksum, which is counted without a clock: counting slows a search down.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from pathlib import Path
from typing import Callable, Sequence

import tantivy
from tantivy import Index, Occur, Query

from .tantivy_index import fuzzy, make_index, term

BEST = 20
DOCUMENTS = 1_000_000

# The cases of single classes of queries, on all documents.
CLASSES = [
    "ranked-common", "ranked-middling", "ranked-all-2", "ranked-all-3", "ranked-any-2", "ranked-any-5", "fuzzy-1",
]
FUZZY = "fuzzy-1-ranked"
PAGE = "ranked-page-5"
GROWTH = "ranked-growth-"
SIZES = [10_000, 30_000, 100_000, 300_000, 1_000_000]


def main(arguments: Sequence[str]) -> int:
    if list(arguments) == ["--list"]:
        print("\n".join([*CLASSES, FUZZY, PAGE, *(f"{GROWTH}{size}" for size in SIZES)]))
        return 0
    case, folder, *rest = arguments
    print(json.dumps(measure(case, Path(folder), int(rest[0]) if rest else 3)))
    return 0


def measure(case: str, folder: Path, runs: int) -> dict[str, object]:
    corpus = sqlite3.connect(os.environ["AMALGAM_BENCH_SHORT_CORPUS"])
    size = int(case[len(GROWTH) :]) if case.startswith(GROWTH) else DOCUMENTS
    path = folder / f"tantivy-{size}"
    set_up = 0.0 if path.exists() else make_index(documents(corpus, size), path)
    index = Index.open(str(path))
    searcher = index.searcher()
    assert searcher.num_segments == 1 and searcher.num_docs == size

    start = time.perf_counter_ns()
    queries = [query_of(text, name, index) for name, text in queries_of(corpus, case)]
    built = milliseconds(start)
    offset = 4 * BEST if case == PAGE else 0
    checksum = sum(searcher.search(query, 1).count for query in queries)
    parts, untitled = [], []
    for _ in range(runs):
        parts.append([timed(lambda: titles(searcher, query, offset)) for query in queries])
        untitled.append([timed(lambda: hits(searcher, query, offset)) for query in queries])
    return {
        "case": case, "checksum": checksum, "set_up_ms": set_up, "ms": [sum(times) for times in parts],
        "parts_ms": parts, "untitled_parts_ms": untitled, "query_ms": built / len(queries),
    }


def queries_of(corpus: sqlite3.Connection, case: str) -> list[tuple[str, str]]:
    """(class, query) of the queries of a case."""
    classes = [case]
    if case == FUZZY:
        classes = ["fuzzy-1"]
    elif case == PAGE:
        classes = ["ranked-common"]
    elif case.startswith(GROWTH):
        classes = [name for name in CLASSES if name.startswith("ranked-")]
    sql = "SELECT class, text FROM query WHERE class = ? ORDER BY rowid"
    return [row for name in classes for row in corpus.execute(sql, [name])]


def documents(corpus: sqlite3.Connection, size: int) -> list[tuple[str, str]]:
    return corpus.execute("SELECT title, body FROM document WHERE id <= ? ORDER BY id", [size]).fetchall()


# -- Searching


def query_of(text: str, name: str, index: Index) -> Query:
    if name == "fuzzy-1":
        return fuzzy(index, text)
    occur, separator = (Occur.Should, " OR ") if " OR " in text else (Occur.Must, " ")
    words = [term(index, word) for word in text.split(separator)]
    return words[0] if len(words) == 1 else Query.boolean_query([(occur, word) for word in words])


def hits(searcher: tantivy.Searcher, query: Query, offset: int) -> list[tuple[float, tantivy.DocAddress]]:
    return searcher.search(query, BEST, count=False, offset=offset).hits


def titles(searcher: tantivy.Searcher, query: Query, offset: int) -> list[str]:
    return [searcher.doc(address).get_first("title").decode() for _, address in hits(searcher, query, offset)]


def timed(work: Callable[[], object]) -> float:
    """The milliseconds of the second of two runs."""
    work()
    start = time.perf_counter_ns()
    work()
    return milliseconds(start)


def milliseconds(start: int) -> float:
    return (time.perf_counter_ns() - start) / 1e6


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
