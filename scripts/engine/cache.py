"""Verified source, kept for the next time: ${XDG_CACHE_HOME:-~/.cache}/amalgam, or --cache, or $AMALGAM_CACHE.

    sqlite-3.53.4-bf7c7f300318/   one verified canonical source tree
        tree/                     the files that the manifest lists
        origin                    one line: where it came from
    sqlcipher3-0.6.4.tar.gz       the pinned source distribution

An entry is prepared in a folder `.partial-…` and renamed into place, so an entry that exists is complete. Only the holder
of the lock writes, so a `.partial-…` that the holder didn't make was left by a run that was killed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Iterator

from . import terminal
from .lock import Lock

PARTIAL = ".partial-"


def default_folder() -> Path:
    if "AMALGAM_CACHE" in os.environ:
        return Path(os.environ["AMALGAM_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "amalgam"


class Cache:
    def __init__(self, folder: Path) -> None:
        self.folder = folder.expanduser().absolute()

    def entry(self, lock: Lock) -> Path:
        return self.folder / lock.name

    def tree(self, lock: Lock) -> Path:
        return self.entry(lock) / "tree"

    def origin(self, lock: Lock) -> str:
        return (self.entry(lock) / "origin").read_text().strip()

    def has_tree(self, lock: Lock) -> bool:
        return self.tree(lock).is_dir()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """One run at a time may write; the others wait for it, and then find its work done."""
        with exclusive(self.folder):
            remove_leftovers(self.folder, PARTIAL)
            yield

    @contextmanager
    def partial(self) -> Iterator[Path]:
        """A folder for work in progress, gone when the work is over, whatever its end."""
        with temporary_folder(self.folder, PARTIAL) as folder:
            yield folder

    def keep(self, prepared: Path, name: str) -> Path:
        """Moves a finished entry into place."""
        target = self.folder / name
        discard(target)
        prepared.rename(target)
        return target


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as lock_file:
        wait_for(lock_file, folder)
        yield


def wait_for(lock_file: IO[str], folder: Path) -> None:
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        terminal.step(f"Waiting for another run that works in {folder}")
        fcntl.flock(lock_file, fcntl.LOCK_EX)


@contextmanager
def temporary_folder(beside: Path, prefix: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=beside))
    try:
        yield folder
    finally:
        discard(folder)


def remove_leftovers(folder: Path, prefix: str) -> None:
    for leftover in folder.glob(prefix + "*"):
        discard(leftover)


def discard(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
