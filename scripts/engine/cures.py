"""Our repairs of SQLite: `sqlite.patch`, which every build has, with and without the codec."""

from __future__ import annotations

from pathlib import Path

from . import cipher, patch

NAME = "sqlite.patch"


def apply(products: Path, home: Path) -> None:
    """Repairs the amalgamation in the folder."""
    if not (home / NAME).is_file():
        return
    for name, text in patch.apply(cipher.read(products), patch.parse((home / NAME).read_text()), NAME).items():
        (products / name).write_text(text)
