"""Installs independent builds of SQLCipher: python3 Tests/EncryptionFiles/packages.py FOLDER

Makes a virtual environment in the folder, installs two wheels there and Debian's package `sqlcipher` on the machine,
and prints the path of the Python interpreter that finds the wheels. A package that can't be installed is reported, and
cross.py skips its tests.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Callable

from engine import script, system, terminal
from engine.refusal import Refusal

WHEELS = ("sqlcipher3==0.6.4", "apsw-sqlite3mc==3.53.4.0")
REASON = "to exchange encrypted files with other builds"


def main(folder: Path) -> None:
    if not shutil.which("sqlcipher"):
        attempt("Debian's package sqlcipher", lambda: system.install(["sqlcipher"], REASON))
    print(with_wheels(folder) if attempt("the wheels", lambda: make_environment(folder)) else sys.executable)


def with_wheels(folder: Path) -> Path:
    python = folder / "bin" / "python"
    for wheel in WHEELS:
        attempt(f"the wheel {wheel}", lambda: install(wheel, python))
    return python


def attempt(what: str, action: Callable[[], object]) -> bool:
    try:
        action()
    except Refusal as refusal:
        terminal.step(f"Without {what}")
        terminal.note("\n".join(refusal.lines()))
        return False
    return True


def make_environment(folder: Path) -> None:
    command = [sys.executable, "-m", "venv", str(folder)]
    if system.run(command).returncode != 0:
        system.install(["python3-venv"], REASON)
        system.checked(command)


def install(wheel: str, python: Path) -> None:
    terminal.step(f"Installing the wheel {wheel}")
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    system.checked([python, "-m", "pip", "install", *options, wheel], failing=f"pip could not install {wheel}.")


if __name__ == "__main__":
    sys.exit(script.run("Tests/EncryptionFiles/packages.py", lambda: main(Path(sys.argv[1]))))
