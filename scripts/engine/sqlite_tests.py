"""scripts/proof/sqlite-tests: SQLite's own test suite, on the very SQLite that Amalgam compiles.

Failures that our options cause by design are listed in `known-failures`. A listed failure has to be proven in the same
run: with SQLite's own value of the option to blame, the file must pass. Every other failure is a failure of this script.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Collection, Mapping, Sequence

from . import catalogue, script, terminal, testfixture
from .cache import Cache
from .project import HERE, Project
from .record import Record
from .refusal import Refusal
from .sources import Sources
from .testrunner import Failure, Results, Runner

KNOWN = Path(__file__).with_name("known-failures")
# The value of an option in `known-failures` for failures that the code of the trait Encryption causes.
NO_CODEC = "HAS_CODEC=0"


@dataclass(frozen=True)
class Known:
    """A line of `known-failures`."""

    file: str
    tests: frozenset[str]
    option: str
    reason: str

    def explains(self, failure: Failure) -> bool:
        return self.file == failure.file and bool(failure.tests) and self.tests.issuperset(failure.tests)


def main(arguments: Sequence[str], project: Project = HERE) -> int:
    return script.run("sqlite-tests", lambda: run(parser().parse_args(arguments), project))


def parser() -> argparse.ArgumentParser:
    parser = script.parser("scripts/proof/sqlite-tests", __doc__)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="run only the test files whose name matches")
    parser.add_argument(
        "--suite", default="veryquick", help="a suite of testrunner.tcl, such as full (default: veryquick)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="tests that run at the same time (default: 2)")
    encryption = "with the code of the trait Encryption; the databases of the tests are clear"
    parser.add_argument("--encryption", action="store_true", help=encryption)
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder, with the program and the log")
    return parser


def run(arguments: argparse.Namespace, project: Project) -> int:
    built = project.record()
    if built is None:
        raise Refusal("SQLite is not built yet.", next="Run scripts/bootstrap.")
    folder = Path(tempfile.mkdtemp(prefix="amalgam-sqlite-tests-"))
    try:
        return test(arguments, project, built, folder)
    finally:
        if arguments.keep:
            terminal.note(f"kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def test(arguments: argparse.Namespace, project: Project, built: Record, folder: Path) -> int:
    tree, workshop = scratch(project, folder)
    terminal.step(f"Building SQLite's test program with {len(built.options)} options (about a minute)")
    testfixture.configure(tree, workshop)
    store = Cache()
    with store.exclusive():
        testfixture.amalgamate(project, built, Sources(project.lock(), store), workshop)
    if arguments.encryption:
        built = testfixture.with_codec(built)
    testfixture.make(project, built, {}, workshop)
    testfixture.require_same_source(built, workshop)
    runner = Runner(folder, tree, workshop)
    terminal.step(f"Running the {arguments.suite} suite with {arguments.jobs} jobs (veryquick: about two minutes)")
    start = time.monotonic()
    results = runner.run(arguments.suite, arguments.patterns, arguments.jobs)
    print(f"{results.tests:,} tests of {results.files:,} files in {time.monotonic() - start:.0f} s.")
    return verdict(project, built, runner, results)


def scratch(project: Project, folder: Path) -> tuple[Path, Path]:
    """A copy of the verified tree, and an empty folder to build in: the tests write into both."""
    store = Cache()
    with store.exclusive():
        source = Sources(project.lock(), store).require_tree()
        tree = Path(shutil.copytree(source.folder, folder / "tree"))
    workshop = folder / "build"
    workshop.mkdir()
    return tree, workshop


def verdict(project: Project, built: Record, runner: Runner, results: Results) -> int:
    """Weighs the failures against the known ones."""
    known = {failure: line for failure in results.failures if (line := explanation(failure))}
    unproven = unproven_files(project, built, runner, known.values())
    for failure in results.failures:
        line = known.get(failure)
        start = f"  {failure.file:<32}{failure.count:>5}"
        if line:
            proof = "FAILS ALSO" if line.file in unproven else "passes"
            print(f"{start} known: {proof} with {line.option}; {line.reason}")
        else:
            print(terminal.styled(f"{start} UNEXPLAINED: {' '.join(failure.tests)}", terminal.RED))
            print("\n".join(f"      {complaint}" for complaint in failure.complaints()))
    if results.unfinished:
        print(f"{results.unfinished} files did not run to their end.")
    if len(known) < len(results.failures) or unproven or results.unfinished or not results.tests:
        return 1
    print("No unexplained failure.")
    return 0


def unproven_files(project: Project, built: Record, runner: Runner, lines: Collection[Known]) -> set[str]:
    """The files that fail even with SQLite's own value of the option that is said to be to blame."""
    of_codec = [line for line in lines if line.option == NO_CODEC]
    of_options = [line for line in lines if line.option != NO_CODEC]
    overrides = dict(line.option.split("=") for line in of_options)
    plain = project.record() or built
    return failing(project, built, overrides, runner, of_options) | failing(project, plain, {}, runner, of_codec)


def failing(
    project: Project, built: Record, overrides: Mapping[str, str], runner: Runner, lines: Collection[Known]
) -> set[str]:
    if not lines:
        return set()
    options = ", ".join(f"{name}={value}" for name, value in overrides.items()) or NO_CODEC
    terminal.step(f"Proving that our options explain {len(lines)} failing files: building again with {options}")
    testfixture.make(project, built, overrides, runner.workshop)
    return {line.file for line in lines if not runner.passes(line.file)}


def known_failures() -> list[Known]:
    rows = [catalogue.cells(line, 4) for line in catalogue.table_lines(KNOWN.read_text())]
    return [Known(file, frozenset(tests.split()), option, reason) for file, tests, option, reason in rows]


def explanation(failure: Failure) -> Known | None:
    return next((line for line in known_failures() if line.explains(failure)), None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
