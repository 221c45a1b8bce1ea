"""What an origin gives: source in a folder, or the reason why there is none. It never judges what it delivers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Delivery:
    """An archive or folder with source in it, and where it came from, in words."""

    path: Path
    origin: str


class Unavailable(Exception):
    """This origin can't deliver, and why. Another one may."""
