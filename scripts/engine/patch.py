"""Unified diffs: made, read, and applied with exact context, so that the same patch makes the same file everywhere."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Mapping, Sequence

from .refusal import Refusal

FILE = re.compile(r"\+\+\+ (?:b/)?(\S+)")
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
# How far a hunk may lie from its line number, after the hunks before it: options move lines.
REACH = 5_000


@dataclass(frozen=True)
class Hunk:
    """Consecutive lines of a file, before and after. Each line has its line feed."""

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


Files = Mapping[str, str]
Patch = dict[str, list[Hunk]]


def difference(before: Files, after: Files) -> str:
    """The unified diff of files with the same names."""
    return "".join(
        line
        for name in sorted(before)
        for line in difflib.unified_diff(
            before[name].splitlines(keepends=True), after[name].splitlines(keepends=True), f"a/{name}", f"b/{name}"
        )
    )


def parse(text: str) -> Patch:
    """The hunks of each file, in order. Text before the first file is a comment."""
    patch: Patch = {}
    lines = iter(text.splitlines(keepends=True))
    name = ""
    for line in lines:
        if found := FILE.match(line):
            name = found[1]
            patch[name] = []
        elif found := HUNK.match(line):
            patch[name].append(hunk(int(found[1]), count(found[2]), count(found[3]), lines))
    return patch


def count(text: str | None) -> int:
    return 1 if text is None else int(text)


def hunk(line: int, before_count: int, after_count: int, lines: Iterator[str]) -> Hunk:
    before: list[str] = []
    after: list[str] = []
    while len(before) < before_count or len(after) < after_count:
        text = next(lines)
        if text[0] != "+":
            before.append(text[1:])
        if text[0] != "-":
            after.append(text[1:])
    return Hunk(line, tuple(before), tuple(after))


def apply(files: Files, patch: Patch, name: str, wanted: Callable[[Hunk], bool] = lambda hunk: True) -> dict[str, str]:
    """The files with all wanted hunks applied. A hunk may have moved, but its lines must be there unchanged."""
    return {
        file: "".join(applied(text.splitlines(keepends=True), filter(wanted, patch.get(file, [])), f"{name}: {file}"))
        for file, text in files.items()
    }


def applied(lines: Sequence[str], hunks: Iterable[Hunk], name: str) -> list[str]:
    result: list[str] = []
    position = drift = 0
    for hunk in hunks:
        place = find(lines, hunk.before, position, hunk.line - 1 + drift)
        if place is None:
            raise Refusal(
                f"{name} differs from what the patch expects near line {hunk.line}.",
                "".join(hunk.before[:3]),
                "The patch belongs to another version of the file: vendor/sqlite/README.md says how to move both.",
            )
        drift = place - (hunk.line - 1)
        result += [*lines[position:place], *hunk.after]
        position = place + len(hunk.before)
    return [*result, *lines[position:]]


def find(lines: Sequence[str], wanted: Sequence[str], first: int, expected: int) -> int | None:
    """The index of these consecutive lines that is nearest to the expected one, not before the first."""
    for distance in range(REACH):
        for place in {expected - distance, expected + distance}:
            if place >= first and tuple(lines[place : place + len(wanted)]) == tuple(wanted):
                return place
    return None
