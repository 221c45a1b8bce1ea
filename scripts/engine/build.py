"""One build: from a choice of options to a complete set of files in vendor/sqlite."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from . import amalgamation, calls, choice, headers, record, symbols, system, terminal
from .cache import Cache
from .catalogue import Catalogue, Library
from .choice import Choice, Resolved
from .installation import Installation
from .lock import Lock
from .project import Project
from .record import Record
from .refusal import Refusal
from .sources import Source, Sources

# What the shape of the generated files depends on: a change here makes every earlier build out of date.
GENERATORS = ("amalgamation.py", "build.py", "headers.py", "symbols.py")


class Build:
    def __init__(self, project: Project, options: Choice) -> None:
        self.project = project
        self.choice = options
        self.lock: Lock = project.lock()
        self.catalogue: Catalogue = project.catalogue()
        self.resolved: Resolved = choice.resolve(options, self.catalogue)

    @property
    def inputs(self) -> str:
        """A digest of everything the result depends on, except the origin: SQLite is the same from each."""
        here = Path(__file__).parent
        parts = [
            self.lock.version,
            self.lock.check_in,
            self.resolved.macros,
            self.resolved.platform,
            self.resolved.links,
            choice.written(self.choice),
            [record.digest(here / name) for name in GENERATORS],
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def is_up_to_date(self) -> bool:
        built = self.project.record()
        return built is not None and built.inputs == self.inputs and not damaged_files(self.project, built)

    def run(self, cache: Cache, where: str, offline: bool) -> Record:
        """Builds and installs. Until the very end, nothing in the project changes."""
        with cache.exclusive(), workshop_in(cache) as workshop:
            source = Sources(self.lock, cache, where, offline).obtain(
                new(workshop / "source"), self.resolved.needing_tree
            )
            choice.refuse_unknown(self.choice, self.catalogue, amalgamation.known_options(source.folder))
            for library in self.resolved.libraries:
                require_library(library)
            products = self.products(source, new(workshop / "build"))
            with installation(self.project).preparation() as prepared:
                built = self.prepare(prepared, source, products, workshop)
        drop_stale_files(self.project)
        return built

    def products(self, source: Source, workshop: Path) -> Path:
        """The folder with sqlite3.c and its headers."""
        if not source.is_canonical:
            return source.folder
        return amalgamation.build(source.folder, self.resolved.macros, workshop)

    def prepare(self, prepared: Path, source: Source, products: Path, workshop: Path) -> Record:
        """Writes the complete set, with the paths that its files will have in the project."""
        home = new(prepared / self.project.home.relative_to(self.project.root))
        for name in amalgamation.PRODUCTS:
            if (products / name).is_file():
                shutil.copyfile(products / name, home / name)
        names = self.write_headers(home, source, workshop)
        (home / "choice").write_text(choice.written(self.choice))
        if self.resolved.links:
            module_map = prepared / self.project.module_map.relative_to(self.project.root)
            new(module_map.parent)
            module_map.write_text(headers.module_map(self.resolved.links))
        built = self.record(source, prepared, len(names))
        (home / record.NAME).write_text(built.text())
        return built

    def write_headers(self, home: Path, source: Source, workshop: Path) -> list[str]:
        """The generated headers; the compiler says which symbols there are to seal."""
        options, facts = home / headers.OPTIONS, home / headers.PLATFORM
        options.write_text(headers.options(self.resolved.macros, self.inputs))
        facts.write_text(headers.platform(self.resolved.platform))
        terminal.step("Compiling it once, to learn its symbols")
        names = symbols.of_source(home / "sqlite3.c", [options, facts], workshop)
        declared = symbols.declared(home / "sqlite3.h")
        calls.refuse_missing(self.project.root / "Sources", declared, names)
        (home / headers.SYMBOLS).write_text(headers.symbols(sorted({*names, *declared}), self.inputs))
        (home / headers.BUILD).write_text(headers.build(self.lock, source, not self.choice.is_default, self.inputs))
        return names

    def record(self, source: Source, prepared: Path, symbol_count: int) -> Record:
        files = sorted(file for file in prepared.rglob("*") if file.is_file())
        return Record(
            version=self.lock.version,
            check_in=self.lock.check_in,
            origin=source.origin,
            verification=source.verification,
            is_canonical=source.is_canonical,
            chosen=record.chosen(self.choice),
            options=self.resolved.macros,
            libraries=self.resolved.links,
            symbols=symbol_count,
            inputs=self.inputs,
            files={str(file.relative_to(prepared)): record.digest(file) for file in files},
        )


def installation(project: Project) -> Installation:
    return Installation(project.root, project.home)


@contextmanager
def workshop_in(cache: Cache) -> Iterator[Path]:
    """A folder to build in: in the cache, where the next run sweeps up after one that was killed, or where that has a
    space in its path, which SQLite's build can't bear, in the system's place for temporary files."""
    if " " not in str(cache.folder):
        with cache.partial() as folder:
            yield folder
    else:
        with tempfile.TemporaryDirectory(prefix="amalgam-") as name:
            yield Path(name)


def new(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def damaged_files(project: Project, built: Record) -> list[str]:
    """The files that are not as they were built."""
    return [name for name, digest in built.files.items() if not record.is_intact(project.root / name, digest)]


def require_library(library: Library) -> None:
    if has_library(library):
        return
    system.install([library.package], reason=f"for the C library {library.name}")
    if not has_library(library):
        raise Refusal(
            f"The C library {library.name} can't be used: <{library.header}> or {', '.join(library.links)} is missing.",
            next=f"On Debian it comes with {library.package}. Elsewhere, make it visible to the C compiler.",
        )


def has_library(library: Library) -> bool:
    return system.links(system.compiler(), library.header, library.links)


def drop_stale_files(project: Project) -> None:
    """Removes what an earlier build made and the present one doesn't: not every origin has sqlite3ext.h, and SwiftPM makes
    a module map of its own unless ours has libraries to name."""
    built = project.record()
    for file in (project.home / "sqlite3ext.h", project.module_map):
        if built and str(file.relative_to(project.root)) not in built.files and is_ours(file, project):
            file.unlink()


def is_ours(file: Path, project: Project) -> bool:
    """Whether a build made the file. A module map may be somebody else's."""
    return file.is_file() and (file != project.module_map or file.read_text().startswith(headers.MODULE_MAP_MARK))
