"""Unified diffs: made, read, and applied with exact context, so that the same patch makes the same file everywhere."""

from __future__ import annotations

import difflib
import io
import re
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Mapping, Sequence

from .refusal import Refusal

FILE = re.compile(r"\+\+\+ (?:b/)?(\S+)")
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
# How far a hunk may lie from its line number, after the hunks before it: options move lines, and SQLCipher's code, which a build
# may leave out, has 6,000.
REACH = 10_000
NO_LINE_FEED = "\\ No newline at end of file\n"


@dataclass(frozen=True)
class Hunk:
    """Consecutive lines of a file, before and after. Each line has its line feed, if the file has one there."""

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


Files = Mapping[str, str]
Patch = dict[str, list[Hunk]]


def difference(before: Files, after: Files) -> str:
    """The unified diff of files with the same names."""
    return "".join(
        line if line.endswith("\n") else f"{line}\n{NO_LINE_FEED}"
        for name in sorted(before)
        for line in difflib.unified_diff(lines(before[name]), lines(after[name]), f"a/{name}", f"b/{name}")
    )


def lines(text: str) -> list[str]:
    """The lines with their line feeds. str.splitlines would end lines at other characters too."""
    return list(io.StringIO(text))


def parse(text: str) -> Patch:
    """The hunks of each file, in order. Text before the first file is a comment."""
    patch: Patch = {}
    rest = iter(patch_lines(text))
    name = ""
    for line in rest:
        if found := FILE.match(line):
            name = found[1]
            patch[name] = []
        elif name and (found := HUNK.match(line)):
            patch[name].append(hunk(name, int(found[1]), count(found[2]), count(found[3]), rest))
    return patch


def patch_lines(text: str) -> list[str]:
    """The lines of a patch. A line that NO_LINE_FEED follows loses its line feed."""
    result: list[str] = []
    for line in lines(text):
        if line.startswith("\\ ") and result:
            result[-1] = result[-1].rstrip("\n")
        else:
            result.append(line)
    return result


def count(text: str | None) -> int:
    return 1 if text is None else int(text)


def hunk(name: str, line: int, before_count: int, after_count: int, rest: Iterator[str]) -> Hunk:
    before: list[str] = []
    after: list[str] = []
    while len(before) < before_count or len(after) < after_count:
        text = next(rest, "")
        # Some editors remove the space of an empty line.
        sign, content = (" ", text) if text == "\n" else (text[:1], text[1:])
        if sign in (" ", "-"):
            before.append(content)
        if sign in (" ", "+"):
            after.append(content)
        if sign not in (" ", "-", "+") or len(before) > before_count or len(after) > after_count:
            raise Refusal(
                f"The patch of {name} is damaged: its hunk at line {line} isn't as long as it says.",
                text,
                "Get the patch again.",
            )
    # A hunk that only adds lines, and has none around them, names the line above them.
    return Hunk(line if before_count else line + 1, tuple(before), tuple(after))


def apply(files: Files, patch: Patch, name: str, wanted: Callable[[Hunk], bool] = lambda hunk: True) -> dict[str, str]:
    """The files with all wanted hunks applied. A hunk may have moved, but its lines must be there unchanged."""
    if unknown := sorted(patch.keys() - files.keys()):
        raise Refusal(
            f"{name} changes {', '.join(unknown)}, which is not there.", next=f"It can change {', '.join(sorted(files))}."
        )
    return {
        file: "".join(applied(lines(text), filter(wanted, patch.get(file, [])), f"{name}: {file}"))
        for file, text in files.items()
    }


def applied(before: Sequence[str], hunks: Iterable[Hunk], name: str) -> list[str]:
    result: list[str] = []
    position = drift = 0
    for hunk in hunks:
        place = find(before, hunk.before, position, hunk.line - 1 + drift)
        if place is None:
            raise Refusal(
                f"{name} differs from what the patch expects near line {hunk.line}.",
                "".join(hunk.before[:3]),
                "An option or a new version changes these lines. Leave the option out, or the patch (scripts/bootstrap --cipher"
                " none), or see vendor/sqlite/README.md to move to a new version.",
            )
        drift = place - (hunk.line - 1)
        result += [*before[position:place], *hunk.after]
        position = place + len(hunk.before)
    return [*result, *before[position:]]


def find(within: Sequence[str], wanted: Sequence[str], first: int, expected: int) -> int | None:
    """The index of these consecutive lines that is nearest to the expected one, not before the first."""
    for distance in range(REACH):
        for place in (expected - distance, expected + distance):
            if place >= first and tuple(within[place : place + len(wanted)]) == tuple(wanted):
                return place
    return None
