"""Writes the short documents of scripts/corpus as JSON Lines, and queries for them."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import sys
from pathlib import Path

QUERIES = 300


def main(corpus: str, documents: str, queries: str) -> None:
    """A query is one to three adjacent words of a document, drawn by a fixed seed."""
    source = sqlite3.connect(f"file:{corpus}?mode=ro", uri=True)
    generator = random.Random(7)
    (count,) = source.execute("SELECT max(id) FROM document").fetchone()
    chosen = set(generator.sample(range(1, count + 1), QUERIES))
    texts = []
    with open(documents, "w", encoding="utf-8") as lines:
        for identifier, language, title, body in source.execute("SELECT id, language, title, body FROM document"):
            value = {"id": identifier, "language": language, "title": title, "body": body}
            lines.write(json.dumps(value, ensure_ascii=False) + "\n")
            if identifier in chosen:
                words = re.findall(r"\w+", f"{title} {body}")
                size = generator.randint(1, 3)
                first = generator.randint(0, max(0, len(words) - size))
                texts.append(" ".join(words[first : first + size]))
    Path(queries).write_text("\n".join(texts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:4])
