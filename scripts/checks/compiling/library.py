"""Compiles Swift files that import the modules of a build, without generating code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable, NamedTuple, Sequence

ROOT = Path(__file__).resolve().parents[3]
REQUESTS = ROOT / "Benchmarks" / "TypeChecking"
# See scripts/swift.sh.
os.environ["SWIFT_DETERMINISTIC_HASHING"] = os.environ["AMALGAM_CHECKS"] = "1"


class Library(NamedTuple):
    """A library that files are compiled against: its module, and the map of the C module below it."""

    module: str
    modules: Path
    c_module_map: Path
    c_headers: Path


def amalgam(modules: Path, folder: Path) -> Library:
    """Amalgam, of compiled modules. The map of the C module is written into the folder."""
    headers = ROOT / "Sources/CAmalgam/include"
    module_map = folder / "module.modulemap"
    module_map.write_text(f'module CAmalgam {{ umbrella "{headers}" export * }}\n')
    return Library("Amalgam", modules, module_map, headers)


def build(progress: Callable[[str], None]) -> Path | None:
    """The folder of the modules of a debug build; None if Amalgam does not build."""
    progress("building Amalgam")
    # As scripts/test builds it.
    command = ["swift", "build", "--package-path", str(ROOT), "--traits", "OpenCombine,Encryption,Macros,Replication", "--target", "Amalgam"]
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        return None
    path = subprocess.check_output(["swift", "build", "--package-path", str(ROOT), "--show-bin-path"], text=True).strip()
    return Path(path) / "Modules"


def module_maps(library: Library) -> list[str]:
    """Options for the maps of the C modules that the library imports."""
    # Of C targets of packages that the modules import. Those of macros and plugins are in folders of their own.
    others = [
        *library.modules.parent.glob("COpenCombine*.build/module.modulemap"),
        *(library.modules.parent.parent.parent / "checkouts").glob("swift-s*/Sources/*C*/include/module.modulemap"),
    ]
    paths = [library.c_module_map, *(path for path in others if not path.parent.name.endswith("-tool.build"))]
    return [*(word for path in paths for word in ("-Xcc", f"-fmodule-map-file={path}")), "-Xcc", "-I", "-Xcc", str(library.c_headers)]


def compile_files(
    library: Library, files: Sequence[Path], folder: Path, limit: int
) -> subprocess.CompletedProcess[str]:
    """Type-checks files that need not import the library. The compiler warns of expressions above a limit, in ms."""
    main_file = folder / "Library.swift"
    main_file.write_text(f"@_exported import {library.module}\n")
    command = [
        "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-diagnostic-style", "llvm",
        # Errors in one file must not hide those in the next.
        "-continue-building-after-errors",
        "-I", str(library.modules), "-module-cache-path", str(folder / "cache"),
        *module_maps(library),
        "-Xfrontend", f"-warn-long-expression-type-checking={limit}", str(main_file), *map(str, files),
    ]  # fmt: skip
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def sources(folder: Path) -> list[Path]:
    """The Swift files of a folder, without those of its folders."""
    return sorted(folder.glob("*.swift"))
