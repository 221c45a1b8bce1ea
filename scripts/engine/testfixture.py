"""Builds SQLite's own test program, `testfixture`, from the verified tree with exactly the options of our build."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Mapping

from . import amalgamation, cipher, files, headers, system, terminal
from .project import Project
from .record import Record
from .refusal import Refusal
from .sources import Sources


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


def amalgamate(project: Project, built: Record, sources: Sources, workshop: Path) -> None:
    """Makes sqlite3.c as the build did, with the patch of the trait Encryption: the test program is compiled from it. A header
    that is newer than its sources would make it again."""
    failing = "SQLite's amalgamation step failed with these options."
    amalgamation.make("sqlite3.c", built.options, workshop, failing=failing)
    if built.cipher and built.is_canonical:
        header = workshop / "sqlite3.h"
        times = header.stat()
        cipher.apply(project.lock(), sources, workshop, True, project.home, workshop)
        os.utime(header, ns=(times.st_atime_ns, times.st_mtime_ns))


def with_codec(built: Record) -> Record:
    """The build as the trait Encryption makes it, but for our function that initialises the codec: it is in the shims."""
    if built.cipher is None:
        raise Refusal("This SQLite has no code of the trait Encryption.", next="Run: scripts/bootstrap --default")
    system.require_library("crypto", "openssl/evp.h", ["crypto"], "libssl-dev", f"for the trait {headers.ENCRYPTION}")
    codec = {**headers.CIPHER_OPTIONS, "SQLITE_EXTRA_INIT": "sqlcipher_extra_init", "SQLCIPHER_CRYPTO_OPENSSL": "1"}
    return replace(built, options={**built.options, **codec}, libraries=[*built.libraries, "crypto"])


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
