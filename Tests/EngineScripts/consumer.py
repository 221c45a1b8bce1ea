"""A package that depends on a release by URL and version: python3 Tests/EngineScripts/consumer.py

Clones this repository, makes a release in the clone, and builds and runs a throw-away package that depends on it. Slower
than the other tests, because it compiles Amalgam: a few minutes. Where Linux allows it, the build has no network.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = "99.0.0"

MANIFEST = """
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "file://{repository}", exact: "{version}")],
    targets: [.executableTarget(name: "consumer", dependencies: [.product(name: "Amalgam", package: "{identity}")])]
)
"""

MAIN = """
import Amalgam

let queue = try DatabaseQueue()
let version = try queue.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
print("SQLite", version!)
"""


def main() -> int:
    try:
        with tempfile.TemporaryDirectory(prefix="amalgam-consumer-") as folder:
            test(Path(folder))
    except Exception:
        traceback.print_exc()
        print("0 passed, 1 failed")
        return 1
    print("1 passed, 0 failed")
    return 0


def test(folder: Path) -> None:
    repository = release(folder / "Amalgam")
    consumer = write_consumer(folder / "consumer", repository)
    run([*without_network(), "swift", "build", "--package-path", consumer])
    output = run([consumer / ".build/debug/consumer"])
    expected = f"SQLite {pinned_version(repository)}"
    assert output.strip() == expected, f"the consumer says {output.strip()!r}, not {expected!r}"


def release(repository: Path) -> Path:
    """A clone with a release in it; its own build of SQLite comes from the cache."""
    run(["git", "clone", "--quiet", "--branch", "main", ROOT, repository])
    run([repository / "scripts/bootstrap"])
    run(["git", "-C", repository, "config", "user.name", "Consumer"])
    run(["git", "-C", repository, "config", "user.email", "consumer@example.org"])
    run([repository / "scripts/release", VERSION])
    return repository


def write_consumer(folder: Path, repository: Path) -> Path:
    (folder / "Sources/consumer").mkdir(parents=True)
    manifest = MANIFEST.format(repository=repository, version=VERSION, identity=repository.name)
    (folder / "Package.swift").write_text(manifest.lstrip())
    (folder / "Sources/consumer/main.swift").write_text(MAIN.lstrip())
    return folder


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
