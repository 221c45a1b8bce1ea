"""What the scripts say: progress on standard error, results on standard output, colours only on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import IO

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


def fail(script: str, lines: list[str]) -> None:
    """The end of a run that was refused."""
    head = styled(f"{script}: {lines[0]}", RED, sys.stderr)
    print("\n".join([head] + lines[1:]), file=sys.stderr, flush=True)


def hanging(label: str, text: str, column: int) -> str:
    """The text in lines that begin at the column; the label, padded to it, is before the first one."""
    lines = textwrap.wrap(text, width() - column, break_long_words=False, break_on_hyphens=False) or [""]
    return label + ("\n" + " " * column).join(lines)
