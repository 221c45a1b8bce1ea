"""The symbols that each Swift file of `Sources` defines and uses, from the index store of a debug build.

A folder here is the first folder below a module: `Database` for `Sources/AmalgamCore/Database/Database.swift`, and `.`
for files of the module itself.

Only explicit references count. Implicit ones stand for names that the compiler supplies: accessors of a property whose
name is an explicit reference in the same place, initializers of literals, parts of an interpolated string. A reader
doesn't find them in the source, and they almost never add an edge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Iterable

from structure.index_store import DECLARATION, DEFINITION, IMPLICIT, REFERENCE
from structure.index_store import IndexStore, IndexStoreError, Symbol, Unit, toolchain_library

ROOT = Path(__file__).resolve().parents[3]
STORE = ROOT / ".build" / "debug" / "index" / "store"
BUILD_FIRST = "Build first: swift build --build-tests --traits OpenCombine,Encryption,Macros,Replication"


@dataclass(frozen=True)
class File:
    """A file below `Sources`."""

    path: str

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def module(self) -> str:
        return PurePosixPath(self.path).parts[0]

    @property
    def folder(self) -> str:
        parts = PurePosixPath(self.path).parts
        return parts[1] if len(parts) > 2 else "."


@dataclass(frozen=True)
class Definition:
    """Where a symbol is defined."""

    file: File
    line: int


@dataclass(frozen=True)
class Use:
    """A reference to a symbol."""

    file: File
    line: int
    symbol: Symbol


@dataclass
class Sources:
    """The files, the definition of each symbol by its USR, and all explicit references."""

    files: set[File] = field(default_factory=set)
    definitions: dict[str, Definition] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)


def read(store: Path, root: Path = ROOT) -> Sources:
    """Reads the index of all Swift files of `Sources`. Throws IndexStoreError unless it is complete and current."""
    if not store.is_dir():
        raise IndexStoreError(f"there is no index store at {store}. {BUILD_FIRST}")
    files = {File(path.relative_to(root / "Sources").as_posix()) for path in (root / "Sources").rglob("*.swift")}
    with IndexStore(toolchain_library(), store) as index:
        units = newest_units(index.units(), files)
        check_currency(units, files, root)
        sources = Sources(files)
        for file, unit in units.items():
            add(sources, file, index, unit)
    return sources


def newest_units(units: Iterable[Unit], files: set[File]) -> dict[File, Unit]:
    """The newest unit of each file in its own module. A store keeps the units of files that were removed or moved."""
    newest: dict[File, Unit] = {}
    for unit in units:
        file = source_file(unit)
        if file not in files or file.module != unit.module:
            continue
        if file not in newest or newest[file].nanoseconds < unit.nanoseconds:
            newest[file] = unit
    return newest


def source_file(unit: Unit) -> File:
    """The main file of a unit, wherever the package was when the unit was written."""
    _, _, path = unit.main_file.rpartition("/Sources/")
    return File(path)


def check_currency(units: dict[File, Unit], files: set[File], root: Path) -> None:
    missing = sorted(file.path for file in files - units.keys())
    if missing:
        raise IndexStoreError(f"the index store lacks {listed(missing)}. {BUILD_FIRST}")
    stale = sorted(file.path for file, unit in units.items() if changed(file, root) > unit.nanoseconds)
    if stale:
        raise IndexStoreError(f"the index store is older than {listed(stale)}. {BUILD_FIRST}")


def changed(file: File, root: Path) -> int:
    """When the file was changed, in nanoseconds."""
    return (root / "Sources" / file.path).stat().st_mtime_ns


def listed(paths: list[str], limit: int = 3) -> str:
    rest = f" and {len(paths) - limit} more files" if len(paths) > limit else ""
    return ", ".join(f"Sources/{path}" for path in paths[:limit]) + rest


def add(sources: Sources, file: File, index: IndexStore, unit: Unit) -> None:
    for record in unit.records:
        for occurrence in index.occurrences(record):
            if occurrence.roles & (DECLARATION | DEFINITION):
                sources.definitions[occurrence.symbol.usr] = Definition(file, occurrence.line)
            elif occurrence.roles & REFERENCE and not occurrence.roles & IMPLICIT:
                sources.uses.append(Use(file, occurrence.line, occurrence.symbol))
