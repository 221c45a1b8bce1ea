"""scripts/bootstrap: Fetches SQLite's source, proves that it is SQLite's, and builds the engine that Amalgam seals."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Sequence

from . import cache, choice, script, sources, system, terminal
from .build import Build, drop_stale_files, installation
from .cache import Cache
from .choice import Choice
from .project import HERE, Project
from .record import Record
from .reports import Check, option_list
from .sources import Sources

EPILOG = """examples:
  scripts/bootstrap                              the default options, or those chosen last
  scripts/bootstrap --with ENABLE_ICU --with MAX_ATTACHED=125 --without ENABLE_GEOPOLY
  scripts/bootstrap --default                    back to the default options
  scripts/bootstrap --list                       every option, its state and its reason
  scripts/bootstrap --check                      what is built, from what, verified how

Names may be written with or without SQLITE_ and -D. Each run with --with or --without starts from the default
options; a run without them keeps the choice made last. When nothing has changed, nothing is done."""


def main(arguments: Sequence[str], project: Project = HERE) -> int:
    return script.run("bootstrap", lambda: run(parser().parse_args(arguments), project))


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bootstrap",
        description=__doc__.partition(": ")[2],
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--with", dest="added", action="append", default=[], metavar="NAME[=VALUE]", help="turn a compile option on"
    )
    parser.add_argument("--without", dest="removed", action="append", default=[], metavar="NAME", help="turn one off")
    parser.add_argument("--default", action="store_true", help="go back to the default options")
    parser.add_argument(
        "--origin",
        default=sources.AUTO,
        metavar="ORIGIN",
        help=f"where to take the source from: {', '.join(sources.NAMES)}, or the path of a folder or archive",
    )
    parser.add_argument("--offline", action="store_true", help="use nothing but the cache")
    parser.add_argument(
        "--cache",
        type=Path,
        default=None,
        metavar="DIR",
        help="where verified source is kept (or $AMALGAM_CACHE; default: ~/.cache/amalgam)",
    )
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--list", action="store_true", help="show the options and exit")
    task.add_argument("--check", action="store_true", help="verify what is built and exit")
    task.add_argument("--source", action="store_true", help="print the path of the verified source tree and exit")
    return parser


def run(arguments: argparse.Namespace, project: Project) -> int:
    system.may_install = not arguments.offline
    store = Cache(arguments.cache or cache.default_folder())
    if arguments.source:
        print(source_tree(arguments, project, store))
        return 0
    if arguments.list:
        print(option_list(Build(project, chosen(arguments, project))))
    elif arguments.check:
        print(Check(Build(project, chosen(arguments, project)), store).run())
    else:
        bootstrap(arguments, project, store)
    return 0


def chosen(arguments: argparse.Namespace, project: Project) -> Choice:
    if arguments.added or arguments.removed:
        return choice.from_arguments(arguments.added, arguments.removed, project.catalogue())
    return choice.DEFAULT if arguments.default else project.choice()


def source_tree(arguments: argparse.Namespace, project: Project, store: Cache) -> Path:
    with store.exclusive():
        return Sources(project.lock(), store, arguments.origin, arguments.offline).require_tree().folder


def bootstrap(arguments: argparse.Namespace, project: Project, store: Cache) -> None:
    with installation(project).exclusive():
        build = Build(project, chosen(arguments, project))
        drop_stale_files(project)
        if arguments.origin == sources.AUTO and build.is_up_to_date():
            print(f"SQLite {build.lock.version} is in place, with {in_words(build.choice)}: nothing to do.")
            return
        start = time.monotonic()
        terminal.step(f"Building SQLite {build.lock.version} with {in_words(build.choice)}")
        built = build.run(store, arguments.origin, arguments.offline)
        print(summary(built, time.monotonic() - start))


def in_words(options: Choice) -> str:
    return "the default options" if options.is_default else f"the default options and {options}"


def summary(built: Record, seconds: float) -> str:
    return (
        f"SQLite {built.version} is in place after {seconds:.0f} s: {built.origin}; {built.verification}; "
        f"{len(built.options)} options, {built.symbols} symbols sealed."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
