"""Tries the origins in order until one delivers source that passes verification.

The order is: the cache, then those of sqlite.lock. What a network origin delivers wrongly is a reason to try the next
one; what the user names explicitly is judged for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from . import archive, debian, provenance, pypi, terminal, website
from .amalgamation import version
from .cache import Cache, discard
from .delivery import Delivery, Unavailable
from .lock import Lock, OriginEntry, require_floor
from .record import is_intact
from .refusal import Refusal

AUTO, CACHE = "auto", "cache"
TREE_ORIGINS: dict[str, Callable[[Lock, OriginEntry, Path], Delivery]] = {
    "debian": debian.fetch,
    "sqlite.org": website.fetch,
}
AMALGAMATION_ORIGIN = "pypi"
NO_TREE = f"{AMALGAMATION_ORIGIN}: holds the amalgamation only, where the parser is already generated"
NAMES = (AUTO, CACHE, *TREE_ORIGINS, AMALGAMATION_ORIGIN)


@dataclass(frozen=True)
class Source:
    """Verified source: a canonical tree, or (not canonical) a folder with the amalgamation."""

    folder: Path
    origin: str
    verification: str
    is_canonical: bool


class Sources:
    """One search for source, and what it tried."""

    def __init__(self, lock: Lock, cache: Cache, where: str = AUTO, offline: bool = False) -> None:
        self.lock = lock
        self.cache = cache
        self.where = where
        self.offline = offline
        self.tried: list[str] = []

    def obtain(self, folder: Path, needing_tree: Sequence[str]) -> Source:
        """Source to build from. An amalgamation is unpacked into the folder; a tree stays in the cache."""
        source = self.tree()
        if source is None and self.allows(AMALGAMATION_ORIGIN):
            self.refuse_if_tree_needed(needing_tree)
            source = self.attempt(AMALGAMATION_ORIGIN, lambda: self.amalgamation(folder))
        return source or self.give_up()

    def require_tree(self) -> Source:
        source = self.tree()
        if source is None:
            self.tried.append(NO_TREE)
        return source or self.give_up()

    def tree(self) -> Source | None:
        """A verified canonical tree, if an origin that may be asked delivers one."""
        if self.where not in NAMES:
            return self.given(Path(self.where).expanduser())
        if self.where in (AUTO, CACHE):
            found = self.attempt(CACHE, self.cached)
            if found:
                return found
        for entry in self.lock.origins:
            if entry.name in TREE_ORIGINS and self.allows(entry.name):
                found = self.attempt(entry.name, lambda: self.fetched(entry))
                if found:
                    return found
        return None

    def allows(self, name: str) -> bool:
        """Whether an origin may be asked. Without a network, the amalgamation may still be in the cache."""
        if self.offline and name in TREE_ORIGINS:
            return False
        return self.where in (AUTO, name) or (self.where == CACHE and name == AMALGAMATION_ORIGIN)

    def attempt(self, name: str, obtain: Callable[[], Source]) -> Source | None:
        try:
            return obtain()
        except Unavailable as unavailable:
            self.tried.append(f"{name}: {unavailable}")
        except Refusal as refusal:
            if self.where == name:
                raise
            self.tried.append(f"{name}: {refusal.what}")
        terminal.note(self.tried[-1])
        return None

    # The canonical tree

    def cached(self) -> Source:
        if not self.cache.has_tree(self.lock):
            raise Unavailable(f"no SQLite {self.lock.version} in {self.cache.folder}")
        terminal.step(f"Verifying the cached source of SQLite {self.lock.version}")
        try:
            return self.tree_source(provenance.verify(self.cache.tree(self.lock), self.lock))
        except Refusal:
            discard(self.cache.entry(self.lock))
            raise

    def fetched(self, entry: OriginEntry) -> Source:
        with self.cache.partial() as partial:
            (partial / "download").mkdir()
            return self.adopt(TREE_ORIGINS[entry.name](self.lock, entry, partial / "download"), partial)

    def given(self, path: Path) -> Source:
        if not path.exists():
            raise Refusal(f"There is no {path}.", next=f"Give a folder or an archive, or one of: {', '.join(NAMES)}.")
        with self.cache.partial() as partial:
            return self.adopt(Delivery(path, f"{path.name}, given by the user"), partial)

    def adopt(self, delivery: Delivery, partial: Path) -> Source:
        """Verifies what was delivered and keeps it in the cache."""
        folder = delivery.path if delivery.path.is_dir() else self.unpacked(delivery.path, partial / "unpacked")
        terminal.step("Verifying every file against SQLite's check-in hash")
        entry = partial / "entry"
        (entry / "tree").mkdir(parents=True)
        files = provenance.adopt(provenance.find_tree(folder), self.lock, entry / "tree")
        (entry / "origin").write_text(delivery.origin + "\n")
        self.cache.keep(entry, self.lock.name)
        return self.tree_source(files)

    def unpacked(self, archived: Path, folder: Path) -> Path:
        terminal.step(f"Unpacking {archived.name}")
        archive.unpack(archived, folder)
        return folder

    def tree_source(self, files: int) -> Source:
        return Source(
            self.cache.tree(self.lock),
            self.cache.origin(self.lock),
            f"check-in hash and {files:,} files verified",
            is_canonical=True,
        )

    # The amalgamation

    def amalgamation(self, folder: Path) -> Source:
        entry = self.amalgamation_entry()
        delivery = pypi.extract(self.distribution(entry), entry, folder)
        found = version(delivery.path / "sqlite3.h")
        require_floor(found, self.lock.floor, where=f"{delivery.origin} is")
        if found != self.lock.version:
            raise Refusal(f"{delivery.origin} is SQLite {found}, but sqlite.lock asks for {self.lock.version}.")
        return Source(folder, delivery.origin, "amalgamation pinned by SHA-256", is_canonical=False)

    def amalgamation_entry(self) -> OriginEntry:
        for entry in self.lock.origins:
            if entry.name == AMALGAMATION_ORIGIN:
                return entry
        raise Unavailable("sqlite.lock has no such origin")

    def distribution(self, entry: OriginEntry) -> Path:
        """The pinned source distribution, from the cache or from the package index."""
        ((name, digest),) = entry.pins("archive").items()
        cached = self.cache.folder / name
        if is_intact(cached, digest):
            return cached
        if self.offline or self.where == CACHE:
            raise Unavailable(f"no {name} in {self.cache.folder}")
        with self.cache.partial() as partial:
            fetched = pypi.fetch(entry, partial)
            pypi.require_digest(fetched.read_bytes(), digest, name)
            return self.cache.keep(fetched, name)

    # The answer is no

    def refuse_if_tree_needed(self, options: Sequence[str]) -> None:
        if options:
            raise Refusal(
                f"{', '.join(options)} needs SQLite's canonical source tree, which no origin delivered.",
                "\n".join(self.tried + [NO_TREE]),
                "Give the source (scripts/bootstrap --origin PATH), or leave the option out.",
            )

    def give_up(self) -> Source:
        next = "Give a source archive or folder: scripts/bootstrap --origin PATH (sqlite-src-….zip of sqlite.org)."
        raise Refusal(
            f"No origin delivered SQLite {self.lock.version}. Nothing was changed.",
            "\n".join(self.tried + (["network: not asked, because of --offline"] if self.offline else [])),
            next if not self.offline else "Run it once without --offline, or g" + next[1:],
        )
