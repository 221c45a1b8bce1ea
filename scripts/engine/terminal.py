"""What the scripts say: progress on standard error, results on standard output, colours only on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import IO, Iterable

BOLD, DIM, RED, GREEN, YELLOW = "1", "2", "31", "32", "33"


def is_terminal(stream: IO[str]) -> bool:
    return stream.isatty() and "NO_COLOR" not in os.environ


def styled(text: str, style: str, stream: IO[str] | None = None) -> str:
    return f"\033[{style}m{text}\033[0m" if is_terminal(stream or sys.stdout) else text


def width() -> int:
    """The columns a table may use: the terminal's, within what is pleasant to read."""
    return max(80, min(120, shutil.get_terminal_size((110, 24)).columns))


def step(text: str) -> None:
    """Announces work that takes longer than a moment."""
    print(styled("•", GREEN, sys.stderr), text, file=sys.stderr, flush=True)


def note(text: str) -> None:
    """A detail of the step before."""
    for line in text.splitlines():
        print(styled(f"  {line}", DIM, sys.stderr), file=sys.stderr, flush=True)


def is_live() -> bool:
    """Whether somebody watches, so that a line may rewrite itself."""
    return sys.stderr.isatty()


def rewrite(text: str) -> None:
    """Replaces the line that was written like this before. Silent where output is kept in a file."""
    if is_live():
        print(f"\r\033[K  {text}" if text else "\r\033[K", end="", file=sys.stderr, flush=True)


def download_progress(done: int, total: int) -> None:
    rewrite(f"{megabytes(done)} of {megabytes(total)}" if total else megabytes(done))


def megabytes(count: int) -> str:
    return f"{count / 1_000_000:.1f} MB"


def fail(script: str, lines: list[str]) -> None:
    """The end of a run that was refused."""
    head = styled(f"{script}: {lines[0]}", RED, sys.stderr)
    print("\n".join([head] + lines[1:]), file=sys.stderr, flush=True)


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Aligned `label  value` lines; a value of several lines stays in its column."""
    rows = list(rows)
    column = max(len(label) for label, _ in rows) + 4
    return "\n".join(fact(label, value, column) for label, value in rows)


def fact(label: str, value: str, column: int) -> str:
    lines = [piece for line in value.splitlines() for piece in wrapped(line, width() - column)]
    head = f"  {label:<{column - 2}}{lines[0] if lines else ''}"
    return "\n".join([head] + [" " * column + line for line in lines[1:]])


def wrapped(text: str, columns: int) -> list[str]:
    return textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False) or [""]
