"""vendor/sqlite/build.json: what was built, from what, verified how, and the hash of every file that resulted."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

NAME = "build.json"


@dataclass(frozen=True)
class Record:
    version: str
    check_in: str
    origin: str
    verification: str
    is_canonical: bool
    chosen: list[str]
    options: dict[str, str]
    traits: list[str]
    libraries: list[str]
    cipher: dict[str, str] | None
    stemmers: dict[str, str] | None
    symbols: int
    inputs: str
    files: dict[str, str]

    def text(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"


def read(path: Path) -> Record | None:
    """The record, or None where nothing (or nothing we know) was built."""
    try:
        return Record(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
