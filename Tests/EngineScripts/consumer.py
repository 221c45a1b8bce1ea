"""Packages that depend on Amalgam, as README.md says: python3 Tests/EngineScripts/consumer.py [TEST…]

Clones this repository, makes a release in the clone, and builds and runs throw-away packages. They depend on the release by URL
and version, with and without traits, or on the path of a clone whose folder has another name. Slower than the other tests: four
of them compile Amalgam, in a few minutes each. Where Linux allows it, the builds have no network, except for the one with macros,
which fetches swift-syntax.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from functools import cached_property
from pathlib import Path
from typing import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
VERSION = "99.0.0"

BY_RELEASE = '.package(url: "file://{repository}", exact: "{version}", traits: [{traits}])'
BY_PATH = '.package(name: "Amalgam", path: "{repository}", traits: [{traits}])'

MANIFEST = """
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [{dependency}],
    targets: [.executableTarget(name: "consumer", dependencies: [.product(name: "{product}", package: "Amalgam")])]
)
"""

VERSION_IN_SWIFT = """
import Amalgam

let queue = try DatabaseQueue()
let version = try queue.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
print("SQLite", version!, SQLiteBuild.traits)
"""

ENCRYPTION_IN_SWIFT = """
import Amalgam

var configuration = Configuration()
configuration.prepareDatabase { try $0.usePassphrase("correct horse") }
let path = CommandLine.arguments[1]
try DatabaseQueue(path: path, configuration: configuration).write { db in
    try db.execute(sql: "CREATE TABLE note(text); INSERT INTO note VALUES('battery staple')")
}
let queue = try DatabaseQueue(path: path, configuration: configuration)
let note = try queue.read { try String.fetchOne($0, sql: "SELECT text FROM note") }
print(note!, SQLiteBuild.cipher!.version, SQLiteBuild.traits)
"""

MACROS_IN_SWIFT = """
import Amalgam

@Record("note")
struct Note {
    @Key var id: Int64?
    var text: String
}

let notes = try DatabaseQueue().write { db in
    try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    try db.verify(Note.self)
    var note = Note(text: "Moby-Dick")
    try note.insert(db)
    return try Note.filter { $0.id == note.id }.fetchAll(db)
}
print(notes[0].id!, notes[0].text)
"""

OPTIONS_IN_C = """
#include "CAmalgam.h"
#include <stdio.h>

int main(int count, char **names) {
    for (int i = 1; i < count; i++) printf("%s=%d ", names[i], sqlite3_compileoption_used(names[i]));
    printf("%s\\n", amalgam_build_traits());
    return 0;
}
"""


def main(names: Sequence[str]) -> int:
    if not source_is_canonical():
        print("No origin gives SQLite's source tree here, and releases are made of nothing else.", file=sys.stderr)
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="amalgam-consumer-") as folder:
        world = World(Path(folder))
        tests = [test for test in TESTS if not names or test.__name__ in names]
        failed = sum(not passes(test, world) for test in tests)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


def passes(test: Callable[[World], None], world: World) -> bool:
    try:
        test(world)
        return True
    except Exception:
        traceback.print_exc()
        return False


def source_is_canonical() -> bool:
    return subprocess.run([ROOT / "scripts/bootstrap", "--source"], capture_output=True).returncode == 0


class World:
    """A folder with the clones that the tests share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def release(self) -> Path:
        """A clone with a release in it. Its build of SQLite comes from the cache."""
        repository = clone(self.folder / "Amalgam")
        run([repository / "scripts/bootstrap"])
        run(["git", "-C", repository, "config", "user.name", "Consumer"])
        run(["git", "-C", repository, "config", "user.email", "consumer@example.org"])
        run([repository / "scripts/release", VERSION])
        return repository

    @property
    def version(self) -> str:
        return pinned_version(self.release)


def test_a_clone_without_sqlite_says_what_to_do(world: World) -> None:
    repository = clone(world.folder / "fresh")
    for jobs in ([], ["--jobs", "1"], ["--jobs", "16"]):
        shutil.rmtree(repository / ".build", ignore_errors=True)
        result = started(["swift", "build", "--package-path", repository, *jobs])
        assert result.returncode != 0, "a clone without SQLite builds"
        lines = result.stdout.splitlines()
        errors = [line for line in lines if "error:" in line]
        for line in (errors[0], errors[-1]):
            assert "run scripts/bootstrap" in line and "release tag" in line, result.stdout
        # A terminal shows the progress, such as [7/70], in one line.
        assert len([line for line in lines if not re.match(r"\[\d+/\d+\] ", line)]) < 20, result.stdout


def test_a_release(world: World) -> None:
    said = build_and_run(world.folder / "default", BY_RELEASE, world.release, VERSION_IN_SWIFT)
    expect(said, f"SQLite {world.version} []")


