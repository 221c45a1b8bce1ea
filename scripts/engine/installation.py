"""Puts a finished set of files in place: all of them or none.

A set is prepared in `vendor/sqlite/.incoming-…`, with the paths the files will have in the project. Renaming that folder
to `vendor/sqlite/.ready` is the moment of decision: before it, nothing has changed; after it, the files only have to be
moved to where they belong. A run that is killed while it moves them leaves `.ready` behind, and the next run finishes.
Between the two, the generated headers don't fit together and refuse to compile, so no build can mix two sets.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from .cache import discard, exclusive, remove_leftovers, temporary_folder

INCOMING, READY = ".incoming-", ".ready"


class Installation:
    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home

    @property
    def ready(self) -> Path:
        return self.home / READY

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """One run at a time. What an earlier run left is finished, or swept away if it wasn't ready."""
        with exclusive(self.home):
            remove_leftovers(self.home, INCOMING)
            self.finish()
            yield

    @contextmanager
    def preparation(self) -> Iterator[Path]:
        """A folder to prepare a set in. It is installed when the work ends well, and gone otherwise."""
        with temporary_folder(self.home, INCOMING) as folder:
            prepared = folder / "set"
            prepared.mkdir()
            yield prepared
            discard(self.ready)
            prepared.rename(self.ready)
            self.finish()

    def finish(self) -> None:
        """Moves the files of a ready set. Safe to repeat, so it may be interrupted anywhere."""
        if not self.ready.is_dir():
            return
        for file in sorted(path for path in self.ready.rglob("*") if path.is_file()):
            target = self.root / file.relative_to(self.ready)
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
        discard(self.ready)
