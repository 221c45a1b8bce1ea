"""The C functions that Amalgam's own sources call. A build without one of them would fail much later, at link time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterable

from .refusal import Refusal

NAME = re.compile(r"\bsqlite3\w*")
CONDITION = re.compile(r"\s*#\s*if")
OPTION = re.compile(r"\s*#\s*ifn?def\s+SQLITE_(ENABLE|OMIT)_")
END = re.compile(r"\s*#\s*endif")
SOURCES = ("*.swift", "*.c", "*.h")


def refuse_missing(sources: Path, declared: Iterable[str], defined: Iterable[str]) -> None:
    """Refuses options that leave out a function of SQLite's header that a source file calls."""
    missing = set(declared).difference(defined)
    for file in source_files(sources):
        lost = sorted(missing & set(NAME.findall(unconditional(file.read_text(errors="replace")))))
        if lost:
            raise Refusal(
                f"These options leave out {', '.join(lost)}, which Amalgam calls.",
                f"{file.relative_to(sources.parent)} would not link.",
                "Choose other options; scripts/bootstrap --default goes back.",
            )


def unconditional(text: str) -> str:
    """The text without the parts of C that ask for an option first: #ifdef SQLITE_ENABLE_X, #ifndef SQLITE_OMIT_X."""
    kept: list[str] = []
    conditions: list[bool] = []
    for line in text.splitlines():
        if CONDITION.match(line):
            conditions.append(OPTION.match(line) is not None)
        elif conditions and END.match(line):
            conditions.pop()
        elif not any(conditions):
            kept.append(line)
    return "\n".join(kept)


def source_files(folder: Path) -> list[Path]:
    return sorted(file for pattern in SOURCES for file in folder.rglob(pattern))
