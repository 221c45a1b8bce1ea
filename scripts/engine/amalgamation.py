"""SQLite's own build step: `configure` and `make sqlite3.c` turn the source tree into the amalgamation.

The options are given to this step, not only to the compiler, because some of them change the parser, which is generated
here. Those that `configure` would add by itself are switched off (OPT_FEATURE_FLAGS), so that a build has exactly ours.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Mapping

from . import system, terminal
from .refusal import Refusal

PRODUCTS = ("sqlite3.c", "sqlite3.h", "sqlite3ext.h")
SOURCES = ("src/*.c", "src/*.h", "src/*.in", "src/*.y", "tool/mkkeywordhash.c", "ext/*/*.c", "ext/*/*.h")
CONDITION = re.compile(r"^\s*[#%]\s*(?:if|ifdef|ifndef|elif)\b.*$", re.MULTILINE)
MACRO = re.compile(r"\bSQLITE_([A-Z][A-Z0-9_]*)")
DEFAULT_VALUE = re.compile(r"^\s*#\s*define\s+SQLITE_([A-Z][A-Z0-9_]*)[ \t]+([^\s/].*?)\s*(?:/\*.*)?$", re.MULTILINE)


def build(tree: Path, macros: Mapping[str, str], workshop: Path) -> Path:
    """Builds the amalgamation in the workshop, leaving the tree as it is, and returns the folder that has it."""
    configure(tree, workshop, "--disable-tcl")
    terminal.step("Making the amalgamation")
    make("sqlite3.c", macros, workshop, failing="SQLite's amalgamation step failed with these options.")
    return workshop


def configure(tree: Path, workshop: Path, *options: str) -> None:
    system.require([system.COMPILER, system.MAKE])
    terminal.step("Configuring SQLite's build")
    if " " in str(tree):
        # SQLite's build can't work in a folder with a space in its path; a copy in the workshop can stand in.
        tree = Path(shutil.copytree(tree, workshop / "tree"))
    configure = ["env", f"CC={system.compiler()}", "sh", str(tree / "configure")]
    system.checked(
        [*configure, "--all", "--disable-readline", *options], workshop, failing="SQLite's configure script failed."
    )


def make(target: str, macros: Mapping[str, str], workshop: Path, *variables: str, failing: str) -> None:
    """Runs make with exactly these macros, in a variable that its recipes hand to the shell."""
    words = " ".join(shlex.quote(f"-D{name}={value}") for name, value in macros.items()).replace("$", "$$")
    command = [system.path_of(system.MAKE), target, "OPT_FEATURE_FLAGS=", f"OPTS={words}", *variables]
    system.checked(command, workshop, failing=failing)


def known_options(folder: Path) -> dict[str, str]:
    """The names that the source asks for in its conditions, each with the value it falls back to, if it has one."""
    text = "\n".join(path.read_text(errors="replace") for path in source_files(folder))
    names = {name for condition in CONDITION.findall(text) for name in MACRO.findall(condition)}
    values = dict(DEFAULT_VALUE.findall(text))
    return {name: numeric(values.get(name, "")) for name in names}


def source_files(folder: Path) -> list[Path]:
    """The files of a source tree that know options; or the amalgamation, where that is all there is."""
    return [path for pattern in SOURCES for path in sorted(folder.glob(pattern))] or [folder / "sqlite3.c"]


def numeric(value: str) -> str:
    """The value, if it is one that a number could replace. `#define SQLITE_DEBUG 1` is a switch, not a number."""
    return value if re.fullmatch(r"[(]?-?\d[\w]*[)]?", value) and value not in ("0", "1") else ""


def require_version(header: Path, version: str, origin: str) -> None:
    """sqlite3.h declares the version: a lock file may pin the archive of another one by mistake."""
    found = re.search(r'^#define SQLITE_VERSION\s+"([\d.]+)"', header.read_text(errors="replace"), re.MULTILINE)
    if not found or found[1] != version:
        raise Refusal(f"{origin} is SQLite {found[1] if found else '?'}, but sqlite.lock asks for {version}.")
