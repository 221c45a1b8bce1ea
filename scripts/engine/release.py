"""scripts/release: Makes a release that builds with no further step and no network.

The main branch holds no file of SQLite's. A release is one commit on top of main's newest that adds them, and an annotated
tag that is the only way to reach it: a package that depends on the tag finds everything, and the branch stays small. The
commit is made in an index of its own, so neither the work tree nor the real index nor any branch changes.

With options, it builds SQLite with them first, and the release has that build: for packages that depend on a tag of yours.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

from . import bootstrap, cipher, record, script, stemmers, system, terminal
from .build import Build
from .cache import Cache
from .lock import version_tuple
from .project import HERE, Project
from .record import Record
from .refusal import Refusal

EPILOG = """examples:
  scripts/release 1.2.0
  scripts/release 1.2.0-icu --with ENABLE_ICU --with MAX_ATTACHED=125

With --with, --without, --cipher none or --without-stemmers, vendor/sqlite keeps the options; scripts/bootstrap --default goes
back."""
NOTICE = "NOTICE"
LICENCES = {name: re.compile(rf"/\*\n(\*\* {name}\n(?:\*\*.*\n)*)\*/") for name in ("SQLCipher", "Snowball")}
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")


def main(arguments: Sequence[str], project: Project = HERE) -> int:
    return script.run("release", lambda: run(parser().parse_args(arguments), project))


def parser() -> argparse.ArgumentParser:
    parser = script.parser("scripts/release", __doc__, epilog=EPILOG)
    version = "such as 1.2.0 (default: the last release, one patch higher)"
    parser.add_argument("version", metavar="VERSION", nargs="?", help=version)
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    options = parser.add_argument_group("a build of your own")
    bootstrap.add_options(options)
    options.add_argument("--cipher", choices=[cipher.NONE], help="leave out the code of the trait Encryption")
    bootstrap.add_stemmers(options)
    bootstrap.add_source(parser.add_argument_group("where such a build comes from"))
    parser.set_defaults(default=False)
    return parser


def run(arguments: argparse.Namespace, project: Project) -> None:
    version = arguments.version or next_version(project)
    require_new(version, project)
    require_clean_main(project)
    has_options = bool(arguments.added or arguments.removed or arguments.cipher or arguments.without_stemmers)
    if has_options and arguments.dry_run:
        options = Build(project, bootstrap.chosen(arguments, project)).choice
        print(f"Nothing was done. Without --dry-run, this builds SQLite with {options}, and makes the tag {version}.")
        return
    if has_options:
        terminal.note(bootstrap.bootstrap(arguments, project, Cache(arguments.cache)))
    built = require_build(project, version, has_options)
    files = sorted({*built.files, str((project.home / record.NAME).relative_to(project.root))})
    terminal.step(f"Release {version}: main's newest commit and {len(files)} files of SQLite {built.version}")
    terminal.note("\n".join(files))
    if arguments.dry_run:
        print(f"Nothing was done. Without --dry-run, this makes the tag {version}.")
        return
    message = message_of(version, built)
    commit = commit_on_no_branch(project, files, notice(project, built), message)
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


def require_build(project: Project, version: str, has_options: bool) -> Record:
    """The build in vendor/sqlite, if it is one to give to others. Only a caller who names the options gets them."""
    built = project.record()
    if built is None or not Build(project, project.choice()).is_up_to_date():
        raise Refusal("SQLite is not built, or not as it should be.", next="Run: scripts/bootstrap")
    if built.chosen and not has_options:
        raise Refusal(
            "SQLite is built with options of your own.",
            ", ".join(built.chosen),
            f"Run: scripts/bootstrap --default. Or make a release with them: scripts/release {version} {project.choice()}",
        )
    if not built.is_canonical:
        raise Refusal(
            "SQLite is not built from its canonical source tree.",
            f"It comes from {built.origin}.",
            "Run: scripts/bootstrap --origin debian (or sqlite.org, or a path)",
        )
    return built


def message_of(version: str, built: Record) -> str:
    chosen = f"Options: {', '.join(built.chosen)}.\n" if built.chosen else ""
    return (
        f"Amalgam {version}\n\n"
        f"With SQLite {built.version}, so that a package that depends on this tag builds as it is.\n{chosen}"
        f"Check-in {built.check_in}\nFrom {built.origin}; {built.verification}.\n"
    )


def notice(project: Project, built: Record) -> str:
    """The licences of SQLCipher and Snowball, as their sources give them; empty without either."""
    parts = []
    if built.cipher:
        words = "which is compiled with the package's trait Encryption only. A program that is\nbuilt with this trait"
        parts.append(f"vendor/sqlite/sqlite3.c contains {named(built.cipher)}, {words} has to come with the following notice.")
        parts.append(licence(project.home / "sqlite3.c", "SQLCipher"))
    if built.stemmers:
        words = "translated to C. A program\nthat is built with this package has to come with the following notice."
        parts.append(f"vendor/sqlite/{stemmers.NAME} is {named(built.stemmers)}, {words}")
        parts.append(licence(project.home / stemmers.NAME, "Snowball"))
    return "\n\n".join(parts) + "\n" if parts else ""


def named(part: Mapping[str, str]) -> str:
    return f"{part['name']} {part['version']}"


def licence(file: Path, name: str) -> str:
    found = LICENCES[name].search(file.read_text())
    if not found:
        raise Refusal(f"{file.name} has no licence of {name}, which a release has to carry.", next=f"Look at {file.name}.")
    lines = [line[len("**") :].removeprefix(" ") for line in found[1].splitlines()]
    return "\n".join(lines).strip()


def commit_on_no_branch(project: Project, files: Sequence[str], notice: str, message: str) -> str:
    with tempfile.TemporaryDirectory(prefix="amalgam-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git(project, "read-tree", "HEAD", environment=index)
        git(project, "add", "--force", "--", *files, environment=index)
        if notice:
            (Path(folder) / NOTICE).write_text(notice)
            blob = git(project, "hash-object", "-w", str(Path(folder) / NOTICE))
            git(project, "update-index", "--add", "--cacheinfo", f"100644,{blob},{NOTICE}", environment=index)
        tree = git(project, "write-tree", environment=index)
    return git(project, "commit-tree", tree, "-p", "HEAD", "-m", message)


def git(project: Project, *words: str, environment: Mapping[str, str] | None = None) -> str:
    return system.checked(["git", *words], project.root, f"git {words[0]} failed.", environment).strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
