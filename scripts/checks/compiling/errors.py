"""Compares the errors that the compiler reports for wrong requests with those that the requests expect.

In the files of Benchmarks/TypeChecking/Errors, the line below a comment "// error: …" is wrong. The compiler's first error
in this line must be the text of the comment, and no other line may have an error. The check fails if a message has more
than 120 characters, or if the compiler takes longer than --limit to find the error.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

from compiling import library

NAME = "scripts/checks/type-errors"
ERRORS = library.REQUESTS / "Errors"
RECORDS = library.REQUESTS / "Typed" / "Records.swift"
LONGEST = 120

# The messages of lines, by path and number of the line.
Messages = Mapping[tuple[Path, int], str]


def main(arguments: Sequence[str]) -> int:
    options = parse_options(arguments)
    files = options.files or library.sources(ERRORS)
    modules = options.modules or library.build(progress)
    if modules is None:
        print(f"{NAME}: Amalgam does not build; see the compiler's message above.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="amalgam-type-errors-") as folder:
        amalgam = library.amalgam(modules, Path(folder))
        run = library.compile_files(amalgam, [RECORDS, *files], Path(folder), options.limit)
    output, errors = run.stdout, first_errors(run.stdout)
    if {path for path, _ in errors} - set(files) or (run.returncode != 0 and not errors):
        print(output, file=sys.stderr)
        print(f"{NAME}: the requests do not compile with Amalgam; see the message above.", file=sys.stderr)
        return 1
    expected = {key: message for path in files for key, message in expectations(path).items()}
    found = problems(expected, errors, slow_lines(output), options.limit)
    for problem in found:
        print(problem)
    if found:
        print(f"{NAME}: {len(found)} lines have other errors than expected.", file=sys.stderr)
        return 1
    print(f"{NAME}: {len(expected)} wrong lines have the expected errors")
    return 0


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=2000, help="milliseconds that an expression may take (2000)")
    parser.add_argument("--modules", type=Path, help="a folder with the compiled modules; built when left out")
    parser.add_argument("files", type=Path, nargs="*", help="files with wrong lines, in place of the usual ones")
    return parser.parse_args(arguments)


def expectations(path: Path) -> dict[tuple[Path, int], str]:
    """The errors that the lines of a file expect."""
    lines = path.read_text().splitlines()
    matches = {number: re.match(r"\s*// error: (.+)$", line) for number, line in enumerate(lines, start=1)}
    return {(path, number + 1): match[1] for number, match in matches.items() if match}


def first_errors(output: str) -> dict[tuple[Path, int], str]:
    """The compiler's first error in each line that has one, in the order of the columns."""
    errors: dict[tuple[Path, int], tuple[int, str]] = {}
    for path, line, column, message in diagnostics(output, "error"):
        key = (path, line)
        if key not in errors or column < errors[key][0]:
            errors[key] = (column, message)
    return {key: message for key, (_, message) in errors.items()}


def slow_lines(output: str) -> dict[tuple[Path, int], str]:
    """The compiler's warnings of expressions that took too long."""
    return {
        (path, line): message
        for path, line, _, message in diagnostics(output, "warning")
        if re.match(r"(expression|closure) took", message)
    }


def diagnostics(output: str, kind: str) -> list[tuple[Path, int, int, str]]:
    found = re.findall(rf"^(\S+\.swift):(\d+):(\d+): {kind}: (.+?)(?: \[#\w+\])?$", output, re.M)
    return [(Path(path), int(line), int(column), message) for path, line, column, message in found]


def problems(expected: Messages, found: Messages, slow: Messages, limit: int) -> list[str]:
    """What differs, a line for each line of the files."""
    lines = []
    for path, number in sorted({*expected, *found, *slow}):
        key, where = (path, number), f"{path}:{number}"
        if expected.get(key) != found.get(key):
            lines.append(f"{where}: expected: {expected.get(key, 'no error')}; found: {found.get(key, 'no error')}")
        elif len(found.get(key, "")) > LONGEST:
            lines.append(f"{where}: the message has more than {LONGEST} characters: {found[key]}")
        elif key in slow:
            lines.append(f"{where}: the compiler takes more than {limit} ms: {slow[key]}")
    return lines


def progress(text: str) -> None:
    print(f"{NAME}: {text}", file=sys.stderr, flush=True)
