"""Finds a pinned source: tries the cache and the origins of a lock file, in order, until one delivers what the lock file pins.

What a network origin delivers wrongly is a reason to try the next one; what the user names explicitly is judged for itself.
Another pinned source is a lock file: `Sources(lock.read(path), cache).obtain(folder)` fetches it, verifies it and unpacks it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable, Iterable, NoReturn, Sequence

from . import archive, debian, provenance, pypi, terminal, website
from .cache import Cache
from .files import discard, is_intact, new
from .lock import Lock, Origin
from .refusal import Refusal, Unavailable

AUTO, CACHE = "auto", "cache"
# What an origin's archives are called, and how one of them is fetched into a folder.
ORIGINS: dict[str, tuple[str, Callable[[Lock, Origin, Path], Path]]] = {
    "debian": ("Debian source package", debian.fetch),
    "sqlite.org": ("sqlite.org", website.fetch),
    "pypi": ("Python source distribution", pypi.fetch),
    "github.com": ("github.com", website.fetch),
}
NAMES = (AUTO, CACHE, *ORIGINS)
NO_TREE = "pypi: holds the amalgamation only, where the parser is already generated"


@dataclass(frozen=True)
class Source:
    """Verified source: SQLite's canonical tree, or (not canonical) a folder with the files of a pinned archive."""

    folder: Path
    origin: str
    verification: str
    is_canonical: bool


class Sources:
    """One search for a source, and why origins didn't deliver it."""

    def __init__(self, lock: Lock, cache: Cache, where: str = AUTO, offline: bool = False) -> None:
        self.lock = lock
        self.cache = cache
        self.where = where
        self.offline = offline
        self.tried: list[str] = []
        self.found: Source | None = None

    def obtain(self, folder: Path, needing_tree: Sequence[str] = ()) -> Source:
        """Source to build from. A pinned archive is unpacked into the folder; a canonical tree stays in the cache."""
        source = self.tree()
        if not source and needing_tree and self.pinned_origins():
            raise Refusal(
                f"{', '.join(needing_tree)} needs SQLite's canonical source tree, which no origin delivered.",
                "\n".join([*self.tried, NO_TREE]),
                "Give the source (scripts/bootstrap --origin PATH), or leave the option out.",
            )
        return source or self.pinned(folder) or self.give_up()

    def require_tree(self) -> Source:
        return self.tree() or self.give_up(NO_TREE)

    def give_up(self, *reasons: str) -> NoReturn:
        asked = ["network: not asked, because of --offline"] if self.offline else []
        give = "a source archive or folder: scripts/bootstrap --origin PATH (sqlite-src-….zip of sqlite.org)."
        raise Refusal(
            f"No origin delivered {self.lock.name} {self.lock.version}. Nothing was changed.",
            "\n".join([*self.tried, *reasons, *asked]),
            f"Run it once without --offline, or give {give}" if self.offline else f"Give {give}",
        )

    def first(self, attempts: Iterable[tuple[str, Callable[[], Source]]]) -> Source | None:
        """What the first successful attempt delivers."""
        for name, obtain in attempts:
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

    # Canonical trees, which the check-in hash proves

    def tree(self) -> Source | None:
        """SQLite's canonical tree, if an origin that may be asked delivers one. It is fetched and verified once."""
        self.found = self.found or self.search()
        return self.found

    def search(self) -> Source | None:
        if self.where not in NAMES:
            return self.given(Path(self.where).expanduser())
        attempts = [(CACHE, self.cached)] if self.lock.check_in and self.where in (AUTO, CACHE) else []
        for origin in self.lock.origins:
            if not origin.is_pinned and self.where in (AUTO, origin.name) and not self.offline:
                attempts.append((origin.name, partial(self.fetched, origin)))
        return self.first(attempts)

    def cached(self) -> Source:
        tree = self.cache.tree(self.lock)
        if not tree.is_dir():
            raise Unavailable(f"no {self.lock.name} {self.lock.version} in {self.cache.folder}")
        terminal.step(f"Verifying the cached source of {self.lock.name} {self.lock.version}")
        try:
            return self.tree_source(provenance.verify(tree, self.lock))
        except Refusal:
            discard(tree.parent)
            raise

    def fetched(self, origin: Origin) -> Source:
        with self.cache.partial() as work:
            title, fetch = ORIGINS[origin.name]
            archived = fetch(self.lock, origin, new(work / "download"))
            return self.adopt(archived, f"{title} {archived.name}", work)

    def given(self, path: Path) -> Source:
        if not path.exists():
            raise Refusal(f"There is no {path}.", next=f"Give a folder or an archive, or one of: {', '.join(NAMES)}.")
        with self.cache.partial() as work:
            return self.adopt(path, f"{path.name}, given by the user", work)

    def adopt(self, path: Path, words: str, work: Path) -> Source:
        """Verifies what was delivered and keeps it in the cache."""
        folder = path if path.is_dir() else self.unpacked(path, work / "unpacked")
        terminal.step("Verifying every file against SQLite's check-in hash")
        tree = new(work / "entry" / "tree")
        files = provenance.adopt(provenance.find_tree(folder), self.lock, tree)
        (tree.parent / "origin").write_text(words + "\n")
        self.cache.keep(tree.parent, self.lock.entry)
        return self.tree_source(files)

    def tree_source(self, files: int) -> Source:
        tree = self.cache.tree(self.lock)
        words = (tree.parent / "origin").read_text().strip()
        return Source(tree, words, f"check-in hash and {files:,} files verified", is_canonical=True)

    # Archives, which are pinned by their SHA-256

    def pinned_origins(self) -> list[Origin]:
        """The cache may have the archive of any of them."""
        return [origin for origin in self.lock.origins if origin.is_pinned and self.where in (AUTO, CACHE, origin.name)]

    def pinned(self, folder: Path) -> Source | None:
        """The files of a pinned archive, in the folder."""
        return self.first(
            (origin.name, partial(self.pinned_source, origin, folder)) for origin in self.pinned_origins()
        )

    def pinned_source(self, origin: Origin, folder: Path) -> Source:
        archived = self.pinned_archive(origin)
        if origin.files:
            archive.extract(archived, origin.files, folder)
        else:
            self.unpacked(archived, folder)
        title, _ = ORIGINS[origin.name]
        return Source(folder, f"{title} {archived.name}", "archive pinned by SHA-256", is_canonical=False)

    def pinned_archive(self, origin: Origin) -> Path:
        """The pinned archive, from the cache or from its origin."""
        name, digest = origin.archive
        cached = self.cache.folder / name
        if is_intact(cached, digest):
            return cached
        if self.offline or self.where == CACHE:
            raise Unavailable(f"no {name} in {self.cache.folder}")
        with self.cache.partial() as work:
            _, fetch = ORIGINS[origin.name]
            fetched = fetch(self.lock, origin, work)
            archive.require_digest(fetched.read_bytes(), digest, name)
            return self.cache.keep(fetched, name)

    def unpacked(self, archived: Path, folder: Path) -> Path:
        terminal.step(f"Unpacking {archived.name}")
        archive.unpack(archived, folder)
        return folder
