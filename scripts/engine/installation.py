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

from . import files
from .headers import MODULE_MAP_MARK
from .project import Project

INCOMING, READY = ".incoming-", ".ready"


@contextmanager
def exclusive(project: Project) -> Iterator[None]:
    """One run at a time. What an earlier run left is finished, or swept away if it wasn't ready."""
    with files.exclusive(project.home, INCOMING):
        finish(project)
        yield


@contextmanager
def preparation(project: Project) -> Iterator[Path]:
    """A folder to prepare a set in. It is installed when the work ends well, and gone otherwise."""
    with files.temporary_folder(project.home, INCOMING) as prepared:
        yield prepared
        files.discard(project.home / READY)
        prepared.rename(project.home / READY)
    finish(project)


def finish(project: Project) -> None:
    """Moves the files of a ready set, if there is one. Safe to repeat, so it may be interrupted anywhere."""
    ready = project.home / READY
    for file in sorted(path for path in ready.rglob("*") if path.is_file()):
        target = project.root / file.relative_to(ready)
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)
    files.discard(ready)
    remove_stale_files(project)


def remove_stale_files(project: Project) -> None:
    """Removes what an earlier build made and the present one doesn't: not every origin has sqlite3ext.h, decimal.c or recover.c,
    stemmers can be left out, and a module map is made only where the options link libraries. A module map without our mark isn't ours."""
    built = project.record()
    optional = ("sqlite3ext.h", "snowball.c", "decimal.c", "recover.c")
    for file in (*(project.home / name for name in optional), project.module_map):
        if built and file.is_file() and str(file.relative_to(project.root)) not in built.files:
            if file != project.module_map or file.read_text().startswith(MODULE_MAP_MARK):
                file.unlink()
