"""The peer of scripts/bench-quality: Tantivy's best documents for searches.

    python3 -m fulltext.tantivy_quality CORPUS LANGUAGE BEST

It reads one search per line from standard input, and prints an object: the numbers of the best documents of each
search, for each way of searching. A fuzzy query of Tantivy gives all documents the same score. The ways "exact and
fuzzy" add the score of the words as they were entered.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Callable, Mapping, Sequence

from tantivy import Index, Occur, Query

from .tantivy_index import fuzzy, make_index, term


def main(arguments: Sequence[str]) -> int:
    path, language, best = arguments
    sql = "SELECT id, title, body FROM document WHERE language = ? ORDER BY id"
    rows = sqlite3.connect(path).execute(sql, [language]).fetchall()
    searches = [line.split() for line in sys.stdin]
    with tempfile.TemporaryDirectory(prefix="amalgam-bench-") as folder:
        make_index([(title, body) for _, title, body in rows], Path(folder, "index"))
        index = Index.open(str(Path(folder, "index")))
        searcher = index.searcher()
        found = {
            way: [
                [rows[address.doc][0] for _, address in searcher.search(query(index, words), int(best)).hits]
                for words in searches
            ]
            for way, query in WAYS.items()
        }
    print(json.dumps(found))
    return 0


def exact_or_fuzzy(index: Index, word: str) -> Query:
    return Query.boolean_query([(Occur.Should, term(index, word)), (Occur.Should, fuzzy(index, word))])


def combined(occur: Occur, query: Callable[[Index, str], Query]) -> Callable[[Index, Sequence[str]], Query]:
    return lambda index, words: Query.boolean_query([(occur, query(index, word)) for word in words])


WAYS: Mapping[str, Callable[[Index, Sequence[str]], Query]] = {
    "Tantivy, all words": combined(Occur.Must, term),
    "Tantivy, any word": combined(Occur.Should, term),
    "Tantivy, all words, fuzzy": combined(Occur.Must, fuzzy),
    "Tantivy, all words, exact and fuzzy": combined(Occur.Must, exact_or_fuzzy),
    "Tantivy, any word, exact and fuzzy": combined(Occur.Should, exact_or_fuzzy),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
