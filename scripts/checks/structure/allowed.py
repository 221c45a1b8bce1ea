"""The list of circles that are allowed, one line each: `module | folders | reason`."""

from __future__ import annotations

from typing import Iterator, Mapping

from structure.graph import Circle

Entry = tuple[str, Circle]


class ListError(Exception):
    """A line of the list that can't be read."""


def parse(text: str) -> dict[Entry, str]:
    """The reason of each circle, by its module and folders."""
    reasons: dict[Entry, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 3 or not all(cells):
            raise ListError(f"line {number} of the list isn't of the form: module | folders | reason")
        entry = (cells[0], frozenset(cells[1].split()))
        if entry in reasons:
            raise ListError(f"line {number} of the list repeats a circle")
        reasons[entry] = cells[2]
    return reasons


def problems(circles: Mapping[str, list[Circle]], reasons: Mapping[Entry, str]) -> Iterator[str]:
    """Circles that aren't listed, and listed ones that don't exist: a circle that became smaller is both."""
    existing = {(module, circle) for module, found in circles.items() for circle in found}
    for entry in in_order(existing - reasons.keys()):
        yield f"{described(entry)} is a circle without a reason"
    for entry in in_order(reasons.keys() - existing):
        yield f"{described(entry)} is listed, but isn't a circle"


def in_order(entries: set[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry[0], sorted(entry[1])))


def described(entry: Entry) -> str:
    module, circle = entry
    return f"{module}: {' '.join(sorted(circle))}"
