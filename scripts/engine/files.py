"""Files and folders: their digests, folders for work in progress, and the lock that lets one run at a time write."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from . import terminal


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def is_intact(file: Path, expected: str) -> bool:
    return file.is_file() and digest(file) == expected


def new(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def discard(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def exclusive(folder: Path, leftovers: str) -> Iterator[None]:
    """One run at a time may write into the folder; the others wait for it, and then find its work done.

    Folders with the prefix `leftovers` that are there at first were left by a run that was killed, and are removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as lock_file:
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            terminal.step(f"Waiting for another run that works in {folder}")
            fcntl.flock(lock_file, fcntl.LOCK_EX)
        for leftover in folder.glob(leftovers + "*"):
            discard(leftover)
        yield


@contextmanager
def temporary_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A folder for work in progress, gone when the work is over, whatever its end."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield folder
    finally:
        discard(folder)
