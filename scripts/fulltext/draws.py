"""Draws by a fixed seed that are the same in all versions of Python.

Of the methods of `random.Random`, `random()` is the one whose sequence never changes.
"""

from __future__ import annotations

import random
from typing import Iterator, Sequence, TypeVar

Element = TypeVar("Element")


class Draws:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def below(self, count: int) -> int:
        return int(self._random() * count)

    def one(self, elements: Sequence[Element]) -> Element:
        return elements[self.below(len(elements))]

    def shuffled(self, elements: Sequence[Element]) -> list[Element]:
        result = list(elements)
        for index in range(len(result) - 1, 0, -1):
            other = self.below(index + 1)
            result[index], result[other] = result[other], result[index]
        return result

    def endless(self, elements: Sequence[Element]) -> Iterator[Element]:
        """All elements in a random order, and then all of them again in a different one."""
        while True:
            yield from self.shuffled(elements)
