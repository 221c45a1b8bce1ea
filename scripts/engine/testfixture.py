"""Builds SQLite's own test program, `testfixture`, from the verified tree with exactly the options of our build."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Mapping

from . import amalgamation, files, headers, system, terminal
from .project import Project
from .record import Record
from .refusal import Refusal


def configure(tree: Path, workshop: Path) -> None:
    """Configures the build, with the libraries that only the tests need."""
    amalgamation.configure(tree, workshop)
    missing = missing_packages((workshop / "Makefile").read_text())
    if missing:
        system.install(missing, reason="for SQLite's tests")
        amalgamation.configure(tree, workshop)


def missing_packages(makefile: str) -> list[str]:
    """What `configure` looked for in vain."""
    signs = {"tcl-dev": "\nHAVE_TCL = 1", "zlib1g-dev": "\nLDFLAGS.zlib = -lz"}
    return [package for package, sign in signs.items() if sign not in makefile]


def make(project: Project, built: Record, overrides: Mapping[str, str], workshop: Path) -> None:
    """Makes the test program, with some options at another value than ours where a proof asks for it."""
    (workshop / "testfixture").unlink(missing_ok=True)
    amalgamation.make(
        "testfixture",
        {**built.options, **{"SQLITE_" + name: value for name, value in overrides.items()}},
        workshop,
        f"CFLAGS=-O2 -w -include {shlex.quote(str(project.home / headers.PLATFORM))}",
        f"LDFLAGS.zlib=-lz {' '.join(f'-l{library}' for library in built.libraries)}",
        failing="SQLite's test program could not be built.",
    )


def require_same_source(built: Record, workshop: Path) -> None:
    """The tests must run on the very file that Amalgam compiles."""
    if not built.is_canonical:
        terminal.note(f"Amalgam's sqlite3.c comes from another origin than these tests: {built.origin}")
    elif files.digest(workshop / "sqlite3.c") != built.files["vendor/sqlite/sqlite3.c"]:
        raise Refusal(
            "The tests would run on another sqlite3.c than Amalgam's.", next="Run scripts/bootstrap, then this again."
        )
