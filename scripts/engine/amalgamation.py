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
    system.require([system.COMPILER, system.MAKE])
    configure(tree, workshop, "--all", "--disable-tcl", "--disable-readline")
    terminal.step("Making the amalgamation")
    make = [system.path_of(system.MAKE), "sqlite3.c", "OPT_FEATURE_FLAGS=", f"OPTS={make_words(macros)}"]
    system.checked(make, workshop, failing="SQLite's amalgamation step failed with these options.")
    return workshop


def configure(tree: Path, workshop: Path, *options: str) -> None:
    terminal.step("Configuring SQLite's build")
    system.checked(
        ["env", f"CC={system.compiler()}", "sh", spaceless(tree, workshop) / "configure", *options],
        workshop,
        failing="SQLite's configure script failed.",
    )


def spaceless(tree: Path, workshop: Path) -> Path:
    """SQLite's build can't work in a folder with a space in its path; a copy in the workshop can stand in."""
    if " " not in str(tree):
        return tree
    return Path(shutil.copytree(tree, workshop / "tree"))


def make_words(macros: Mapping[str, str]) -> str:
    """The macros as a make variable that a recipe hands to the shell."""
    return " ".join(shlex.quote(f"-D{name}={value}") for name, value in macros.items()).replace("$", "$$")


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
