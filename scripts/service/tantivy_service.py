"""A minimal search service over Tantivy, to compare with: an ASGI application, for uvicorn with one worker.

It has the same documents, and answers `/api/search?q=…` with the 20 best documents, their snippets and the number of all results.
Stems are those of English, as in the search service; it has no typo tolerance, no facets and no edits.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import parse_qs

from tantivy import Filter, Index, Document, SchemaBuilder, SnippetGenerator, TextAnalyzerBuilder, Tokenizer

FOLDER = Path(os.environ["TANTIVY_INDEX"])


def open_index() -> Index:
    builder = SchemaBuilder()
    builder.add_text_field("title", stored=True, tokenizer_name="stems")
    builder.add_text_field("body", stored=True, tokenizer_name="stems")
    index = Index(builder.build(), str(FOLDER))
    words = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase()).filter(Filter.ascii_fold())
    index.register_tokenizer("stems", words.filter(Filter.stemmer("English")).build())
    return index


def make_index(documents: str) -> None:
    FOLDER.mkdir(parents=True)
    writer = open_index().writer(1_000_000_000, 1)
    with open(documents, encoding="utf-8") as lines:
        for line in lines:
            value = json.loads(line)
            writer.add_document(Document(title=value["title"], body=value["body"]))
    writer.commit()
    writer.wait_merging_threads()


if "TANTIVY_DOCUMENTS" in os.environ and not FOLDER.exists():
    make_index(os.environ["TANTIVY_DOCUMENTS"])
INDEX = open_index()
INDEX.reload()
SEARCHER = INDEX.searcher()


def search(text: str) -> dict:
    query, _ = INDEX.parse_query_lenient(text, ["title", "body"], conjunction_by_default=True, field_boosts={"title": 8.0})
    found = SEARCHER.search(query, 20)
    snippets = SnippetGenerator.create(SEARCHER, query, INDEX.schema, "body")
    hits = []
    for _, address in found.hits:
        document = SEARCHER.doc(address)
        hits.append({"title": document.get_first("title"), "snippet": snippets.snippet_from_doc(document).to_html()})
    return {"count": found.count, "hits": hits}


async def application(scope, receive, send) -> None:
    if scope["type"] != "http":
        return
    text = parse_qs(scope["query_string"].decode()).get("q", [""])[0]
    body = json.dumps(search(text), ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
