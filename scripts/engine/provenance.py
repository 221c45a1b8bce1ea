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
from pathlib import Path
from typing import Iterator

from .lock import Lock, require_floor
from .refusal import Refusal

REMOVED_LINE = b"# Remove this line"
TAG_LINE = re.compile(r"(branch|tag) [\w.+-]+")


def find_tree(folder: Path) -> Path:
    """The source tree in a folder: the folder itself, or the one folder that an archive has at its top."""
    if (folder / "manifest").is_file() or (folder / "VERSION").is_file():
        return folder
    inner = [entry for entry in folder.iterdir() if entry.is_dir()]
    return inner[0] if len(inner) == 1 else folder


def adopt(tree: Path, lock: Lock, destination: Path) -> int:
    """Copies the files that `manifest` lists, each of them verified, and returns how many files there are."""
    count = 0
    for count, (path, content, is_executable) in enumerate(verified_files(tree, lock), 1):
        target = destination / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if is_executable else 0o644)
    shutil.copyfile(tree / "manifest", destination / "manifest")
    adopt_labels(tree, lock, destination)
    return count


def verify(tree: Path, lock: Lock) -> int:
    """Checks every file of the tree against the pinned check-in hash, and returns how many files there are."""
    return sum(1 for _ in verified_files(tree, lock))


def verified_files(tree: Path, lock: Lock) -> Iterator[tuple[str, bytes, bool]]:
    """The path and the content of each file that the manifest lists, and whether it may be executed."""
    require_version(required(tree, "VERSION").decode().strip(), lock)
    manifest = required(tree, "manifest")
    require_check_in(check_in_hash(manifest), lock)
    for line in manifest.decode().splitlines():
        if line.startswith("F "):
            # `F path hash [permissions]`, where the path writes a space as `\s`.
            _, escaped, digest, *permissions = line.split()
            path = re.sub(r"\\(.)", lambda match: {"s": " ", "n": "\n"}.get(match[1], match[1]), escaped)
            yield path, verified(tree, path, digest, lock), permissions == ["x"]


def required(tree: Path, name: str) -> bytes:
    try:
        return (tree / name).read_bytes()
    except FileNotFoundError:
        raise Refusal(
            f"This is not SQLite's canonical source tree: it has no file named {name}.",
            next="Give the complete tree (sqlite-src-….zip of sqlite.org), not the amalgamation.",
        ) from None


def require_version(version: str, lock: Lock) -> None:
    require_floor(version, lock.floor, where="The source tree is")
    if version != lock.version:
        raise Refusal(
            f"The source tree is SQLite {version}, but sqlite.lock asks for {lock.version}.",
            next="Give the tree of that version, or change vendor/sqlite/sqlite.lock (its README says how).",
        )


def require_check_in(found: str, lock: Lock) -> None:
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


def verified(tree: Path, path: str, digest: str, lock: Lock) -> bytes:
    """The content of a file that has this hash."""
    try:
        content = (tree / path).read_bytes()
    except FileNotFoundError:
        raise Refusal(
            f"{path} is missing from the source tree.",
            "SQLite's manifest lists it.",
            "Give the complete tree, or get the source from another origin (--origin).",
        ) from None
    found = hashlib.new("sha3_256" if len(digest) == 64 else "sha1", content).hexdigest()
    if found != digest:
        raise Refusal(
            f"{path} in the source tree was tampered with: it is not SQLite {lock.version}'s.",
            f"the manifest says {digest}\nthe file is       {found}",
            "Get the source from another origin (--origin).",
        )
    return content


def adopt_labels(tree: Path, lock: Lock, destination: Path) -> None:
    """manifest.uuid and manifest.tags, which the build reads and no hash covers: one is known, the other is checked."""
    (destination / "manifest.uuid").write_text(lock.check_in + "\n")
    tags = tree / "manifest.tags"
    lines = tags.read_text().splitlines() if tags.is_file() else []
    if lines and all(TAG_LINE.fullmatch(line) for line in lines):
        shutil.copyfile(tags, destination / "manifest.tags")
