"""Searches for known items: three words of a document's title, with typing errors, and the number of the document."""

from __future__ import annotations

import re
from collections import Counter, namedtuple
from typing import Sequence

from .draws import Draws
from .typos import can_have_typo, with_typo

COUNT = 1_000
SEED = 3
WORDS = 3
TYPOS = [0, 1, 2]

# The document's number, the words, and with how many typing errors.
Item = namedtuple("Item", ["document", "words", "typos"])


def known_items(documents: Sequence[tuple[int, str]]) -> list[Item]:
    """The searches for the same documents with each number of typing errors, from numbers and titles.

    The documents are those whose title is different from all others, and has ASCII characters only. Two of the words,
    at least, are long enough for an error.
    """
    frequencies = Counter(title for _, title in documents)
    draws = Draws(SEED)
    known = [(number, title) for number, title in documents if frequencies[title] == 1 and title.isascii()]
    chosen = draws.endless(known)
    items: list[Item] = []
    while len(items) < COUNT * len(TYPOS):
        number, title = next(chosen)
        words = _words(title, draws)
        if len(words) == WORDS and sum(map(can_have_typo, words)) >= max(TYPOS):
            items += [Item(number, _with_typos(words, typos, draws), typos) for typos in TYPOS]
    return items


def _words(title: str, draws: Draws) -> list[str]:
    """Different words of a title, in their order."""
    words = list(dict.fromkeys(re.findall("[a-z0-9]+", title.lower())))
    places = draws.shuffled(range(len(words)))[:WORDS]
    return [words[place] for place in sorted(places)]


def _with_typos(words: Sequence[str], count: int, draws: Draws) -> list[str]:
    places = draws.shuffled([place for place, word in enumerate(words) if can_have_typo(word)])[:count]
    return [with_typo(word, draws) if place in places else word for place, word in enumerate(words)]
