"""Runs SQLite's test suite by SQLite's own runner, as a user without privileges, and reads the runner's results.

As root some ten tests fail by design, because root may read and write whatever its permissions say.
"""

from __future__ import annotations

import os
import pwd
import re
import sqlite3
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

from . import terminal
from .refusal import Refusal

PROGRESS = re.compile(r"(\d\d:\d\d \w+\(\d+/\d+\))")
FAILED_TESTS = re.compile(r"^!Failures on these tests: (.*)$", re.MULTILINE)
UNFREED = re.compile(r"^Unfreed memory: ", re.MULTILINE)
# Not a test of a file, but checked at the end of each, where SQLite counts the memory that it has.
UNFREED_MEMORY = "unfreed-memory"
QUIET_SECONDS = 30


@dataclass(frozen=True)
class Failure:
    """A test file with failures; `tests` is empty where the file ended before it could name them."""

    file: str
    tests: tuple[str, ...]
    output: str

    @property
    def count(self) -> str:
        return str(len(self.tests)) if self.tests else "crash"

    def complaints(self, count: int = 6) -> list[str]:
        lines = [line for line in self.output.splitlines() if line.startswith(("! ", "Error"))]
        return (lines or self.output.splitlines()[-count:])[:count]


@dataclass(frozen=True)
class Results:
    tests: int
    files: int
    failures: list[Failure]
    unfinished: int


class Runner:
    """The suite in a scratch folder that belongs to the user who runs it."""

    def __init__(self, folder: Path, tree: Path, workshop: Path) -> None:
        self.tree = tree
        self.workshop = workshop
        self.user = unprivileged_user()
        self.environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder)}
        self.give_away(folder)

    def give_away(self, folder: Path) -> None:
        """Everything the tests may write to belongs to the user who runs them."""
        if self.user:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)

    def run(self, suite: str, patterns: Sequence[str], jobs: int) -> Results:
        script = self.tree / "test" / "testrunner.tcl"
        command = ["./testfixture", str(script), "--jobs", str(jobs), suite, *patterns]
        with self.start(command) as process:
            follow(process.stdout or ())
        return read_results(self.workshop / "testrunner.db")

    def passes(self, file: str) -> bool:
        """Runs one test file by itself."""
        with self.start(["./testfixture", str(self.tree / file)]) as process:
            process.communicate()
        return process.returncode == 0

    def start(self, command: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.workshop,
            env=self.environment,
            text=True,
            errors="replace",
            bufsize=1,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            user=self.user and self.user.pw_uid,
            group=self.user and self.user.pw_gid,
            extra_groups=[] if self.user else None,
        )


def unprivileged_user() -> pwd.struct_passwd | None:
    """Who runs the tests in place of root. Anybody else runs them as who they are."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("nobody")
    except KeyError:
        raise Refusal(
            "SQLite's tests must not run as root, and there is no user nobody.", next="Run this as an ordinary user."
        ) from None


def follow(output: Iterable[str]) -> None:
    """Shows how far the runner is: a line that rewrites itself on a terminal, a line now and then elsewhere."""
    said = time.monotonic()
    for line in output:
        found = PROGRESS.findall(line)
        if found and terminal.is_live():
            terminal.rewrite(found[-1])
        elif found and time.monotonic() - said > QUIET_SECONDS:
            terminal.note(found[-1])
            said = time.monotonic()
    terminal.rewrite("")


def read_results(database: Path) -> Results:
    if not database.is_file():
        raise Refusal(
            "SQLite's test runner ended without results.", next="Run it again with --keep and look at the folder."
        )
    with sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True) as connection:
        tests, files = connection.execute(
            "SELECT sum(ntest), count(*) FROM jobs WHERE state IN ('done', 'failed')"
        ).fetchone()
        failed = connection.execute(
            "SELECT displayname, output FROM jobs WHERE state = 'failed' ORDER BY displayname"
        ).fetchall()
        (unfinished,) = connection.execute(
            "SELECT count(*) FROM jobs WHERE state NOT IN ('done', 'failed', 'omit')"
        ).fetchone()
    return Results(tests or 0, files, [failure(*row) for row in failed], unfinished)


def failure(file: str, output: str) -> Failure:
    names = [name for line in FAILED_TESTS.findall(output or "") for name in line.split()]
    unfreed = [UNFREED_MEMORY] if UNFREED.search(output or "") else []
    return Failure(file, (*names, *unfreed), output or "")
