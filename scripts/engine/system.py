"""Compilers, tools and packages of the machine: found, installed where that is possible, or asked for by exact command."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Sequence

from . import script, terminal
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
    """The command to run, which is installed where it is missing."""
    require([tool])
    return tool.find() or tool.commands[0]


def require(tools: Sequence[Tool]) -> None:
    missing = sorted({tool.package for tool in tools if not tool.find()})
    if missing:
        install(missing, reason="to build SQLite")


def install(packages: Sequence[str], reason: str) -> None:
    """Installs Debian packages, or refuses with the command that would."""
    prefix = privilege()
    if may_install and shutil.which("apt-get") and prefix is not None:
        terminal.step(f"Installing {', '.join(packages)} {reason}")
        apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
        install = [*apt, "install", "-y", "--no-install-recommends", *packages]
        if run(install).returncode == 0:
            return
        run([*apt, "update"])
        if run(install).returncode == 0:
            return
    names = " ".join(packages)
    what = f"This machine lacks {names}, needed {reason}."
    if platform.system() == "Darwin":
        raise Refusal(what, next="Run: xcode-select --install")
    raise Refusal(what, "It could not be installed from here.", f"Run: sudo apt-get install {names}")


def privilege() -> list[str] | None:
    """The words to put before a command that needs root; None where they would ask for a password."""
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if shutil.which("sudo") and run(["sudo", "-n", "true"]).returncode == 0 else None


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


def checked(
    command: Sequence[str | Path],
    folder: Path | None = None,
    failing: str = "",
    environment: Mapping[str, str] | None = None,
) -> str:
    """Runs a command that has to succeed; if it doesn't, the end of what it said is the reason."""
    result = run(command, folder, environment)
    if result.returncode != 0:
        raise Refusal(failing or f"{command[0]} failed.", last_lines(result.stdout))
    return result.stdout


def last_lines(text: str, count: int = 12) -> str:
    return "\n".join(text.strip().splitlines()[-count:])


def require_library(name: str, header: str, links: Sequence[str], package: str, reason: str = "") -> None:
    """Makes sure that a C program can include the header and link the libraries."""
    require([COMPILER])
    if has_library(header, links):
        return
    install([package], reason or f"for the C library {name}")
    if not has_library(header, links):
        raise Refusal(
            f"The C library {name} can't be used: <{header}> or {', '.join(links)} is missing.",
            next=f"On Debian it comes with {package}. Elsewhere, make it visible to the C compiler.",
        )


def has_library(header: str, links: Sequence[str]) -> bool:
    program = f"#include <{header}>\nint main(void) {{ return 0; }}\n"
    command = [compiler(), "-x", "c", "-", "-o", os.devnull, *(f"-l{library}" for library in links)]
    return subprocess.run(command, input=program, text=True, capture_output=True).returncode == 0


if __name__ == "__main__":
    # python3 -m engine.system HEADER LIBRARY PACKAGE REASON
    header, library, package, reason = sys.argv[1:]
    sys.exit(script.run("test", lambda: require_library(library, header, [library], package, reason)))
