"""Mutations: changes of one source line, each of which breaks a promise and must turn its tests red.

Tests/Mutations/*.txt hold them, with an empty line between two mutations. A line that begins with # is a comment:

    mutation: a-failed-write-is-kept
    file:     Sources/AmalgamCore/Database/Database+Transactions.swift
    after:    func rollback() throws {
    line:     try execute(sql: "ROLLBACK")
    becomes:  try execute(sql: "COMMIT")
    test:     AmalgamCoreTests/TransactionTests/rollback

`line` is the whole line of the source, without the spaces around it. If the file has the line several times, `after` is a line
of the file that occurs once, and the first such line behind it is meant. The indentation stays. If nothing follows `becomes:`,
the line is removed. `test` is target, suite and function; with several of these lines, each test must turn red.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

FOLDER = Path("Tests/Mutations")
KEYS = ("mutation", "file", "after", "line", "becomes", "test")
SUFFIXES = {".swift", ".h", ".c"}


class MutationError(Exception):
    """A mutation that can't be read, or whose line isn't in the source."""


@dataclass(frozen=True)
class Mutation:
    """A change of one line."""

    name: str
    file: str
    line: str
    becomes: str
    after: str = ""
    tests: tuple[str, ...] = field(default=())

    @property
    def module(self) -> str:
        return Path(self.file).parts[1]

    def applied(self, source: str) -> str:
        """The text of the file after the change."""
        lines = source.splitlines(keepends=True)
        index = self.position(source)
        old = lines[index]
        indentation = old[: len(old) - len(old.lstrip())]
        lines[index] = f"{indentation}{self.becomes}\n" if self.becomes else ""
        return "".join(lines)

    def position(self, source: str) -> int:
        """The index of the line in the text of the file."""
        lines = [line.strip() for line in source.splitlines()]
        start = 0
        if self.after:
            start = self.only(self.after, lines, "the line of `after`") + 1
            if self.line not in lines[start:]:
                raise MutationError(f"{self.name}: {self.file} doesn't have the line behind that of `after`: {self.line}")
            return lines.index(self.line, start)
        return self.only(self.line, lines, "the line")

    def only(self, line: str, lines: list[str], what: str) -> int:
        count = lines.count(line)
        if count != 1:
            has = "doesn't have" if count == 0 else f"has {count} times"
            raise MutationError(f"{self.name}: {self.file} {has} {what}: {line}")
        return lines.index(line)


def read(root: Path) -> list[Mutation]:
    """All mutations, in the order of the files' names."""
    found: dict[str, Mutation] = {}
    for path in sorted((root / FOLDER).glob("*.txt")):
        for mutation in parse(path.read_text(), str(path.relative_to(root))):
            if mutation.name in found:
                raise MutationError(f"{path.name}: there are two mutations of the name {mutation.name}")
            found[mutation.name] = mutation
    return list(found.values())


def parse(text: str, name: str) -> Iterator[Mutation]:
    """The mutations of a file."""
    entry: dict[str, list[str]] = {}
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if entry:
                yield mutation(entry, f"{name}:{number - 1}")
            entry = {}
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in KEYS:
            raise MutationError(f"{name}:{number}: a line begins with one of {', '.join(KEYS)}, and a colon")
        if key in entry and key != "test":
            raise MutationError(f"{name}:{number}: the mutation has a second `{key}`")
        entry.setdefault(key, []).append(value.strip())


def mutation(entry: dict[str, list[str]], place: str) -> Mutation:
    missing = [key for key in KEYS if key not in entry and key != "after"]
    if missing:
        raise MutationError(f"{place}: the mutation that ends here has no {' and no '.join(missing)}")
    found = Mutation(
        name=entry["mutation"][0],
        file=entry["file"][0],
        line=entry["line"][0],
        becomes=entry["becomes"][0],
        after=entry.get("after", [""])[0],
        tests=tuple(entry["test"]),
    )
    if found.becomes == found.line:
        raise MutationError(f"{place}: the line stays what it is")
    if not found.file.startswith("Sources/") or Path(found.file).suffix not in SUFFIXES:
        raise MutationError(f"{place}: {found.file} isn't a source file of the library")
    return found
