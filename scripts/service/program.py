"""A running search service, on a free port, with a folder of documents."""

from __future__ import annotations

import atexit
import json
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service:
    def __init__(self, program: str, folder: Path, *options: str) -> None:
        self.program = program
        self.folder = folder
        self.options = options
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen | None = None

    def start(self, seconds: float = 60) -> None:
        """Starts the service, and waits until it answers."""
        command = [self.program, "--db", str(self.folder / "service.sqlite"), "--port", str(self.port)]
        if "--json" not in self.options:
            command += ["--corpus", str(self.folder / "documents")]
        with open(self.folder / "service.log", "ab") as log:
            self.process = subprocess.Popen([*command, *self.options], stdout=log, stderr=log)
        # A step that fails leaves no service behind.
        atexit.register(self.process.kill)
        end = time.monotonic() + seconds
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError("the service doesn't start: " + (self.folder / "service.log").read_text())
            time.sleep(0.02)

    def answers(self) -> bool:
        try:
            return self.get("/health")["status"] == "ok"
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def wait_for_index(self, seconds: float = 600) -> None:
        end = time.monotonic() + seconds
        while (status := self.get("/api/status"))["scans"] == 0:
            if time.monotonic() > end:
                raise AssertionError(f"the service doesn't end indexing: {status}")
            time.sleep(0.1)

    def stop(self) -> int:
        """Stops the service as an administrator does, and returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=20)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def get(self, path: str) -> dict:
        return self.send("GET", path)[1]

    def send(self, method: str, path: str, body: object = None) -> tuple[int, dict]:
        """Returns the status, and the JSON of the answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


def serve(program: str, folder: Path, documents: dict[str, str], *options: str) -> Service:
    """Starts a service with these documents, and waits until they are indexed."""
    write(folder, documents)
    service = Service(program, folder, *options)
    service.start()
    service.wait_for_index()
    return service


def write(folder: Path, documents: dict[str, str]) -> None:
    for path, text in documents.items():
        file = folder / "documents" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


DOCUMENTS = {
    "birds/heron.md": "# The grey heron\n\nA heron stands still at the shore of a lake.\nIt waits for fish.\n",
    "birds/kingfisher.md": "# The kingfisher\n\nA kingfisher dives for fish.\n",
    "mammals/otter.md": "# Otters of the river\n\nAn otter holds hands while it sleeps.\n",
    "mammals/otter.swift": "// Counts the otters of a lake.\nlet otters = 3\n",
    "mammals/badger.txt": "A badger digs at night.\n",
    "arabic.txt": "ثعلب الماء يسبح في النهر otter\n",
    "attack.txt": "<script>document.title = 'attacked'</script> <img src=x onerror=alert(1)> otter \"'&\n",
    **{f"notes/note-{n}.txt": f"Note {n}: an otter was seen, day {n}.\n" for n in range(30)},
}
