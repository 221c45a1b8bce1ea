"""An index of Tantivy that is like an FTS5 table of titles and bodies.

One field is indexed, the title and the body together, as FTS5's rank counts words in all columns alike; searches of two
fields take Tantivy longer. The words are those of FTS5's tokenizer `unicode61`: pieces of letters and digits, in lower
case, without diacritics. The title and the body are stored. The index is in one segment, written by one thread.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Iterable

from tantivy import Document, Filter, Index, Query, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

TEXT = "text"
HEAP = 2_000_000_000


def make_index(documents: Iterable[tuple[str, str]], path: Path) -> float:
    """Makes an index of titles and bodies. Returns its milliseconds, without those of making the documents in memory.

    The documents have the numbers from 0, in this order.
    """
    draft = path.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    builder = SchemaBuilder()
    builder.add_text_field(TEXT, tokenizer_name="words")
    # A text field is always indexed. Bytes need not be.
    builder.add_bytes_field("title", stored=True)
    builder.add_bytes_field("body", stored=True)
    index = Index(builder.build(), str(draft))
    words = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase()).filter(Filter.ascii_fold())
    index.register_tokenizer("words", words.build())
    prepared = [_document(*each) for each in documents]
    start = time.perf_counter_ns()
    # One commit of one thread within its memory makes one segment.
    writer = index.writer(HEAP, 1)
    for document in prepared:
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    taken = (time.perf_counter_ns() - start) / 1e6
    draft.rename(path)
    return taken


def _document(title: str, body: str) -> Document:
    result = Document()
    result.add_text(TEXT, f"{title}\n{body}")
    result.add_bytes("title", title.encode())
    result.add_bytes("body", body.encode())
    return result


def term(index: Index, word: str) -> Query:
    return Query.term_query(index.schema, TEXT, word)


def fuzzy(index: Index, word: str) -> Query:
    """Words with at most one typing error. All of them have the same score."""
    return Query.fuzzy_term_query(index.schema, TEXT, word, distance=1, transposition_cost_one=True)
