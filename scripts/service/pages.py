"""Holds live pages open while documents are edited: memory and descriptors of the service must stay flat."""

from __future__ import annotations

import os
import resource
import selectors
import socket
import sys
import tempfile
import time
from pathlib import Path

from service.program import Service, serve

WORDS = 150


def open_page(port: int, number: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    request = f"GET /api/live?q=word{number % WORDS} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    connection.sendall(request.encode())
    connection.setblocking(False)
    return connection


def usage(service: Service) -> tuple[int, int]:
    """The memory in MB, and the number of open files."""
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    memory = int(status.split("VmRSS:")[1].split()[0]) // 1024
    return memory, len(os.listdir(f"/proc/{service.process.pid}/fd"))


def read(selector: selectors.BaseSelector, counts: dict[str, int], seconds: float) -> None:
    end = time.monotonic() + seconds
    while (rest := end - time.monotonic()) > 0:
        for key, _ in selector.select(rest):
            data = key.fileobj.recv(1 << 16)
            if not data:
                raise AssertionError("the service has closed a page")
            counts["events"] += data.count(b"event: results")


def main(program: str, count: int, minutes: float) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    with tempfile.TemporaryDirectory() as name, selectors.DefaultSelector() as selector:
        folder = Path(name)
        documents = {f"{n}.txt": f"word{n % WORDS} otter {n}" for n in range(600)}
        service = serve(program, folder, documents, "--requests-per-minute", "0")
        for number in range(count):
            selector.register(open_page(service.port, number), selectors.EVENT_READ)
        counts = {"events": 0}
        read(selector, counts, 5)
        assert counts["events"] >= count, f"{count} pages have received {counts['events']} events"
        samples: list[tuple[int, int]] = []
        end = time.monotonic() + minutes * 60
        second = 0
        while time.monotonic() < end:
            identifier = 1 + second % 600
            document = service.get(f"/api/documents/{identifier}")
            edit = {"version": document["version"], "title": f"edit {second}", "actor": "editor"}
            assert service.send("PATCH", f"/api/documents/{identifier}", edit)[0] == 200
            read(selector, counts, 1)
            if second % 10 == 0:
                samples.append(usage(service))
            second += 1
        first, last = samples[len(samples) // 4], samples[-1]
        print(f"  {count} pages, {counts['events']} events, MB and files: {samples[0]}, {first}, {last}")
        assert last[1] <= first[1] + 10, f"open files: {first[1]}, then {last[1]}"
        assert last[0] <= first[0] * 1.15 + 10, f"MB: {first[0]}, then {last[0]}"
        for key in list(selector.get_map().values()):
            key.fileobj.close()
        time.sleep(2)
        assert usage(service)[1] < count / 2, "files of closed pages stay open"
        service.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
