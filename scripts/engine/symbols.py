"""The global symbols of an object file, and the seal: every one of ours begins with `amalgam_`.

Two SQLite libraries in one process must not meet at link time, or each would call into the other's functions. So the
generated header renames every global symbol of the amalgamation; which ones there are, the object itself says. It also
renames what sqlite3.h declares and these options leave out: a call to such a function must fail to link, and not find
the one of the other library.
"""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import Iterable, Sequence

from . import system

SEAL = "amalgam_"
DECLARATION = re.compile(r"^SQLITE_API [^;(]*?\b(sqlite3\w*)\(", re.MULTILINE)


def of_source(source: Path, headers: Iterable[Path], workshop: Path, macros: Sequence[str] = ()) -> list[str]:
    """The symbols that the C file defines when it is compiled after the headers, with these macros."""
    compiled = workshop / "sqlite3.o"
    includes = [word for header in headers for word in ("-include", header)]
    system.checked(
        [system.compiler(), "-O0", "-w", "-c", *(f"-D{macro}" for macro in macros), *includes, source, "-o", compiled],
        failing="SQLite does not compile with these options.",
    )
    return of_object(compiled)


def declared(header: Path) -> list[str]:
    """The functions that sqlite3.h declares, under whatever condition."""
    return sorted(set(DECLARATION.findall(header.read_text(errors="replace"))))


def of_object(file: Path) -> list[str]:
    """The global symbols that the object, archive or program defines, as C spells them."""
    listed = system.checked(
        [system.path_of(system.SYMBOL_LISTER), *lister_options(), file], failing=f"nm can't read {file}."
    )
    names = {words[-1] for words in map(str.split, listed.splitlines()) if len(words) >= 2}
    return sorted(map(c_name, names))


def lister_options() -> Sequence[str]:
    return ("-gU",) if platform.system() == "Darwin" else ("-g", "--defined-only")


def c_name(symbol: str) -> str:
    """macOS puts an underscore before every C name."""
    return symbol[1:] if platform.system() == "Darwin" and symbol.startswith("_") else symbol


def unsealed(names: Iterable[str]) -> list[str]:
    """The names that another SQLite or SQLCipher in the process could define too."""
    return [name for name in names if name.startswith(("sqlite3", "sqlcipher", "xoshiro"))]


def foreign(names: Iterable[str]) -> list[str]:
    """The names of an object that are not ours. Those with two underscores belong to the compiler."""
    return [name for name in names if not name.startswith((SEAL, "__"))]
