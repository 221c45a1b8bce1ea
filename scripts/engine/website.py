"""The origins `sqlite.org` and `github.com`: source archives by URL."""

from __future__ import annotations

import http.client
import urllib.request
from pathlib import Path

from . import terminal
from .lock import Lock, Origin
from .refusal import Unavailable

SECONDS = 30
CHUNK = 1 << 16


def fetch(lock: Lock, origin: Origin, folder: Path) -> Path:
    reasons = []
    for url in origin.all("url"):
        target = folder / url.rpartition("/")[2]
        try:
            download(url, target)
            return target
        except (OSError, http.client.HTTPException) as error:
            reasons.append(f"{url}: {getattr(error, 'reason', error)}")
    raise Unavailable("\n".join(reasons))


def download(url: str, target: Path) -> None:
    terminal.step(f"Downloading {url}")
    request = urllib.request.Request(url, headers={"User-Agent": "amalgam-bootstrap"})
    with urllib.request.urlopen(request, timeout=SECONDS) as response, target.open("wb") as file:
        total = int(response.headers.get("Content-Length") or 0)
        of_total = f" of {total / 1e6:.1f}" if total else ""
        while chunk := response.read(CHUNK):
            file.write(chunk)
            terminal.rewrite(f"{file.tell() / 1e6:.1f}{of_total} MB")
        terminal.rewrite("")
        if file.tell() < total:
            raise OSError(f"the connection ended after {file.tell():,} of {total:,} bytes")
