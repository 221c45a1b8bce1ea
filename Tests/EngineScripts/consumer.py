"""Packages that depend on Amalgam, as README.md says: python3 Tests/EngineScripts/consumer.py

Clones this repository, makes a release in the clone, and builds and runs two throw-away packages: one depends on the
release by URL and version, the other one on the path of a clone whose folder has another name. Slower than the other tests,
because both compile Amalgam: a few minutes. Where Linux allows it, the builds have no network.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[2]
VERSION = "99.0.0"

BY_RELEASE = '.package(url: "file://{repository}", exact: "{version}")'
BY_PATH = '.package(name: "Amalgam", path: "{repository}")'

MANIFEST = """
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [{dependency}],
    targets: [.executableTarget(name: "consumer", dependencies: [.product(name: "Amalgam", package: "Amalgam")])]
)
"""

MAIN = """
import Amalgam

let queue = try DatabaseQueue()
let version = try queue.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
print("SQLite", version!)
"""


def main() -> int:
    if not source_is_canonical():
        print("No origin gives SQLite's source tree here, and releases are made of nothing else.", file=sys.stderr)
        print("0 passed, 0 failed, 1 skipped")
        return 0
    failed = sum(not passes(test) for test in TESTS)
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


def passes(test: Callable[[Path], None]) -> bool:
    try:
        with tempfile.TemporaryDirectory(prefix="amalgam-consumer-") as folder:
            test(Path(folder))
        return True
    except Exception:
        traceback.print_exc()
        return False


def source_is_canonical() -> bool:
    return subprocess.run([ROOT / "scripts/bootstrap", "--source"], capture_output=True).returncode == 0


def test_release(folder: Path) -> None:
    repository = release(folder / "Amalgam")
    build_and_run(folder / "consumer", BY_RELEASE, repository)


def test_path(folder: Path) -> None:
    repository = clone(folder / "a-clone")
    build_and_run(folder / "consumer", BY_PATH, repository)


TESTS = [test_release, test_path]


def build_and_run(consumer: Path, dependency: str, repository: Path) -> None:
    write_consumer(consumer, dependency.format(repository=repository, version=VERSION))
    run([*without_network(), "swift", "build", "--package-path", consumer])
    output = run([consumer / ".build/debug/consumer"])
    expected = f"SQLite {pinned_version(repository)}"
    assert output.strip() == expected, f"the consumer says {output.strip()!r}, not {expected!r}"


def clone(repository: Path) -> Path:
    """A clone with a build of SQLite, which comes from the cache."""
    run(["git", "clone", "--quiet", ROOT, repository])
    # The commit under test may be checked out by its hash.
    run(["git", "-C", repository, "switch", "--quiet", "-C", "main"])
    run([repository / "scripts/bootstrap"])
    return repository


def release(repository: Path) -> Path:
    """A clone with a release in it."""
    clone(repository)
    run(["git", "-C", repository, "config", "user.name", "Consumer"])
    run(["git", "-C", repository, "config", "user.email", "consumer@example.org"])
    run([repository / "scripts/release", VERSION])
    return repository


def write_consumer(folder: Path, dependency: str) -> None:
    (folder / "Sources/consumer").mkdir(parents=True)
    (folder / "Package.swift").write_text(MANIFEST.format(dependency=dependency).lstrip())
    (folder / "Sources/consumer/main.swift").write_text(MAIN.lstrip())


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


def run(command: list[object]) -> str:
    words = [str(word) for word in command]
    print("•", " ".join(words), file=sys.stderr, flush=True)
    result = subprocess.run(
        words, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if result.returncode != 0:
        raise RuntimeError(f"{words[0]} failed:\n{result.stdout}")
    return result.stdout


if __name__ == "__main__":
    sys.exit(main())
