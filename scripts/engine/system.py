"""Compilers, tools and packages of the machine: found, installed where that is possible, or asked for by exact command."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Sequence

from . import terminal
from .refusal import Refusal


@dataclass(frozen=True)
class Tool:
    """Something a script runs: any of the commands will do."""

    commands: tuple[str, ...]
    package: str

    def find(self) -> str | None:
        return next(filter(None, map(shutil.which, self.commands)), None)


COMPILER = Tool(("cc", "clang", "gcc"), "gcc")
MAKE = Tool(("make", "gmake"), "make")
SYMBOL_LISTER = Tool(("nm", "llvm-nm"), "binutils")

# Off while the user asked for no network.
may_install = True


def compiler() -> str:
    return os.environ.get("CC") or path_of(COMPILER)


def path_of(tool: Tool) -> str:
    """The command to run. `require` has made sure there is one; asking again costs nothing and can't go stale."""
    found = tool.find()
    if not found:
        require([tool])
    return found or tool.find() or tool.commands[0]


def require(tools: Sequence[Tool]) -> None:
    missing = sorted({tool.package for tool in tools if not tool.find()})
    if missing:
        install(missing, reason="to build SQLite")


def install(packages: Sequence[str], reason: str) -> None:
    """Installs Debian packages, or refuses with the command that would."""
    prefix = privilege()
    if not may_install or not shutil.which("apt-get") or prefix is None:
        raise missing_packages(packages, reason)
    terminal.step(f"Installing {', '.join(packages)} {reason}")
    if not apt_install(prefix, packages):
        run(prefix + ["apt-get", "update", "-qq"])
        if not apt_install(prefix, packages):
            raise missing_packages(packages, reason)


def apt_install(prefix: list[str], packages: Sequence[str]) -> bool:
    command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends"]
    return run(prefix + command + list(packages)).returncode == 0


def privilege() -> list[str] | None:
    """The words to put before a command that needs root; None where they would ask for a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and run(["sudo", "-n", "true"]).returncode == 0:
        return ["sudo", "-n"]
    return None


def missing_packages(packages: Sequence[str], reason: str) -> Refusal:
    names = " ".join(packages)
    if platform.system() == "Darwin":
        return Refusal(f"This machine lacks {names}, needed {reason}.", next="Run: xcode-select --install")
    return Refusal(
        f"This machine lacks {names}, needed {reason}.",
        "It could not be installed from here.",
        f"Run: sudo apt-get install {names}",
    )


def run(
    command: Sequence[str | Path], folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command, with additions to its environment, and keeps what it says."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def checked(command: Sequence[str | Path], folder: Path | None = None, failing: str = "") -> str:
    """Runs a command that has to succeed; if it doesn't, the end of what it said is the reason."""
    result = run(command, folder)
    if result.returncode != 0:
        raise Refusal(failing or f"{command[0]} failed.", last_lines(result.stdout))
    return result.stdout


def last_lines(text: str, count: int = 12) -> str:
    return "\n".join(text.strip().splitlines()[-count:])


def links(compiler_path: str, header: str, libraries: Sequence[str]) -> bool:
    """Whether a C program can include the header and link the libraries."""
    program = f"#include <{header}>\nint main(void) {{ return 0; }}\n"
    command = [compiler_path, "-x", "c", "-", "-o", os.devnull, *(f"-l{library}" for library in libraries)]
    return subprocess.run(command, input=program, text=True, capture_output=True).returncode == 0
