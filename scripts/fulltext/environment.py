"""The Python package `tantivy`, installed into a folder that only the benchmarks use."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Callable

from engine import system
from engine.pypi import pip, require_pip
from engine.refusal import Unavailable

REQUIREMENT = "tantivy==0.27.0"
SCRIPTS = Path(__file__).resolve().parent.parent


def with_tantivy(build: Path, progress: Callable[[str], None]) -> dict[str, str]:
    """The additions to the environment of a Python process that imports `tantivy` and the modules of scripts/.

    The package is installed where it isn't yet.
    """
    folder = build / REQUIREMENT.replace("==", "-")
    if not folder.exists():
        progress(f"installing {REQUIREMENT} into {folder}")
        install(folder)
    return {"PYTHONPATH": os.pathsep.join([str(SCRIPTS), str(folder)]), "PYTHONDONTWRITEBYTECODE": "1"}


def install(folder: Path) -> None:
    require_pip()
    draft = folder.with_name(folder.name + ".draft")
    shutil.rmtree(draft, ignore_errors=True)
    # Only binary packages: the others run foreign code when they are installed.
    options = ["--quiet", "--only-binary", ":all:", "--no-deps", "--target", draft]
    result = system.run(pip("install", *options, REQUIREMENT))
    if result.returncode != 0:
        raise Unavailable(system.last_lines(result.stdout, 2) or "pip could not install it")
    draft.rename(folder)


def python(module: str) -> list[str]:
    """The command that runs a module of scripts/."""
    return [sys.executable, "-m", module]
