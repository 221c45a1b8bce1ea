"""Where things lie in the repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import catalogue, choice, lock, record
from .catalogue import Catalogue
from .choice import Choice
from .lock import Lock
from .record import Record


@dataclass(frozen=True)
class Project:
    root: Path

    @property
    def home(self) -> Path:
        return self.root / "vendor" / "sqlite"

    @property
    def module_map(self) -> Path:
        return self.root / "Sources" / "CAmalgam" / "include" / "module.modulemap"

    def lock(self) -> Lock:
        return lock.read(self.home / "sqlite.lock")

    def catalogue(self) -> Catalogue:
        return catalogue.read(self.home / "options")

    def choice(self) -> Choice:
        return choice.read(self.home / "choice")

    def record(self) -> Record | None:
        return record.read(self.home / record.NAME)


HERE = Project(Path(__file__).resolve().parents[2])
