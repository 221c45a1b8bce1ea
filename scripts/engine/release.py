"""scripts/release: Makes a release that builds with no further step and no network.

The main branch holds no file of SQLite's. A release is one commit on top of main's newest that adds them, and an annotated
tag that is the only way to reach it: a package that depends on the tag finds everything, and the branch stays small. The
commit is made in an index of its own, so neither the work tree nor the real index nor any branch changes.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

from . import record, script, system, terminal
from .build import Build
from .project import HERE, Project
from .record import Record
from .refusal import Refusal

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")


def main(arguments: Sequence[str], project: Project = HERE) -> int:
    return script.run("release", lambda: run(parser().parse_args(arguments), project))


def run(arguments: argparse.Namespace, project: Project) -> int:
    Release(project, arguments.version).make(arguments.dry_run)
    return 0


def parser() -> argparse.ArgumentParser:
    parser = script.parser("scripts/release", __doc__)
    parser.add_argument(
        "version", metavar="VERSION", nargs="?", help="such as 1.2.0 (default: the last release, one patch higher)"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    return parser


class Release:
    def __init__(self, project: Project, version: str | None) -> None:
        self.project = project
        self.version = version or self.next_version()

    def make(self, dry_run: bool) -> None:
        self.require_version()
        self.require_clean_main()
        built = self.require_build()
        files = self.files(built)
        terminal.step(f"Release {self.version}: main's newest commit and {len(files)} files of SQLite {built.version}")
        for name in files:
            terminal.note(name)
        if dry_run:
            print(f"Nothing was done. Without --dry-run, this makes the tag {self.version}.")
            return
        commit = self.commit(files, built)
        self.git("tag", "--annotate", self.version, commit, "--message", self.message(built))
        print(f"Made the tag {self.version}, at commit {commit[:12]}. Publish it with: git push origin {self.version}")

    # The version

    def next_version(self) -> str:
        tags = [
            tuple(map(int, tag.split("."))) for tag in self.git("tag").split() if re.fullmatch(r"\d+\.\d+\.\d+", tag)
        ]
        if not tags:
            raise Refusal("There is no release yet, so the version must be given.", next="Run: scripts/release 0.1.0")
        major, minor, patch = max(tags)
        return f"{major}.{minor}.{patch + 1}"

    def require_version(self) -> None:
        if not VERSION.fullmatch(self.version):
            raise Refusal(
                f"{self.version} is not a semantic version.",
                next="Write MAJOR.MINOR.PATCH, such as 1.2.0 or 2.0.0-beta.1.",
            )
        if self.git("tag", "--list", self.version):
            raise Refusal(
                f"The tag {self.version} exists already.", "A release never changes.", "Choose the next version."
            )

    # What is released

    def require_clean_main(self) -> None:
        branch = self.git("rev-parse", "--abbrev-ref", "HEAD")
        if branch != "main":
            raise Refusal(f"A release is made from main, but this is {branch}.", next="Run: git switch main")
        changes = self.git("status", "--porcelain")
        if changes:
            raise Refusal(
                "The work tree differs from main's newest commit.", system.last_lines(changes), "Commit or stash first."
            )

    def require_build(self) -> Record:
        """The build in vendor/sqlite, if it is one to give to others."""
        built = self.project.record()
        build = Build(self.project, self.project.choice())
        if built is None or not build.is_up_to_date():
            raise Refusal("SQLite is not built, or not as it should be.", next="Run: scripts/bootstrap")
        if built.chosen:
            raise Refusal(
                "SQLite is built with options of your own.", ", ".join(built.chosen), "Run: scripts/bootstrap --default"
            )
        if not built.is_canonical:
            raise Refusal(
                "SQLite is not built from its canonical source tree.",
                f"It comes from {built.origin}.",
                "Run: scripts/bootstrap --origin debian (or sqlite.org, or a path)",
            )
        return built

    def files(self, built: Record) -> list[str]:
        home = self.project.home.relative_to(self.project.root)
        return sorted({*built.files, str(home / record.NAME)})

    # The commit

    def commit(self, files: Sequence[str], built: Record) -> str:
        with tempfile.TemporaryDirectory(prefix="amalgam-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self.git("read-tree", "HEAD", environment=index)
            self.git("add", "--force", "--", *files, environment=index)
            tree = self.git("write-tree", environment=index)
        return self.git("commit-tree", tree, "-p", "HEAD", "-m", self.message(built))

    def message(self, built: Record) -> str:
        return (
            f"Amalgam {self.version}\n\n"
            f"With SQLite {built.version}, so that a package that depends on this tag builds as it is.\n"
            f"Check-in {built.check_in}\nFrom {built.origin}; {built.verification}.\n"
        )

    def git(self, *words: str, environment: Mapping[str, str] | None = None) -> str:
        result = system.run(["git", *words], self.project.root, environment)
        if result.returncode != 0:
            raise Refusal(f"git {words[0]} failed.", system.last_lines(result.stdout))
        return result.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
