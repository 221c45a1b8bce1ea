"""Unpacks source archives without trusting them: regular files and folders only, and nothing outside the destination."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import IO, Iterator, Tuple

from .refusal import Refusal

Member = Tuple[str, IO[bytes]]


def unpack(archive: Path, destination: Path) -> None:
    try:
        for name, content in members(archive):
            write(destination, name, content)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise Refusal(
            f"{archive.name} can't be unpacked.", str(error), "Get the archive again; it may be cut short."
        ) from error


def members(archive: Path) -> Iterator[Member]:
    """Each regular file of the archive, by its path."""
    return zip_members(archive) if zipfile.is_zipfile(archive) else tar_members(archive)


def tar_members(archive: Path) -> Iterator[Member]:
    with tarfile.open(archive) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isfile() else None
            if content:
                yield member.name, content


def zip_members(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as zipped:
        for member in zipped.infolist():
            if not member.is_dir():
                yield member.filename, zipped.open(member)


def write(destination: Path, name: str, content: IO[bytes]) -> None:
    target = destination / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise Refusal(f"The archive is hostile: it wants to write {name}.", next="Don't use this archive.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, target.open("wb") as file:
        shutil.copyfileobj(content, file)