def test_macros(world: World) -> None:
    """Without the trait, the build fetches nothing of swift-syntax; with it, the program of a macro runs."""
    consumer = world.folder / "without-macros"
    write_consumer(consumer, dependency_of(BY_RELEASE, world.release), VERSION_IN_SWIFT)
    run([*without_network(), "swift", "package", "--package-path", consumer, "resolve"])
    assert not syntax_checkouts(consumer), "a package without the trait Macros fetches swift-syntax"
    consumer = world.folder / "macros"
    write_consumer(consumer, dependency_of(BY_RELEASE, world.release, ["Macros"]), MACROS_IN_SWIFT)
    run(["swift", "build", "--package-path", consumer])
    assert syntax_checkouts(consumer), "this test doesn't find the checkout of swift-syntax"
    expect(run([consumer / ".build/debug/consumer"]).strip(), "1 Moby-Dick")


def syntax_checkouts(consumer: Path) -> list[Path]:
    return [path for kind in ("checkouts", "repositories") for path in (consumer / ".build" / kind).glob("swift-syntax*")]


def test_a_release_with_encryption(world: World) -> None:
    database = world.folder / "notes.sqlite"
    said = build_and_run(
        world.folder / "encryption", BY_RELEASE, world.release, ENCRYPTION_IN_SWIFT, ["Encryption"], [database]
    )
    expect(said, f'battery staple {cipher_version(world.release)} ["Encryption"]')
    for clear in (b"SQLite format", b"CREATE TABLE", b"battery staple"):
        assert clear not in database.read_bytes(), f"the file of the encrypted database contains {clear!r}"


def test_the_c_product_with_options(world: World) -> None:
    options = ["MAX_ATTACHED=125", "SECURE_DELETE", "SOUNDEX", "HAS_CODEC"]
    said = build_and_run(
        world.folder / "options", BY_RELEASE, world.release, OPTIONS_IN_C, ["MaxAttached", "SecureDelete"], options
    )
    expect(said, "MAX_ATTACHED=125=1 SECURE_DELETE=1 SOUNDEX=0 HAS_CODEC=0 MaxAttached SecureDelete")


def test_the_c_product_with_encryption(world: World) -> None:
    options = ["MAX_ATTACHED=125", "HAS_CODEC", "TEMP_STORE=3", "THREADSAFE=2"]
    said = build_and_run(world.folder / "codec", BY_RELEASE, world.release, OPTIONS_IN_C, ["Encryption"], options)
    expect(said, "MAX_ATTACHED=125=0 HAS_CODEC=1 TEMP_STORE=3=1 THREADSAFE=2=1 Encryption")


def test_a_path(world: World) -> None:
    repository = Path(shutil.copytree(world.release, world.folder / "a-clone"))
    said = build_and_run(world.folder / "path", BY_PATH, repository, VERSION_IN_SWIFT)
    expect(said, f"SQLite {world.version} []")


TESTS = [
    test_a_clone_without_sqlite_says_what_to_do,
    test_the_c_product_with_options,
    test_the_c_product_with_encryption,
    test_a_release,
    test_a_release_with_encryption,
    test_macros,
    test_a_path,
]


def build_and_run(
    consumer: Path,
    dependency: str,
    repository: Path,
    source: str,
    traits: Sequence[str] = (),
    arguments: Sequence[object] = (),
) -> str:
    """What the program of a package says that depends on Amalgam, with these traits. Its source is in Swift or in C."""
    write_consumer(consumer, dependency_of(dependency, repository, traits), source)
    run([*without_network(), "swift", "build", "--package-path", consumer])
    said = run([consumer / ".build/debug/consumer", *arguments]).strip()
    shutil.rmtree(consumer)
    return said


def dependency_of(dependency: str, repository: Path, traits: Sequence[str] = ()) -> str:
    """The dependency of a manifest, with these traits."""
    names = ", ".join(f'"{trait}"' for trait in traits)
    return dependency.format(repository=repository, version=VERSION, traits=names)


def expect(said: str, expected: str) -> None:
    assert said == expected, f"the consumer says {said!r}, not {expected!r}"


def clone(repository: Path) -> Path:
    run(["git", "clone", "--quiet", ROOT, repository])
    # The commit under test may be checked out by its hash.
    run(["git", "-C", repository, "switch", "--quiet", "-C", "main"])
    return repository


def write_consumer(folder: Path, dependency: str, source: str) -> None:
    is_swift = source.lstrip().startswith("import")
    (folder / "Sources/consumer").mkdir(parents=True)
    manifest = MANIFEST.format(dependency=dependency, product="Amalgam" if is_swift else "CAmalgam")
    (folder / "Package.swift").write_text(manifest.lstrip())
    (folder / "Sources/consumer" / ("main.swift" if is_swift else "main.c")).write_text(source.lstrip())


def cipher_version(repository: Path) -> str:
    return json.loads((repository / "vendor/sqlite/build.json").read_text())["cipher"]["version"]


def pinned_version(repository: Path) -> str:
    lines = (repository / "vendor/sqlite/sqlite.lock").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("version"))


def without_network() -> list[str]:
    """A network namespace with nothing in it, where this user may make one."""
    wrapper = ["unshare", "--net"]
    try:
        allowed = subprocess.run([*wrapper, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return []
    return wrapper if allowed else []


def run(command: Sequence[object]) -> str:
    result = started(command)
    if result.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{result.stdout}")
    return result.stdout


def started(command: Sequence[object]) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    print("•", " ".join(words), file=sys.stderr, flush=True)
    return subprocess.run(
        words, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
