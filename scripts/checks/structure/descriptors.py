"""Checks that no module opens a file by its path, unless the file can't be that of an open database.

When a process closes any descriptor of a file, the system releases all POSIX locks of the process on the file: SQLite's locks
are gone, and another process may delete the WAL file with its commits. So a database, its WAL file and its shm file are read
by SQLite's own descriptor (sqlite3_file_control, shims/storage.h). The uses of functions that open files are listed in
descriptors.allowed, next to the script, with a reason for each.

The index store of a debug build tells which function each Swift file refers to: build first. The C sources are searched.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Iterable, Iterator, Mapping

from structure import sources
from structure.index_store import IndexStoreError
from structure.sources import ROOT, Sources, Use

NAME = "scripts/checks/descriptors"
ALLOWED = Path(__file__).resolve().parents[1] / "descriptors.allowed"
# Of the C library and of Foundation. Deleting, renaming and asking for attributes opens nothing.
FUNCTIONS = re.compile(
    r"(open|open64|openat|creat|fopen|fopen64|freopen|mkstemp|copyfile|clonefile)\(.*\)"
    r"|init\((forReadingAtPath|forReadingFrom|forWritingAtPath|forWritingTo|forUpdatingAtPath|forUpdating):\)"
    r"|init\((contentsOf|contentsOfFile|fileAtPath|url|toFileAtPath|toMemory)\b.*\)"
    r"|contents\(atPath:\)|contentsEqual\(atPath:.*\)|createFile\(atPath:.*\)|copyItem\(.*\)|replaceItem.*\(.*\)"
    r"|write\((to|toFile):.*\)|data\(contentsOf:.*\)"
)
OWN = re.compile(r"s:\d+Amalgam|s:\d+[A-Za-z]+\d+Amalgam")
C_CALL = re.compile(r"\b(open|openat|creat|fopen|freopen|osOpen|sqlite3OsOpen|robust_open)\s*\(")

Entry = tuple[str, str]


class ListError(Exception):
    """A line of the list that can't be read."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, default=sources.STORE, help="the index store of another build folder")
    try:
        store = parser.parse_args(arguments).store
        found = [*swift_calls(sources.read(store)), *c_calls(ROOT / "Sources" / "CAmalgam")]
        return report(found, parse(ALLOWED.read_text()))
    except (IndexStoreError, ListError) as problem:
        print(f"{NAME}: {problem}", file=sys.stderr)
        return 1


def report(found: list[tuple[str, int, str]], reasons: Mapping[Entry, str]) -> int:
    problems = list(problems_of(found, reasons))
    for problem in problems:
        print(f"{NAME}: {problem}", file=sys.stderr)
    print(f"{len(found)} calls open a file, for {len(reasons)} reasons.")
    return 1 if problems else 0


def swift_calls(found: Sources) -> Iterator[tuple[str, int, str]]:
    for use in found.uses:
        if opens(use):
            yield use.file.path, use.line, use.symbol.name


def opens(use: Use) -> bool:
    return FUNCTIONS.fullmatch(use.symbol.name) is not None and OWN.match(use.symbol.usr) is None


def c_calls(folder: Path) -> Iterator[tuple[str, int, str]]:
    for path in sorted([*folder.glob("shims/*.h"), *folder.glob("*.c")]):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if match := C_CALL.search(re.sub(r"->\w+\(", "", line)):
                yield path.relative_to(folder.parent).as_posix(), number, match[1]


def parse(text: str) -> dict[Entry, str]:
    """The reason of each file and function."""
    reasons: dict[Entry, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 3 or not all(cells):
            raise ListError(f"line {number} of the list isn't of the form: file | function | reason")
        reasons[cells[0], cells[1]] = cells[2]
    return reasons


def problems_of(found: Iterable[tuple[str, int, str]], reasons: Mapping[Entry, str]) -> Iterator[str]:
    """Uses that aren't listed, and listed ones that don't exist."""
    used: set[Entry] = set()
    for path, line, function in found:
        used.add((path, function))
        if (path, function) not in reasons:
            yield f"Sources/{path}:{line} opens a file by {function}, without a reason in {ALLOWED.name}"
    for path, function in sorted(reasons.keys() - used):
        yield f"{ALLOWED.name} lists {function} of {path}, which doesn't use it"
