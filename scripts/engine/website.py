"""The origin `sqlite.org`: SQLite's own source archives."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from typing import IO

from . import terminal
from .delivery import Delivery, Unavailable
from .lock import Lock, OriginEntry

SECONDS = 30
CHUNK = 1 << 16


def fetch(lock: Lock, entry: OriginEntry, folder: Path) -> Delivery:
    reasons = []
    for url in entry.all("url"):
        try:
            return Delivery(download(url, folder / url.rpartition("/")[2]), f"{entry.name} {url.rpartition('/')[2]}")
        except OSError as error:
            reasons.append(f"{url}: {getattr(error, 'reason', error)}")
    raise Unavailable("\n".join(reasons))


def download(url: str, target: Path) -> Path:
    terminal.step(f"Downloading {url}")
    request = urllib.request.Request(url, headers={"User-Agent": "amalgam-bootstrap"})
    with urllib.request.urlopen(request, timeout=SECONDS) as response, target.open("wb") as file:
        total = int(response.headers.get("Content-Length") or 0)
        copy(response, file, total)
    return target


def copy(response: IO[bytes], file: IO[bytes], total: int) -> None:
    done = 0
    while chunk := response.read(CHUNK):
        file.write(chunk)
        done += len(chunk)
        terminal.download_progress(done, total)
    terminal.rewrite("")
    if total and done < total:
        raise OSError(f"the connection ended after {done:,} of {total:,} bytes")
