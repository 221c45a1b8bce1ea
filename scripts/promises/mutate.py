"""Breaks promises of docs/reliability.md, and expects that their tests fail.

Copies the working tree to .build-mutate, where a build folder is kept for the next run. Runs the tests of the chosen mutations once
on the unchanged copy. Then, for each mutation of Tests/Mutations, changes one line, builds, runs the tests that the mutation names, and
takes the change back. Prints a table of results and times, and exits with 1 unless each of these tests has failed.

The first run builds the library and the chosen tests, and each mutation the modules that depend on the changed line: the time grows
with the number of modules above it. The logs of builds and tests are in .build-mutate/logs.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from promises import mutations, suites
from promises.mutations import Mutation, MutationError

NAME = "scripts/proof/mutate"
ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ".build-mutate"
TRAITS = "OpenCombine,Encryption,Macros,Replication"
# What the working tree needs and git ignores: SQLite's files.
GENERATED = ("vendor/sqlite", "Sources/CAmalgam/include/module.modulemap")
RED, GREEN, BROKEN, SILENT = "red", "green", "doesn't build", "no test ran"
# A test that hangs has failed. Tests that wait for an event that a mutation prevents needn't wait for long.
TEST_SECONDS, BUILD_SECONDS = 1200, 7200
PATIENCE = "30"


class MutateError(Exception):
    """A reason to end the run."""


@dataclass
class Outcome:
    """The result of a mutation."""

    mutation: Mutation
    result: str
    build_seconds: float
    test_seconds: float


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    try:
        chosen = choose(mutations.read(ROOT), options)
        if options.list:
            for it in chosen:
                print(f"{it.name}: {it.file}")
            return 0
        return prove(chosen)
    except (MutateError, MutationError) as problem:
        print(f"{NAME}: {problem}", file=sys.stderr)
        return 1


def parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--random", type=positive, default=8, metavar="N", help="N mutations at random (8)")
    which.add_argument("--all", action="store_true", help="all mutations")
    which.add_argument("--only", action="append", metavar="NAME", help="this mutation; may be given several times")
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="the seed of --random; printed if not given")
    parser.add_argument("--list", action="store_true", help="only print the chosen mutations")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def choose(all_mutations: Sequence[Mutation], options: argparse.Namespace) -> list[Mutation]:
    """The mutations to run. Those of one module follow each other, because they rebuild the same modules."""
    if options.only:
        by_name = {it.name: it for it in all_mutations}
        unknown = [name for name in options.only if name not in by_name]
        if unknown:
            raise MutateError(f"there is no mutation {', '.join(unknown)} in {mutations.FOLDER}")
        return [by_name[name] for name in dict.fromkeys(options.only)]
    chosen = list(all_mutations)
    if not options.all:
        seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1_000_000)
        print(f"The seed is {seed}: {NAME} --random {options.random} --seed {seed} repeats this run.", flush=True)
        chosen = random.Random(seed).sample(chosen, min(options.random, len(chosen)))
    return sorted(chosen, key=lambda it: (it.file, it.name))


def prove(chosen: Sequence[Mutation]) -> int:
    prepare_sources()
    with Workshop(ROOT / SCRATCH).locked() as workshop:
        workshop.update(ROOT)
        workshop.check_unchanged(chosen)
        outcomes: list[Outcome] = []
        for number, mutation in enumerate(chosen, start=1):
            outcome = workshop.run(mutation)
            outcomes.append(outcome)
            print(f"{number} of {len(chosen)}: {row(outcome)}", flush=True)
        workshop.remove_old_logs()
    return report(outcomes)


def prepare_sources() -> None:
    """Builds SQLite, and installs the headers for encryption, if they are missing."""
    subprocess.run([ROOT / "scripts/bootstrap"], check=True)
    subprocess.run(["bash", "-euc", "source scripts/engine/openssl.sh"], cwd=ROOT, check=True)


def report(outcomes: Sequence[Outcome]) -> int:
    print(f"\n{'result':<14} {'build':>7} {'tests':>7}  mutation")
    for outcome in outcomes:
        print(row(outcome))
    failed = [outcome for outcome in outcomes if outcome.result != RED]
    for outcome in failed:
        print(f"{NAME}: {outcome.mutation.name}: {explained(outcome)}", file=sys.stderr)
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} mutations turned their tests red.")
    return 1 if failed else 0


def row(outcome: Outcome) -> str:
    return f"{outcome.result:<14} {outcome.build_seconds:>5.0f} s {outcome.test_seconds:>5.0f} s  {outcome.mutation.name}"


def explained(outcome: Outcome) -> str:
    tests = ", ".join(outcome.mutation.tests)
    return {
        GREEN: f"a test passes without the promise: {tests}",
        BROKEN: f"{outcome.mutation.file} doesn't compile with the change",
        SILENT: f"no test has run: {tests}",
    }[outcome.result]


class Workshop:
    """A copy of the working tree, its build folder, and the logs of the run."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        self.logs = folder / "logs"
        self.kept: set[str] = set()

    @contextmanager
    def locked(self) -> Iterator[Workshop]:
        self.tree.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(exist_ok=True)
        with open(self.tree.parent / "lock", "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise MutateError(f"another run uses {self.tree.parent}") from None
            yield self

    def update(self, root: Path) -> None:
        """Makes the copy equal to the working tree. Files with the same content keep their dates, and aren't built again."""
        wanted = working_tree(root)
        for path in copied_files(self.tree) - wanted:
            (self.tree / path).unlink()
        for path in sorted(wanted):
            copy(root / path, self.tree / path)

    def check_unchanged(self, chosen: Sequence[Mutation]) -> None:
        """Builds and runs the tests of all chosen mutations before the first change."""
        tests = sorted({test for mutation in chosen for test in mutation.tests})
        if any(test.startswith("AmalgamReplicationTests/") for test in tests):
            subprocess.run(["scripts/replication/install"], cwd=self.tree, check=True)
        print(f"The unchanged package, {len(tests)} tests", flush=True)
        started = time.monotonic()
        if not self.build("unchanged", tests):
            raise MutateError(f"the unchanged package doesn't build: see {self.log('unchanged', 'build')}")
        built = time.monotonic()
        passed, output = self.test("unchanged", tests, tests)
        if not passed:
            raise MutateError(f"tests of the unchanged package fail: see {self.log('unchanged', 'tests')}")
        count = number_of_tests(output)
        if count != len(tests):
            raise MutateError(f"{count} tests have run, and not {len(tests)}: see {self.log('unchanged', 'tests')}")
        print(f"passed: {built - started:.0f} s for the build, {time.monotonic() - built:.0f} s for the tests", flush=True)

    def run(self, mutation: Mutation) -> Outcome:
        started = time.monotonic()
        with self.changed(mutation):
            builds = self.build(mutation.name, mutation.tests)
            built = time.monotonic()
            result = self.result(mutation) if builds else BROKEN
        return Outcome(mutation, result, built - started, time.monotonic() - built)

    @contextmanager
    def changed(self, mutation: Mutation) -> Iterator[None]:
        """Changes the line of a mutation, and takes the change back at the end."""
        path = self.tree / mutation.file
        source = path.read_text()
        path.write_text(mutation.applied(source))
        try:
            yield
        finally:
            # A new date: the compiler compiles a file again if its date has changed.
            path.write_text(source)

    def result(self, mutation: Mutation) -> str:
        """Each test has to fail by itself."""
        for number, test in enumerate(mutation.tests, start=1):
            name = mutation.name if number == 1 else f"{mutation.name}-{number}"
            passed, output = self.test(name, [test], mutation.tests, AMALGAM_PATIENCE=PATIENCE)
            if "Test run started" not in output:
                return SILENT
            if passed:
                return GREEN
        return RED

    def build(self, name: str, tests: Sequence[str]) -> bool:
        environment = {**self.environment(tests), "SWIFT_DETERMINISTIC_HASHING": "1", "AMALGAM_CHECKS": "1"}
        command = ["swift", "build", "--build-tests", "--traits", TRAITS]
        return self.execute(command, environment, self.log(name, "build"), BUILD_SECONDS)

    def test(self, name: str, tests: Sequence[str], built: Sequence[str], **variables: str) -> tuple[bool, str]:
        """Whether the tests pass, and what they print."""
        command = ["swift", "test", "--skip-build", "--traits", TRAITS, "--filter", suites.pattern(list(tests))]
        log = self.log(name, "tests")
        passed = self.execute(command, {**variables, **self.environment(built)}, log, TEST_SECONDS)
        return passed, log.read_text(errors="replace")

    def environment(self, tests: Sequence[str]) -> dict[str, str]:
        """Builds the library and the targets of these tests, and no others: see the end of Package.swift."""
        targets = sorted({test.split("/")[0] for test in tests})
        return {**os.environ, "AMALGAM_TEST_TARGETS": ",".join(targets), "AMALGAM_NEEDED_ONLY": "1"}

    def execute(self, command: Sequence[str], environment: dict[str, str], log: Path, seconds: float) -> bool:
        """Whether the command succeeds within the time."""
        with open(log, "wb") as output:
            process = subprocess.Popen(
                command, cwd=self.tree, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True,
            )
            try:
                return process.wait(timeout=seconds) == 0
            except subprocess.TimeoutExpired:
                return False
            finally:
                end(process)

    def log(self, name: str, step: str) -> Path:
        path = self.logs / f"{name}.{step}.txt"
        self.kept.add(path.name)
        return path

    def remove_old_logs(self) -> None:
        for path in self.logs.iterdir():
            if path.name not in self.kept:
                path.unlink()


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process that still runs, with the processes that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def working_tree(root: Path) -> set[str]:
    """The files of the working tree, new ones included, and those that git ignores and a build needs."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    found = {path for path in listed if path and (root / path).exists()}
    for name in GENERATED:
        place = root / name
        files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
        found.update(str(path.relative_to(root)) for path in files)
    return found


def copied_files(tree: Path) -> set[str]:
    found: set[str] = set()
    for folder, folders, files in os.walk(tree):
        if Path(folder) == tree:
            # The build folder, and what SwiftPM has resolved, belong to the copy.
            folders[:] = [name for name in folders if not name.startswith((".build", ".swiftpm"))]
            files = [name for name in files if name != "Package.resolved"]
        found.update(str(Path(folder, name).relative_to(tree)) for name in files)
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        found.update(str(Path(folder, name).relative_to(tree)) for name in linked)
    return found


def copy(source: Path, destination: Path) -> None:
    """Copies a file or a symbolic link, unless the destination is the same."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target = os.readlink(source)
        if not destination.is_symlink() or os.readlink(destination) != target:
            destination.unlink(missing_ok=True)
            destination.symlink_to(target)
        return
    content = source.read_bytes()
    if destination.is_symlink():
        destination.unlink()
    if not destination.is_file() or destination.read_bytes() != content:
        destination.write_bytes(content)
    shutil.copymode(source, destination)


def number_of_tests(output: str) -> int:
    match = re.search(r"Test run with (\d+) tests?\b", output)
    return int(match[1]) if match else 0
