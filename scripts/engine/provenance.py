"""Proof that a source tree is SQLite's, by SQLite's own hashes.

A canonical source tree carries `manifest`, the description of the check-in it was taken from. Without its last line,
which asks to be removed, the SHA3-256 of `manifest` is the hash that names the check-in; and each of its `F` lines gives
the hash of one file: 64 hexadecimal digits of SHA3-256, or 40 of SHA-1 for files that have not changed since 2017. So one
pinned hash vouches for every file, and it no longer matters which mirror the tree came from.

Files that the manifest doesn't list are left behind when a tree is adopted: nothing unverified enters a build.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from .lock import Lock, require_floor
from .refusal import Refusal

REMOVED_LINE = b"# Remove this line"
TAG_LINE = re.compile(r"(branch|tag) [\w.+-]+")


@dataclass(frozen=True)
class ManifestFile:
    path: str
    digest: str
    executable: bool


def adopt(tree: Path, lock: Lock, destination: Path) -> int:
    """Copies the files that `manifest` lists, verifies the copy, and returns how many files there are."""
    require_version(tree, lock)
    require_check_in(tree, lock)
    files = listed_files(tree)
    for file in files:
        copy_file(tree, file, destination)
    shutil.copyfile(tree / "manifest", destination / "manifest")
    adopt_labels(tree, lock, destination)
    return verify(destination, lock)


def verify(tree: Path, lock: Lock) -> int:
    """Checks every file of the tree against the pinned check-in hash, and returns how many files there are."""
    require_version(tree, lock)
    require_check_in(tree, lock)
    files = listed_files(tree)
    for file in files:
        require_file(tree, file, lock)
    return len(files)


def require_version(tree: Path, lock: Lock) -> None:
    version = tree_version(tree)
    require_floor(version, lock.floor, where="The source tree is")
    if version != lock.version:
        raise Refusal(
            f"The source tree is SQLite {version}, but sqlite.lock asks for {lock.version}.",
            next="Give the tree of that version, or change vendor/sqlite/sqlite.lock (its README says how).",
        )


def tree_version(tree: Path) -> str:
    try:
        return (tree / "VERSION").read_text().strip()
    except FileNotFoundError:
        raise Refusal(
            "This is not SQLite's canonical source tree: it has no file named VERSION.",
            next="Give the complete tree (sqlite-src-….zip of sqlite.org), not the amalgamation.",
        ) from None


def require_check_in(tree: Path, lock: Lock) -> None:
    try:
        found = check_in_hash((tree / "manifest").read_bytes())
    except FileNotFoundError:
        raise Refusal(
            "The source tree can't be verified: it has no file named manifest.",
            next="Give the complete tree (sqlite-src-….zip of sqlite.org).",
        ) from None
    if found != lock.check_in:
        raise Refusal(
            f"The source tree is not check-in {lock.check_in[:12]} of SQLite: its manifest has another hash.",
            f"sqlite.lock pins {lock.check_in}\nthe manifest is  {found}",
            "Get the source from another origin (--origin).",
        )


def check_in_hash(manifest: bytes) -> str:
    """The hash that names the check-in: that of the manifest without its last line."""
    lines = manifest.splitlines(keepends=True)
    if lines and lines[-1].startswith(REMOVED_LINE):
        lines.pop()
    return hashlib.sha3_256(b"".join(lines)).hexdigest()


def listed_files(tree: Path) -> list[ManifestFile]:
    lines = (tree / "manifest").read_text().splitlines()
    return [manifest_file(line.split()) for line in lines if line.startswith("F ")]


def manifest_file(card: list[str]) -> ManifestFile:
    """`F path hash [permissions]`, where the path writes a space as `\\s`."""
    return ManifestFile(unescaped(card[1]), card[2], executable=card[3:] == ["x"])


def unescaped(path: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"s": " ", "n": "\n"}.get(match[1], match[1]), path)


def copy_file(tree: Path, file: ManifestFile, destination: Path) -> None:
    target = destination / file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(tree / file.path, target)
    except FileNotFoundError:
        raise missing(file) from None
    target.chmod(0o755 if file.executable else 0o644)


def require_file(tree: Path, file: ManifestFile, lock: Lock) -> None:
    try:
        content = (tree / file.path).read_bytes()
    except FileNotFoundError:
        raise missing(file) from None
    algorithm = "sha3_256" if len(file.digest) == 64 else "sha1"
    found = hashlib.new(algorithm, content).hexdigest()
    if found != file.digest:
        raise Refusal(
            f"{file.path} in the source tree was tampered with: it is not SQLite {lock.version}'s.",
            f"the manifest says {file.digest}\nthe file is       {found}",
            "Get the source from another origin (--origin).",
        )


def missing(file: ManifestFile) -> Refusal:
    return Refusal(
        f"{file.path} is missing from the source tree.",
        "SQLite's manifest lists it.",
        "Give the complete tree, or get the source from another origin (--origin).",
    )


def adopt_labels(tree: Path, lock: Lock, destination: Path) -> None:
    """manifest.uuid and manifest.tags, which the build reads and no hash covers: one is known, the other is checked."""
    (destination / "manifest.uuid").write_text(lock.check_in + "\n")
    tags = tree / "manifest.tags"
    lines = tags.read_text().splitlines() if tags.is_file() else []
    if lines and all(TAG_LINE.fullmatch(line) for line in lines):
        shutil.copyfile(tags, destination / "manifest.tags")


def find_tree(folder: Path) -> Path:
    """The source tree in a folder: the folder itself, or the one folder that an archive has at its top."""
    if (folder / "manifest").is_file() or (folder / "VERSION").is_file():
        return folder
    inner = [entry for entry in folder.iterdir() if entry.is_dir()]
    return inner[0] if len(inner) == 1 else folder
