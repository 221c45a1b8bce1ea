"""vendor/sqlite/sqlite.lock: which SQLite, and where its source may come from.

A line is `key value …`; an indented line belongs to the `origin` above it; `#` starts a comment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .refusal import Refusal


@dataclass(frozen=True)
class OriginEntry:
    """One `origin` of the lock file: its name and the values of its keys, in order."""

    name: str
    values: dict[str, list[str]] = field(default_factory=dict)

    def all(self, key: str) -> list[str]:
        return self.values.get(key, [])

    def one(self, key: str) -> str:
        return self.all(key)[0]

    def pins(self, key: str) -> dict[str, str]:
        """File names and their SHA-256, for the keys that pin files."""
        return dict(value.split() for value in self.all(key))


@dataclass(frozen=True)
class Lock:
    version: str
    check_in: str
    floor: str
    origins: list[OriginEntry]

    @property
    def name(self) -> str:
        """A file name for things that belong to exactly this source."""
        return f"sqlite-{self.version}-{self.check_in[:12]}"


def read(path: Path) -> Lock:
    lock = parse(path.read_text())
    require_floor(lock.version, lock.floor, where=f"{path.name} asks for")
    return lock


def parse(text: str) -> Lock:
    values: dict[str, str] = {}
    origins: list[OriginEntry] = []
    for line in filter(None, map(without_comment, text.splitlines())):
        key, value = line.split(maxsplit=1)
        if line[0].isspace():
            origins[-1].values.setdefault(key, []).append(value.strip())
        elif key == "origin":
            origins.append(OriginEntry(value.strip()))
        else:
            values[key] = value.strip()
    return Lock(values["version"], values["check-in"], values["floor"], origins)


def without_comment(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.rstrip()


def version_tuple(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def version_number(version: str) -> int:
    """3.53.4 as SQLite writes it in SQLITE_VERSION_NUMBER: 3053004."""
    major, minor, patch = version_tuple(version)[:3]
    return major * 1_000_000 + minor * 1_000 + patch


def require_floor(version: str, floor: str, where: str) -> None:
    if version_tuple(version) < version_tuple(floor):
        raise Refusal(
            f"{where} SQLite {version}, which is too old: {floor} is the oldest that is safe.",
            "SQLite 3.7.0 to 3.51.2 can corrupt a database in WAL mode: https://sqlite.org/wal.html#walresetbug",
            f"Use SQLite {floor} or newer.",
        )
