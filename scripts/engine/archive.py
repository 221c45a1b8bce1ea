"""Unpacks source archives without trusting them: regular files and folders only, and nothing outside the destination."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import IO, Iterator, Mapping

from .refusal import Refusal


def unpack(archive: Path, destination: Path) -> None:
    try:
        for name, content in members(archive):
            write(destination, name, content)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise Refusal(
            f"{archive.name} can't be unpacked.", str(error), "Get the archive again; it may be cut short."
        ) from error


def extract(archive: Path, pins: Mapping[str, str], folder: Path) -> None:
    """Takes the pinned files out of a pinned archive, without their folders."""
    contents = {name: content.read() for name, content in members(archive) if name in pins}
    for name, digest in pins.items():
        require_digest(contents.get(name, b""), digest, name)
        (folder / Path(name).name).write_bytes(contents[name])


def members(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Each regular file of the archive, by its path."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            yield from ((name, zipped.open(name)) for name in zipped.namelist() if not name.endswith("/"))
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isfile() else None
            if content:
                yield member.name, content


def write(destination: Path, name: str, content: IO[bytes]) -> None:
    target = destination / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise Refusal(f"The archive is hostile: it wants to write {name}.", next="Don't use this archive.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, target.open("wb") as file:
        shutil.copyfileobj(content, file)


def require_digest(content: bytes, digest: str, name: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise Refusal(
            f"{name} was tampered with: it is not the file that is pinned.",
            f"the lock file pins {digest}\nthe file is         {found}",
            "Get the source from another origin (--origin).",
        )
