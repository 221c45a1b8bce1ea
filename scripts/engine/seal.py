"""scripts/checks/seal: Checks that no symbol of the compiled SQLite can meet another SQLite in the same process."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Sequence

from . import script, symbols
from .project import HERE, Project
from .refusal import Refusal

PATTERNS = ("**/CAmalgam.build/**/*.o", "**/CAmalgam.o")


def main(arguments: Sequence[str], project: Project = HERE) -> int:
    return script.run("seal", lambda: run(parser().parse_args(arguments).path or project.root / ".build"))


def parser() -> argparse.ArgumentParser:
    parser = script.parser("scripts/checks/seal", __doc__)
    path = "an object file or a linked program, or a build folder to find CAmalgam's objects in (default: .build)"
    parser.add_argument("path", nargs="?", type=Path, metavar="PATH", help=path)
    return parser


def run(path: Path) -> None:
    for file in files_to_check(path):
        print(check(file))


def files_to_check(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted({file.resolve() for pattern in PATTERNS for file in path.glob(pattern)})
    if not found:
        raise Refusal(
            f"There is no object file of CAmalgam in {path}.",
            next="Run swift build, or give the path of an object file.",
        )
    return found


def check(file: Path) -> str:
    """One sentence about a sealed file. In an object every symbol is ours; a program has others too."""
    names = symbols.of_object(file)
    sealed = [name for name in names if name.startswith(symbols.SEAL)]
    broken = symbols.foreign(names) if file.suffix == ".o" else symbols.unsealed(names)
    if broken:
        raise Refusal(
            f"The seal of {file} is broken by {len(broken)} of {len(names)} symbols.",
            ", ".join(broken[:12]),
            "Run scripts/bootstrap and build again; every C function of ours must begin with amalgam_.",
        )
    if not sealed:
        raise Refusal(
            f"{file} holds no symbol of Amalgam's SQLite.",
            next="Give the object file of CAmalgam, or a program that links it.",
        )
    return f"{file}: sealed, {len(sealed)} symbols begin with {symbols.SEAL}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
