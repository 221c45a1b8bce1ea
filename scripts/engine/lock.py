"""A lock file pins a source that is fetched: its version, its hashes, and the origins that may deliver it.

A line is `key value …`; an indented line belongs to the `origin` or `cipher` above it; `#` starts a comment. There are two kinds
of proof.
The `check-in` of SQLite proves the source tree of every origin (provenance.py). An origin whose `archive` has a SHA-256 is
proven by that, and needs no check-in; if it has `file` lines, only these files are taken out of the archive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .refusal import Refusal


@dataclass(frozen=True)
class Origin:
    """One `origin` of a lock file: its name and the values of its keys, in order."""

    name: str
    values: dict[str, list[str]] = field(default_factory=dict)

    def all(self, key: str) -> list[str]:
        return self.values.get(key, [])

    def one(self, key: str) -> str:
        return self.values[key][0]

    @property
    def is_pinned(self) -> bool:
        return "archive" in self.values

    @property
    def archive(self) -> tuple[str, str]:
        """The file name of a pinned archive, and its SHA-256."""
        name, digest = self.one("archive").split()
        return name, digest

    @property
    def files(self) -> dict[str, str]:
        """The files to take out of a pinned archive, and their SHA-256."""
        return dict(value.split() for value in self.all("file"))


@dataclass(frozen=True)
class Cipher:
    """The `cipher` of a lock file: a codec that an origin's files add to SQLite, the options that these were made with, and
    the SHA-256 of the difference."""

    name: str
    version: str
    origin: str
    options: tuple[str, ...]
    patch: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class Lock:
    name: str
    version: str
    check_in: str
    floor: str
    origins: list[Origin]
    cipher: Cipher | None = None

    @property
    def entry(self) -> str:
        """A file name for things that belong to exactly this source."""
        return f"{self.name.lower()}-{self.version}-{self.check_in[:12]}"


def read(path: Path) -> Lock:
    lock = parse(path.read_text())
    if lock.floor:
        require_floor(lock.version, lock.floor, where=f"{path.name} asks for")
    return lock


def parse(text: str) -> Lock:
    values: dict[str, str] = {}
    origins: list[Origin] = []
    cipher_values: dict[str, list[str]] = {}
    block: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, value = line.strip().split(maxsplit=1)
        if line[0].isspace():
            block.setdefault(key, []).append(value)
        elif key == "origin":
            block = {}
            origins.append(Origin(value, block))
        elif key == "cipher":
            block = cipher_values = {}
            values[key] = value
        else:
            values[key] = value
    cipher = parse_cipher(values["cipher"], cipher_values) if "cipher" in values else None
    return Lock(values["name"], values["version"], values.get("check-in", ""), values.get("floor", ""), origins, cipher)


def parse_cipher(name: str, values: dict[str, list[str]]) -> Cipher:
    for key in ("version", "origin", "options", "patch"):
        if key not in values:
            raise Refusal(f"The cipher {name} of the lock file has no {key}.")
    options = tuple(option for line in values["options"] for option in line.split())
    return Cipher(name, values["version"][0], values["origin"][0], options, values["patch"][0])


def version_tuple(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def require_floor(version: str, floor: str, where: str) -> None:
    if version_tuple(version) < version_tuple(floor):
        raise Refusal(
            f"{where} SQLite {version}, which is too old: {floor} is the oldest that is safe.",
            "SQLite 3.7.0 to 3.51.2 can corrupt a database in WAL mode: https://sqlite.org/wal.html#walresetbug",
            f"Use SQLite {floor} or newer.",
        )
