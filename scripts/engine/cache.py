"""Verified source, kept for the next time: ${XDG_CACHE_HOME:-~/.cache}/amalgam, or --cache, or $AMALGAM_CACHE.

    sqlite-3.53.4-bf7c7f300318/   one verified canonical source tree
        tree/                     the files that the manifest lists
        origin                    one line: where it came from
    sqlcipher3-0.6.4.tar.gz       a pinned archive

An entry is prepared in a folder `.partial-…` and renamed into place, so an entry that exists is complete.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path

from . import files
from .lock import Lock

PARTIAL = ".partial-"


def default_folder() -> Path:
    if "AMALGAM_CACHE" in os.environ:
        return Path(os.environ["AMALGAM_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "amalgam"


class Cache:
    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (folder or default_folder()).expanduser().absolute()

    def tree(self, lock: Lock) -> Path:
        return self.folder / lock.entry / "tree"

    def exclusive(self) -> AbstractContextManager[None]:
        return files.exclusive(self.folder, PARTIAL)

    def partial(self) -> AbstractContextManager[Path]:
        return files.temporary_folder(self.folder, PARTIAL)

    def keep(self, prepared: Path, name: str) -> Path:
        """Moves a finished entry into place."""
        files.discard(self.folder / name)
        return prepared.rename(self.folder / name)
