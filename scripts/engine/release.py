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
from .lock import version_tuple
from .project import HERE, Project
from .record import Record
from .refusal import Refusal

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")


def main(arguments: Sequence[str], project: Project = HERE) -> int:
    return script.run("release", lambda: run(parser().parse_args(arguments), project))


def parser() -> argparse.ArgumentParser:
    parser = script.parser("scripts/release", __doc__)
    version = "such as 1.2.0 (default: the last release, one patch higher)"
    parser.add_argument("version", metavar="VERSION", nargs="?", help=version)
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    return parser


def run(arguments: argparse.Namespace, project: Project) -> None:
    version = arguments.version or next_version(project)
    require_new(version, project)
    require_clean_main(project)
    built = require_build(project)
    files = sorted({*built.files, str((project.home / record.NAME).relative_to(project.root))})
    terminal.step(f"Release {version}: main's newest commit and {len(files)} files of SQLite {built.version}")
    terminal.note("\n".join(files))
    if arguments.dry_run:
        print(f"Nothing was done. Without --dry-run, this makes the tag {version}.")
        return
    message = (
        f"Amalgam {version}\n\n"
        f"With SQLite {built.version}, so that a package that depends on this tag builds as it is.\n"
        f"Check-in {built.check_in}\nFrom {built.origin}; {built.verification}.\n"
    )
    commit = commit_on_no_branch(project, files, message)
    git(project, "tag", "--annotate", version, commit, "--message", message)
    print(f"Made the tag {version}, at commit {commit[:12]}. Publish it with: git push origin {version}")


def next_version(project: Project) -> str:
    tags = [tag for tag in git(project, "tag").split() if re.fullmatch(r"\d+\.\d+\.\d+", tag)]
    if not tags:
        raise Refusal("There is no release yet, so the version must be given.", next="Run: scripts/release 0.1.0")
    major, minor, patch = max(version_tuple(tag) for tag in tags)
    return f"{major}.{minor}.{patch + 1}"


def require_new(version: str, project: Project) -> None:
    if not VERSION.fullmatch(version):
        advice = "Write MAJOR.MINOR.PATCH, such as 1.2.0 or 2.0.0-beta.1."
        raise Refusal(f"{version} is not a semantic version.", next=advice)
    if git(project, "tag", "--list", version):
        raise Refusal(f"The tag {version} exists already.", "A release never changes.", "Choose the next version.")


def require_clean_main(project: Project) -> None:
    branch = git(project, "rev-parse", "--abbrev-ref", "HEAD")
    if branch != "main":
        raise Refusal(f"A release is made from main, but this is {branch}.", next="Run: git switch main")
    changes = system.last_lines(git(project, "status", "--porcelain"))
    if changes:
        raise Refusal("The work tree differs from main's newest commit.", changes, "Commit or stash first.")


def require_build(project: Project) -> Record:
    """The build in vendor/sqlite, if it is one to give to others."""
    built = project.record()
    if built is None or not Build(project, project.choice()).is_up_to_date():
        raise Refusal("SQLite is not built, or not as it should be.", next="Run: scripts/bootstrap")
    if built.chosen:
        chosen = ", ".join(built.chosen)
        raise Refusal("SQLite is built with options of your own.", chosen, "Run: scripts/bootstrap --default")
    if not built.is_canonical:
        raise Refusal(
            "SQLite is not built from its canonical source tree.",
            f"It comes from {built.origin}.",
            "Run: scripts/bootstrap --origin debian (or sqlite.org, or a path)",
        )
    return built


def commit_on_no_branch(project: Project, files: Sequence[str], message: str) -> str:
    with tempfile.TemporaryDirectory(prefix="amalgam-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git(project, "read-tree", "HEAD", environment=index)
        git(project, "add", "--force", "--", *files, environment=index)
        tree = git(project, "write-tree", environment=index)
    return git(project, "commit-tree", tree, "-p", "HEAD", "-m", message)


def git(project: Project, *words: str, environment: Mapping[str, str] | None = None) -> str:
    return system.checked(["git", *words], project.root, f"git {words[0]} failed.", environment).strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
