"""Typing errors: one letter left out, added, replaced or swapped with the next one."""

from __future__ import annotations

from .draws import Draws

LETTERS = "abcdefghijklmnopqrstuvwxyz"

# The shortest word that gets a typing error.
SHORTEST = 5


def can_have_typo(word: str) -> bool:
    return len(word) >= SHORTEST and all(letter in LETTERS for letter in word)


def with_typo(word: str, draws: Draws) -> str:
    """The word with one error, after its first letter. It differs from the word."""
    while True:
        changed = draws.one(KINDS)(word, 1 + draws.below(len(word) - 1), draws)
        if changed != word:
            return changed


def _left_out(word: str, place: int, draws: Draws) -> str:
    return word[:place] + word[place + 1 :]


def _added(word: str, place: int, draws: Draws) -> str:
    return word[:place] + draws.one(LETTERS) + word[place:]


def _replaced(word: str, place: int, draws: Draws) -> str:
    return word[:place] + draws.one(LETTERS) + word[place + 1 :]


def _swapped(word: str, place: int, draws: Draws) -> str:
    return word[:place] + word[place : place + 2][::-1] + word[place + 2 :]


KINDS = [_left_out, _added, _replaced, _swapped]
