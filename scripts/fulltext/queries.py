"""The queries of the cases `ranked-…` and `fuzzy-1`: 50 of each class, by a fixed seed and by document frequencies.

A query is FTS5's: words that must all occur, words with OR, or letters with `*`. Words are of ASCII letters and digits.
Words that must all occur do so in at least one document.
"""

from __future__ import annotations

import re
import sqlite3
from itertools import islice
from typing import Iterable, Iterator, Sequence

from .draws import Draws
from .typos import can_have_typo, with_typo

EACH = 50
SEED = 50
COMMON = (0.02, 0.05)
MIDDLING = (0.001, 0.003)
COMMONEST = 500


def make_queries(documents: Iterable[Sequence[str]]) -> list[tuple[str, str]]:
    """(class, query) of all classes, in the order of the classes. A document is a sequence of strings."""
    index = Index(documents)
    return [(name, query) for name, queries in _classes(index).items() for query in islice(queries, EACH)]


class Index:
    """An index in memory, with FTS5's tokenizer `unicode61`."""

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE document USING fts5(text, content='', detail=none)")
        self._db.executemany("INSERT INTO document VALUES (?)", (["\n".join(strings)] for strings in documents))
        self._db.execute("CREATE VIRTUAL TABLE word USING fts5vocab(document, row)")
        [self._size] = self._db.execute("SELECT count(*) FROM document_docsize").fetchone()
        words = self._db.execute("SELECT term, doc FROM word ORDER BY doc DESC, term")
        self._frequencies = [(word, count) for word, count in words if re.fullmatch("[a-z0-9]+", word)]

    def words(self, least: float, most: float) -> list[str]:
        """The words that occur in a part of the documents within these limits."""
        return [word for word, count in self._frequencies if least * self._size <= count <= most * self._size]

    def commonest(self, count: int) -> list[str]:
        return [word for word, _ in self._frequencies[:count]]

    def has(self, query: str) -> bool:
        found = self._db.execute("SELECT 1 FROM document WHERE document MATCH ? LIMIT 1", [query])
        return found.fetchone() is not None


def _classes(index: Index) -> dict[str, Iterator[str]]:
    """The queries of each class, without an end. Those of a class are drawn after those of the class before it."""
    draws = Draws(SEED)
    common, middling, commonest = index.words(*COMMON), index.words(*MIDDLING), index.commonest(COMMONEST)
    letters = [word for word in common + middling if word.isalpha()]
    long = [word for word in middling if can_have_typo(word)]

    def together(separator: str, *groups: Sequence[str]) -> Iterator[str]:
        """One word of each group, all of them different."""
        sources = [draws.endless(group) for group in groups]
        while True:
            words = [next(source) for source in sources]
            if len(set(words)) == len(words):
                yield separator.join(words)

    def prefixes(length: int) -> Iterator[str]:
        beginnings = sorted({word[:length] for word in letters if len(word) >= length})
        return (f"{beginning}*" for beginning in draws.endless(beginnings))

    return {
        "ranked-common": together(" ", common),
        "ranked-middling": together(" ", middling),
        "ranked-all-2": filter(index.has, together(" ", common, middling)),
        "ranked-all-3": filter(index.has, together(" ", common, common, middling)),
        "ranked-any-2": together(" OR ", common, middling),
        "ranked-any-5": together(" OR ", *[commonest] * 5),
        "ranked-prefix-1": prefixes(1),
        "ranked-prefix-2": prefixes(2),
        "ranked-prefix-3": prefixes(3),
        "fuzzy-1": (with_typo(word, draws) for word in draws.endless(long)),
    }
