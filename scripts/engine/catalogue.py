"""vendor/sqlite/options: the compile options that Amalgam knows, each with its kind, its reason and what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator

REQUIRED, ON, OFF, REFUSED, PLATFORM = "required", "on", "off", "refused", "platform"
KINDS = (REQUIRED, ON, OFF, REFUSED, PLATFORM)


@dataclass(frozen=True)
class Library:
    """A C library that an option links."""

    name: str
    links: tuple[str, ...]
    header: str
    package: str


@dataclass(frozen=True)
class Option:
    """One line of the catalogue. `value` is empty for options that are just on or off."""

    name: str
    value: str
    kind: str
    reason: str
    feature: str = ""
    needs: tuple[str, ...] = ()

    @property
    def spelling(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name

    @property
    def is_default(self) -> bool:
        return self.kind in (REQUIRED, ON, PLATFORM)

    @property
    def needs_tree(self) -> bool:
        return "tree" in self.needs

    @property
    def partners(self) -> list[str]:
        """The options that must be on as well."""
        return [need for need in self.needs if ":" not in need and need != "tree"]

    @property
    def rivals(self) -> list[str]:
        """The options that must be off."""
        return self.needed("not")

    @property
    def libraries(self) -> list[str]:
        return self.needed("library")

    @property
    def platforms(self) -> list[str]:
        return self.needed("on")

    def needed(self, word: str) -> list[str]:
        prefix = word + ":"
        return [need[len(prefix) :] for need in self.needs if need.startswith(prefix)]


class Catalogue:
    def __init__(self, options: Iterable[Option], libraries: Iterable[Library] = ()) -> None:
        self.options = {option.name: option for option in options}
        self.libraries = {library.name: library for library in libraries}

    def get(self, name: str) -> Option | None:
        return self.options.get(name)

    def of_kind(self, *kinds: str) -> list[Option]:
        return [option for option in self.options.values() if option.kind in kinds]


def read(path: Path) -> Catalogue:
    return parse(path.read_text())


def parse(text: str) -> Catalogue:
    lines = list(table_lines(text))
    libraries = [library(line) for line in lines if line.startswith("library ")]
    return Catalogue([option(line) for line in lines if not line.startswith("library ")], libraries)


def table_lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def option(line: str) -> Option:
    spelling, kind, reason, feature, needs = cells(line, 5)
    if kind not in KINDS:
        raise ValueError(f"vendor/sqlite/options: {spelling} has the unknown kind {kind!r}")
    name, _, value = spelling.partition("=")
    return Option(name, value, kind, reason, feature, tuple(needs.split()))


def library(line: str) -> Library:
    name, links, header, package = cells(line[len("library ") :], 4)
    return Library(name, tuple(links.split()), header, package)


def cells(line: str, count: int) -> list[str]:
    found = [cell.strip() for cell in line.split("|")]
    return found + [""] * (count - len(found))
