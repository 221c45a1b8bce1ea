"""scripts/bootstrap: Fetches SQLite's source, proves that it is SQLite's, and builds the engine that Amalgam seals."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Sequence

from . import choice, cipher, installation, reports, script, sources, stemmers, system, terminal
from .build import Build
from .cache import Cache
from .choice import Choice
from .project import HERE, Project
from .sources import Sources

EPILOG = """examples:
  scripts/bootstrap                              the default options, or those chosen last
  scripts/bootstrap --with ENABLE_ICU --with MAX_ATTACHED=125 --without ENABLE_GEOPOLY
  scripts/bootstrap --default                    back to the default options
  scripts/bootstrap --cipher verify              proves that the trait Encryption's patch is SQLCipher's
  scripts/bootstrap --list                       every option, its state and its reason
  scripts/bootstrap --check                      what is built, from what, verified how

Names may be written with or without SQLITE_ and -D. Each run with --with, --without, --cipher none or --without-stemmers starts
from the default options; a run without them keeps the choice made last. When nothing has changed, nothing is done."""


def main(arguments: Sequence[str], project: Project = HERE) -> int:
    return script.run("bootstrap", lambda: print(run(parser().parse_args(arguments), project)))


def parser() -> argparse.ArgumentParser:
    parser = script.parser("scripts/bootstrap", __doc__, epilog=EPILOG)
    add_options(parser)
    parser.add_argument("--default", action="store_true", help="go back to the default options")
    codec = "none: leave out the code of the trait Encryption; verify: prove where it comes from, and exit"
    parser.add_argument("--cipher", choices=[cipher.NONE, cipher.VERIFY], help=codec)
    add_stemmers(parser)
    add_source(parser)
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--list", action="store_true", help="show the options and exit")
    task.add_argument("--check", action="store_true", help="verify what is built and exit")
    task.add_argument("--source", action="store_true", help="print the path of the verified source tree and exit")
    return parser


def add_options(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add("--with", dest="added", action="append", default=[], metavar="NAME[=VALUE]", help="turn a compile option on")
    add("--without", dest="removed", action="append", default=[], metavar="NAME", help="turn one off")


def add_stemmers(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(stemmers.OPTION, action="store_true", help="leave out Snowball's stemmers, for full-text search")


def add_source(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    where = f"where to take the source from: {', '.join(sources.NAMES)}, or the path of a folder or archive"
    add("--origin", default=sources.AUTO, metavar="ORIGIN", help=where)
    add("--offline", action="store_true", help="use nothing but the cache")
    kept = "where verified source is kept (or $AMALGAM_CACHE; default: ~/.cache/amalgam)"
    add("--cache", type=Path, metavar="DIR", help=kept)


def run(arguments: argparse.Namespace, project: Project) -> str:
    """Does what the arguments ask for, and returns what there is to say about it."""
    system.may_install = not arguments.offline
    store = Cache(arguments.cache)
    if arguments.source:
        with store.exclusive():
            return str(Sources(project.lock(), store, arguments.origin, arguments.offline).require_tree().folder)
    if arguments.cipher == cipher.VERIFY:
        with store.exclusive(), store.partial() as workshop:
            verified = Sources(project.lock(), store, arguments.origin, arguments.offline)
            return cipher.verify(project.lock(), verified, workshop)
    if arguments.list:
        return reports.option_list(Build(project, chosen(arguments, project)))
    if arguments.check:
        return reports.check(Build(project, chosen(arguments, project)), store)
    return bootstrap(arguments, project, store)


def chosen(arguments: argparse.Namespace, project: Project) -> Choice:
    has_cipher = arguments.cipher != cipher.NONE
    has_stemmers = not arguments.without_stemmers
    if arguments.added or arguments.removed or not has_cipher or not has_stemmers:
        return choice.from_arguments(
            arguments.added, arguments.removed, project.catalogue(), has_cipher, has_stemmers
        )
    return choice.DEFAULT if arguments.default else project.choice()


def bootstrap(arguments: argparse.Namespace, project: Project, store: Cache) -> str:
    """Builds with the chosen options, unless that is already done."""
    with installation.exclusive(project):
        return build_once(arguments, Build(project, chosen(arguments, project)), store)


def build_once(arguments: argparse.Namespace, build: Build, store: Cache) -> str:
    options = "the default options" if build.choice.is_default else f"the default options and {build.choice}"
    if arguments.origin == sources.AUTO and build.is_up_to_date():
        return f"SQLite {build.lock.version} is in place, with {options}: nothing to do."
    start = time.monotonic()
    terminal.step(f"Building SQLite {build.lock.version} with {options}")
    built = build.run(store, arguments.origin, arguments.offline)
    return (
        f"SQLite {built.version} is in place after {time.monotonic() - start:.0f} s: {built.origin}; "
        f"{built.verification}; {len(built.options)} options, {built.symbols} symbols sealed."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
