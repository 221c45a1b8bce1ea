"""One build: from a choice of options to a complete set of files in vendor/sqlite."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

from . import amalgamation, calls, choice, cipher, cures, decimals, files, headers, installation, record, recovery, stemmers, symbols, system, terminal
from .cache import Cache
from .choice import Choice
from .files import digest, new
from .project import Project
from .record import Record
from .sources import Source, Sources

# What the shape of the generated files depends on: a change here makes every earlier build out of date.
GENERATORS = (
    "amalgamation.py", "build.py", "cipher.py", "cures.py", "decimals.py", "headers.py", "patch.py", "recovery.py", "stemmers.py",
    "symbols.py",
)


class Build:
    def __init__(self, project: Project, options: Choice) -> None:
        self.project = project
        self.choice = options
        self.lock = project.lock()
        self.catalogue = project.catalogue()
        self.resolved = choice.resolve(options, self.catalogue)
        self.option_traits = self.catalogue.possible_traits(self.resolved.macros)
        has_cipher = options.has_cipher and not headers.cipher_conflicts(self.resolved.macros)
        self.cipher = self.lock.cipher if has_cipher else None
        self.stemmers = stemmers.read_lock(project.home) if options.has_stemmers else None

    @property
    def traits(self) -> list[str]:
        """The names of the traits that this build allows."""
        return [*(trait.name for trait in self.option_traits), *([headers.ENCRYPTION] if self.cipher else [])]

    @property
    def inputs(self) -> str:
        """A digest of everything the result depends on, except the origin: SQLite is the same from each."""
        parts = [
            self.lock.version,
            self.lock.check_in,
            self.options_header("0" * 7),
            self.resolved.platform,
            self.resolved.links,
            choice.written(self.choice),
            [self.cipher.patch, digest(self.project.home / cipher.CURES)] if self.cipher else [],
            [digest(file) for name in (cures.NAME, recovery.PATCH) if (file := self.project.home / name).is_file()],
            [self.stemmers.version, self.stemmers.origins[0].archive[1]] if self.stemmers else [],
            [digest(Path(__file__).with_name(name)) for name in GENERATORS],
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def options_header(self, inputs: str) -> str:
        return headers.options(self.catalogue, self.resolved.macros, self.cipher, inputs)

    def is_up_to_date(self) -> bool:
        built = self.project.record()
        return built is not None and built.inputs == self.inputs and not damaged_files(self.project, built)

    def run(self, cache: Cache, where: str, offline: bool) -> Record:
        """Builds and installs. Until the very end, nothing in the project changes."""
        with cache.exclusive(), workshop_in(cache) as workshop:
            sources = Sources(self.lock, cache, where, offline)
            source = sources.obtain(new(workshop / "source"), self.resolved.needing_tree)
            choice.refuse_unknown(self.choice, self.catalogue, amalgamation.known_options(source.folder))
            for library in self.resolved.libraries:
                system.require_library(library.name, library.header, library.links, library.package)
            products = self.products(source, new(workshop / "build"))
            if self.cipher:
                cipher.apply(self.lock, sources, products, source.is_canonical, self.project.home, workshop)
            cures.apply(products, self.project.home)
            if self.stemmers:
                number = headers.number(self.inputs)
                text = stemmers.build(self.stemmers, cache, offline, number, new(workshop / "snowball"))
                (products / stemmers.NAME).write_text(text)
            if source.is_canonical and (text := decimals.text(source.folder, headers.number(self.inputs))):
                (products / decimals.NAME).write_text(text)
            if source.is_canonical:
                text = recovery.text(source.folder, self.project.home, headers.number(self.inputs))
                if text:
                    (products / recovery.NAME).write_text(text)
            with installation.preparation(self.project) as prepared:
                return self.prepare(prepared, source, products, workshop)

    def products(self, source: Source, workshop: Path) -> Path:
        """The folder with sqlite3.c and its headers."""
        folder = source.folder
        if source.is_canonical:
            folder = amalgamation.build(source.folder, self.resolved.macros, workshop)
        amalgamation.require_version(folder / "sqlite3.h", self.lock.version, source.origin)
        return folder

    def prepare(self, prepared: Path, source: Source, products: Path, workshop: Path) -> Record:
        """Writes the complete set, with the paths that its files will have in the project."""
        home = new(prepared / self.project.home.relative_to(self.project.root))
        for name in (*amalgamation.PRODUCTS, *([stemmers.NAME] if self.stemmers else []), decimals.NAME, recovery.NAME):
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
        options.write_text(self.options_header(self.inputs))
        facts.write_text(headers.platform(self.resolved.platform))
        names = self.symbols(home / "sqlite3.c", [options, facts], workshop)
        declared = symbols.declared(home / "sqlite3.h")
        calls.refuse_missing(self.project.root / "Sources", declared, names)
        (home / headers.SYMBOLS).write_text(headers.symbols(sorted({*names, *declared}), self.inputs))
        (home / headers.BUILD).write_text(
            headers.build(
                self.lock, source, not self.choice.is_default, self.catalogue, self.cipher, self.stemmers,
                (home / decimals.NAME).is_file(), (home / recovery.NAME).is_file(), self.inputs,
            )
        )
        return names

    def symbols(self, source: Path, facts: list[Path], workshop: Path) -> list[str]:
        """The symbols of the file, without traits and with all of them."""
        terminal.step("Compiling it once, to learn its symbols")
        names = symbols.of_source(source, facts, workshop)
        if self.traits:
            terminal.step(f"Compiling it with the traits {', '.join(self.traits)}")
            learn = cipher.symbols if self.cipher else symbols.of_source
            names += learn(source, facts, workshop, [trait.definition for trait in self.option_traits])
        return sorted(set(names))

    def record(self, source: Source, prepared: Path, symbol_count: int) -> Record:
        written = sorted(file for file in prepared.rglob("*") if file.is_file())
        return Record(
            version=self.lock.version,
            check_in=self.lock.check_in,
            origin=source.origin,
            verification=source.verification,
            is_canonical=source.is_canonical,
            chosen=self.choice.differences,
            options=self.resolved.macros,
            traits=self.traits,
            libraries=self.resolved.links,
            cipher={"name": self.cipher.name, "version": self.cipher.version, "patch": self.cipher.patch}
            if self.cipher
            else None,
            stemmers={"name": self.stemmers.name, "version": self.stemmers.version} if self.stemmers else None,
            symbols=symbol_count,
            inputs=self.inputs,
            files={str(file.relative_to(prepared)): digest(file) for file in written},
        )


def workshop_in(cache: Cache) -> AbstractContextManager[Path]:
    """A folder to build in: in the cache, where the next run sweeps up after one that was killed, or where that has a
    space in its path, which SQLite's build can't bear, in the system's folder for temporary files."""
    if " " in str(cache.folder):
        return files.temporary_folder(Path(tempfile.gettempdir()), "amalgam-")
    return cache.partial()


def damaged_files(project: Project, built: Record) -> list[str]:
    """The files that are not as they were built."""
    return [name for name, expected in built.files.items() if not files.is_intact(project.root / name, expected)]
