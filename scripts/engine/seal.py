"""scripts/checks/seal: Checks that no symbol of the compiled SQLite can meet another SQLite in the same process."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

from . import headers, script, symbols, system, terminal
from .build import Build
from .project import HERE, Project
from .refusal import Refusal

PATTERNS = ("**/CAmalgam.build/**/*.o", "**/CAmalgam.o")
COMPILERS = ("clang", "gcc")


def main(arguments: Sequence[str], project: Project = HERE) -> int:
    return script.run("seal", lambda: run(parser().parse_args(arguments), project))


def parser() -> argparse.ArgumentParser:
    parser = script.parser("scripts/checks/seal", __doc__)
    path = "an object file or a linked program, or a build folder to find CAmalgam's objects in (default: .build)"
    parser.add_argument("path", nargs="?", type=Path, metavar="PATH", help=path)
    compilers = f"compile SQLite with {' and '.join(COMPILERS)}, without traits, with all, and with {headers.ENCRYPTION}"
    parser.add_argument("--compilers", action="store_true", help=compilers)
    return parser


def run(arguments: argparse.Namespace, project: Project) -> None:
    if arguments.compilers:
        check_compilers(project)
        return
    for file in files_to_check(arguments.path or project.root / ".build"):
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


# Every compiler and combination of traits


def check_compilers(project: Project) -> None:
    """gcc and clang rename differently, and traits add symbols: the seal holds for each combination."""
    built = project.record()
    build = Build(project, project.choice())
    if built is None or not build.is_up_to_date():
        raise Refusal("SQLite is not built, or not as it should be.", next="Run: scripts/bootstrap")
    if build.cipher and sys.platform != "darwin":
        reason = f"for the trait {headers.ENCRYPTION}"
        system.require_library("crypto", "openssl/evp.h", ["crypto"], "libssl-dev", reason)
    source = project.root / "Sources/CAmalgam/amalgamation.c"
    for compiler in COMPILERS:
        if not shutil.which(compiler):
            terminal.note(f"{compiler} isn't installed")
            continue
        for name, definitions in combinations(build).items():
            print(f"{compiler}, {name}: {check_compiled(compiler, source, definitions)}")


def combinations(build: Build) -> Mapping[str, Sequence[str]]:
    """What Package.swift gives to the C compiler."""
    options = [trait.definition for trait in build.option_traits]
    if not build.cipher:
        return {"no traits": [], "all traits": options}
    return {"no traits": [], "all traits": [*options, headers.CIPHER_MACRO], headers.ENCRYPTION: [headers.CIPHER_MACRO]}


def check_compiled(compiler: str, source: Path, definitions: Sequence[str]) -> str:
    with tempfile.TemporaryDirectory(prefix="amalgam-seal-") as folder:
        compiled = Path(folder) / "amalgamation.o"
        command = [compiler, "-O0", "-w", "-c", *(f"-D{it}" for it in definitions), source, "-o", compiled]
        system.checked(command, failing=f"{compiler} can't compile SQLite: {' '.join(definitions) or 'no traits'}.")
        return check(compiled).partition(": ")[2]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
