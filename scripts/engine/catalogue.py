"""vendor/sqlite/options: the compile options that Amalgam knows, with their kinds, reasons, needs and traits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Mapping

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
class Trait:
    """A trait of the package that sets an option: Package.swift gives the definition to the C compiler."""

    name: str
    macro: str
    value: str

    @property
    def definition(self) -> str:
        return f"{self.macro}={self.value}"


@dataclass(frozen=True)
class Option:
    """One line of the catalogue. `value` is empty for options that are just on or off."""

    name: str
    value: str
    kind: str
    reason: str
    feature: str
    needs: tuple[str, ...]
    trait: Trait | None = None

    @property
    def spelling(self) -> str:
        return spelling(self.name, self.value)

    @property
    def is_default(self) -> bool:
        return self.kind in (REQUIRED, ON, PLATFORM)

    @property
    def partners(self) -> list[str]:
        """The options that must be on as well."""
        return [need for need in self.needs if ":" not in need and need != "tree"]

    def needed(self, word: str) -> list[str]:
        """Other needs: `not:` an option that must be off, `library:` one to link, `on:` a platform."""
        return [need.partition(":")[2] for need in self.needs if need.startswith(word + ":")]


@dataclass(frozen=True)
class Catalogue:
    options: dict[str, Option]
    libraries: dict[str, Library]

    def of_kind(self, kind: str) -> list[Option]:
        return [option for option in self.options.values() if option.kind == kind]

    @property
    def traits(self) -> list[Trait]:
        return [option.trait for option in self.options.values() if option.trait]

    def possible_traits(self, macros: Mapping[str, str]) -> list[Trait]:
        """The traits that a build with these macros allows: those that set no macro to another value."""
        return [trait for trait in self.traits if macros.get(trait.macro, trait.value) == trait.value]


def spelling(name: str, value: str) -> str:
    return f"{name}={value}" if value else name


def read(path: Path) -> Catalogue:
    return parse(path.read_text())


def parse(text: str) -> Catalogue:
    catalogue = Catalogue({}, {})
    for line in table_lines(text):
        if line.startswith("library "):
            name, links, header, package = cells(line[len("library ") :], 4)
            catalogue.libraries[name] = Library(name, tuple(links.split()), header, package)
        else:
            written, kind, reason, feature, needs, trait = cells(line, 6)
            if kind not in KINDS:
                raise ValueError(f"vendor/sqlite/options: {written} has the unknown kind {kind!r}")
            name, _, value = written.partition("=")
            catalogue.options[name] = Option(
                name, value, kind, reason, feature, tuple(needs.split()), trait_of(name, trait)
            )
    return catalogue


def trait_of(option: str, written: str) -> Trait | None:
    name, _, value = written.partition("=")
    return Trait(name, f"SQLITE_{option}", value or "1") if name else None


def table_lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def cells(line: str, count: int) -> list[str]:
    found = [cell.strip() for cell in line.split("|")]
    return found + [""] * (count - len(found))
