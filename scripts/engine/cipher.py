"""The codec of the trait Encryption: SQLCipher, as a patch on the amalgamation, which is SQLite's own without the trait.

The patch is not in the repository. It is the difference between the amalgamation of the verified tree and the one in a pinned
source distribution: derived once, checked against the SHA-256 in `sqlite.lock`, and kept in the cache. `cures.patch`, which is
ours, repairs what the codec's own failures break. The hunks that would change SQLite's source id are left out.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Iterable, Mapping, Sequence

from . import amalgamation, archive, files, headers, patch, terminal
from . import symbols as objects
from .cache import Cache
from .lock import Cipher, Lock, Origin
from .patch import Hunk
from .refusal import Refusal, Unavailable
from .sources import Sources

NONE, VERIFY = "none", "verify"
CURES = "cures.patch"
FILES = ("sqlite3.c", "sqlite3.h")
# Hunks of the patch that only say that the file is a changed copy of SQLite's, and the lines that they may change.
COPY_MARKS = ("SQLITE_SOURCE_ID", "with changes in files:")
COPY_LINES = ("#define SQLITE_SOURCE_ID ", "**")
PROVIDER = re.compile(r"^int (sqlcipher_\w+_setup)\(sqlcipher_provider \*", re.MULTILINE)


def apply(lock: Lock, sources: Sources, products: Path, is_canonical: bool, home: Path, workshop: Path) -> None:
    """Adds the codec to the amalgamation in the folder, and our cures to the codec."""
    cipher = require(lock)
    content = read(products)
    if is_canonical:
        terminal.step(f"Applying the patch of {cipher}")
        content = patch.apply(content, patch.parse(obtain(lock, sources, workshop)), str(cipher), adds_code)
    content = patch.apply(content, patch.parse((home / CURES).read_text()), CURES)
    for name, text in content.items():
        (products / name).write_text(text)


def verify(lock: Lock, sources: Sources, workshop: Path) -> str:
    """Proves that SQLite's amalgamation and the patch make the files that `sqlite.lock` pins."""
    cipher = require(lock)
    derived = obtain(lock, sources, workshop)
    stock = read(build_stock(cipher, sources, files.new(workshop / "verified-stock")))
    pins = {Path(name).name: digest for name, digest in origin(lock).files.items()}
    for name, text in patch.apply(stock, patch.parse(derived), str(cipher)).items():
        found = hashlib.sha256(text.encode()).hexdigest()
        if found != pins.get(name):
            raise Refusal(
                f"SQLite's amalgamation and the patch of {cipher} don't make {name} of {origin(lock).archive[0]}.",
                f"sqlite.lock pins {pins.get(name, 'nothing')}\nthe two make      {found}",
                "See vendor/sqlite/README.md to move to a new version.",
            )
    return (
        f"{cipher}: the amalgamation of SQLite {lock.version} with {', '.join(cipher.options)}, and the patch "
        f"{cipher.patch[:12]}, are byte for byte the files in {origin(lock).archive[0]}."
    )


def require(lock: Lock) -> Cipher:
    if lock.cipher is None:
        raise Refusal("sqlite.lock names no cipher.", next="Run scripts/bootstrap --cipher none.")
    return lock.cipher


def adds_code(hunk: Hunk) -> bool:
    if not any(mark in line for mark in COPY_MARKS for line in hunk.before):
        return True
    if code := [line for line in hunk.before + hunk.after if not line.startswith(COPY_LINES) and is_changed(line, hunk)]:
        raise Refusal(
            f"A hunk of the patch changes SQLite's source id, and code with it: line {hunk.line}.",
            "".join(code[:3]),
            "scripts/engine/cipher.py leaves out such hunks: it has to divide this one.",
        )
    return False


def is_changed(line: str, hunk: Hunk) -> bool:
    return hunk.before.count(line) != hunk.after.count(line)


# The patch


def obtain(lock: Lock, sources: Sources, workshop: Path) -> str:
    """The patch, from the cache or derived."""
    cipher = require(lock)
    name = f"{cipher.name.lower()}-{cipher.version}-{cipher.patch[:12]}.patch"
    cached = sources.cache.folder / name
    if not files.is_intact(cached, cipher.patch):
        made = workshop / name
        made.write_text(derive(lock, sources, workshop))
        sources.cache.keep(made, name)
    return cached.read_text()


def derive(lock: Lock, sources: Sources, workshop: Path) -> str:
    cipher = require(lock)
    distribution = files.new(workshop / "distribution")
    pinned = origin(lock)
    try:
        archive.extract(sources.pinned_archive(pinned), pinned.files, distribution)
    except Unavailable as unavailable:
        raise Refusal(
            f"The source of {cipher} could not be fetched.",
            f"{pinned.name}: {unavailable}",
            "Try again with a network, or build without it: scripts/bootstrap --cipher none",
        ) from None
    stock = build_stock(cipher, sources, files.new(workshop / "stock"))
    terminal.step(f"Deriving the patch of {cipher}")
    derived = patch.difference(read(stock), read(distribution))
    found = hashlib.sha256(derived.encode()).hexdigest()
    if found != cipher.patch:
        raise Refusal(
            f"The derived patch of {cipher} is not the one that sqlite.lock pins.",
            f"sqlite.lock pins {cipher.patch}\nthe patch is     {found}",
            "Build without it (scripts/bootstrap --cipher none), or see vendor/sqlite/README.md to move to a new version.",
        )
    return derived


def build_stock(cipher: Cipher, sources: Sources, workshop: Path) -> Path:
    """The amalgamation with the options that the pinned one was made with."""
    tree = sources.require_tree().folder
    return amalgamation.build(tree, {f"SQLITE_{option}": "1" for option in cipher.options}, workshop)


def origin(lock: Lock) -> Origin:
    cipher = require(lock)
    for origin in lock.origins:
        if origin.name == cipher.origin and origin.is_pinned:
            return origin
    raise Refusal(f"sqlite.lock has no origin {cipher.origin} with a pinned archive, which {cipher} comes from.")


def read(folder: Path) -> Mapping[str, str]:
    return {name: (folder / name).read_text() for name in FILES}


# The symbols


def symbols(source: Path, included: Iterable[Path], workshop: Path, macros: Sequence[str] = ()) -> list[str]:
    """The symbols that the file defines with the trait and these macros. The compiler sees no provider of cryptography, since
    this machine may lack the library of each; a provider defines one symbol, which the text tells."""
    with_trait = (*macros, headers.CIPHER_MACRO, "SQLCIPHER_CRYPTO_CUSTOM=amalgam_provider")
    try:
        names = objects.of_source(source, included, workshop, with_trait)
    except Refusal as refusal:
        raise Refusal(
            "SQLite compiles with these options, but the code of the trait Encryption doesn't.",
            refusal.why,
            "Leave the options out, or that code: scripts/bootstrap --cipher none",
        ) from None
    return [*names, *PROVIDER.findall(source.read_text())]
