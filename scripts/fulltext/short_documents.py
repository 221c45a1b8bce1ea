"""The corpus of short documents: names and lines of description that are made of two packages' halves each."""

from __future__ import annotations

from typing import Sequence, Tuple

from .draws import Draws

COUNT = 1_000_000
SEED = 29

# A name's or a line's words: the first half of them, and the second.
Halves = Tuple[Sequence[str], Sequence[str]]


def short_documents(packages: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """(language, title, body) of each document, from the names and the lines of description of packages."""
    draws = Draws(SEED)
    parts = [(_halves(name, "-"), _halves(line, " ")) for name, line in packages]
    return [_document(draws.one(parts), draws.one(parts)) for _ in range(COUNT)]


def _halves(text: str, separator: str) -> Halves:
    words = text.split(separator)
    middle = (len(words) + 1) // 2
    return words[:middle], words[middle:]


def _document(first: tuple[Halves, Halves], second: tuple[Halves, Halves]) -> tuple[str, str, str]:
    (name, line), (other_name, other_line) = first, second
    return "en", "-".join([*name[0], *other_name[1]]), " ".join([*line[0], *other_line[1]])
