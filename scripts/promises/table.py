"""The table of promises in docs/reliability.md.

Each row is a promise: the page that states it, as a link whose address is at the end of the document, the promise, its limits,
the test that fails when the promise is broken, and the mutation that shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

DOCUMENT = Path("docs/reliability.md")
HEADER = ["stated in", "promise", "limits", "test", "mutation"]
ADDRESS = re.compile(r"^\[(?P<label>[^\]]+)\]: (?P<address>\S+)$", re.MULTILINE)


class TableError(Exception):
    """A row of the table that can't be read."""


@dataclass(frozen=True)
class Promise:
    """A row of the table."""

    line: int
    page: str
    text: str
    limits: str
    test: str
    mutation: str


def read(text: str) -> list[Promise]:
    """The promises of the document, in their order."""
    promises = list(rows(text))
    if not promises:
        raise TableError(f"{DOCUMENT} has no table with the columns {', '.join(HEADER)}")
    return promises


def rows(text: str) -> Iterator[Promise]:
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("|"):
            inside = False
            continue
        row = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if row == HEADER:
            inside = True
        elif inside and set("".join(row)) != {"-"}:
            yield promise(row, number)


def promise(row: list[str], number: int) -> Promise:
    if len(row) != len(HEADER):
        raise TableError(f"{DOCUMENT}:{number}: a row has {len(HEADER)} cells")
    page, text, limits, test, mutation = row
    if not re.fullmatch(r"\[[^\]]+\]", page):
        raise TableError(f"{DOCUMENT}:{number}: the first cell is a link, such as [Backups]")
    if not text:
        raise TableError(f"{DOCUMENT}:{number}: the row has no promise")
    for cell in (test, mutation):
        if not re.fullmatch(r"`[^`]+`", cell):
            raise TableError(f"{DOCUMENT}:{number}: the last two cells are a test and a mutation, each in backticks")
    return Promise(number, page[1:-1], text, limits, test[1:-1], mutation[1:-1])


def addresses(text: str) -> dict[str, str]:
    """The addresses of the links, by their labels."""
    return {match["label"]: match["address"] for match in ADDRESS.finditer(text)}
