"""Measures the service: searches while a user types, and requests per second with and without a writer."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

from service.program import Service, free_port

SCRIPT = """
local paths = {%s}
local index = 0
request = function()
    index = index %% #paths + 1
    return wrk.format("GET", paths[index])
end
done = function(summary, latency)
    local errors = summary.errors
    print(string.format("RESULT %%d %%d %%.3f %%.3f", summary.requests,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
"""


def percentile(times: list[float], percent: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * percent / 100))]


def type_queries(service: Service, queries: list[str]) -> list[float]:
    """The milliseconds of each search, while each query is typed, one connection as in a browser."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    times = []
    for query in queries:
        for length in range(1, len(query) + 1):
            start = time.perf_counter()
            connection.request("GET", f"/api/search?typing=1&q={quote(query[:length])}")
            answer = connection.getresponse()
            answer.read()
            times.append((time.perf_counter() - start) * 1000)
            assert answer.status == 200, query[:length]
    return times


class Writer:
    """Edits documents, 50 times a second."""

    def __init__(self, service: Service, ids: list[int], per_second: int = 50) -> None:
        self.service, self.ids, self.pause = service, ids, 1 / per_second
        self.count, self.is_running = 0, True
        self.versions = {i: service.get(f"/api/documents/{i}")["version"] for i in ids}
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self) -> Writer:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_running = False
        self.thread.join()

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port)
        due = time.perf_counter()
        while self.is_running:
            identifier = random.choice(self.ids)
            body = json.dumps({"version": self.versions[identifier], "title": f"edited title {random.random()}"})
            connection.request("PATCH", f"/api/documents/{identifier}", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            saved = json.loads(answer.read())
            assert answer.status == 200, saved
            self.versions[identifier] = saved["version"]
            self.count += 1
            due += self.pause
            time.sleep(max(0, due - time.perf_counter()))


class Tantivy:
    """The service to compare with, in one process."""

    def __init__(self, folder: Path, documents: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, "TANTIVY_INDEX": str(folder / "tantivy"), "TANTIVY_DOCUMENTS": documents}

    def __enter__(self) -> Tantivy:
        command = [
            sys.executable, "-m", "uvicorn", "service.tantivy_service:application", "--port", str(self.port), "--workers", "1",
            "--log-level", "warning", "--no-access-log",
        ]
        self.process = subprocess.Popen(command, env=self.environment)
        end = time.monotonic() + 600
        while time.monotonic() < end:
            try:
                http.client.HTTPConnection("127.0.0.1", self.port).request("GET", "/?q=a")
                return self
            except ConnectionRefusedError:
                time.sleep(0.2)
        raise AssertionError("uvicorn doesn't start")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()


def compare(service: Service, tantivy: Tantivy, script: Path) -> None:
    load(tantivy, script, 3)
    runs = [(load(service, script), load(tantivy, script)) for _ in range(5)]
    for title, results in zip(("Amalgam", "Tantivy"), zip(*runs)):
        rates, errors, medians, slow = zip(*results)
        print(
            f"  {title}: {statistics.median(rates):.0f} searches/s, {sum(errors)} failed, "
            f"p50 {statistics.median(medians):.1f} ms, p99 {statistics.median(slow):.1f} ms", flush=True)


def load(service: Service | Tantivy, script: Path, seconds: int = 10) -> tuple[float, int, float, float]:
    """Requests per second, failed requests, and the 50th and 99th percentile in milliseconds."""
    command = ["wrk", "-t1", "-c8", f"-d{seconds}s", "-s", str(script), service.url]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    requests, errors, median, slow = re.search(r"RESULT (\d+) (\d+) ([\d.]+) ([\d.]+)", output).groups()
    return int(requests) / seconds, int(errors), float(median), float(slow)


def main(program: str, documents: str, queries_file: str) -> None:
    queries = Path(queries_file).read_text().split("\n")
    queries = [query for query in queries if query]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        service = Service(program, folder, "--json", documents, "--requests-per-minute", "0")
        start = time.monotonic()
        service.start()
        service.wait_for_index(3600)
        print(f"  indexed in {time.monotonic() - start:.0f} s", flush=True)
        service.stop()
        start = time.monotonic()
        service.start()
        print(f"  second start: {time.monotonic() - start:.1f} s", flush=True)
        type_queries(service, queries[:100])
        times = type_queries(service, queries)
        print(
            f"  as you type: {len(times)} searches, p50 {percentile(times, 50):.1f} ms, p95 {percentile(times, 95):.1f} ms, "
            f"p99 {percentile(times, 99):.1f} ms, longest {max(times):.1f} ms", flush=True)
        script = folder / "load.lua"
        paths = ", ".join(json.dumps(f"/api/search?q={quote(query)}") for query in queries)
        script.write_text(SCRIPT % paths)
        alternate(service, script)
        with Tantivy(folder, documents) as tantivy:
            compare(service, tantivy, script)
        service.stop()


def alternate(service: Service, script: Path) -> None:
    quiet, busy = [], []
    ids = [hit["id"] for hit in service.get("/api/search?count=100")["hits"]]
    load(service, script, 3)
    for _ in range(7):
        quiet.append(load(service, script))
        with Writer(service, ids) as writer:
            busy.append(load(service, script))
        print(f"  alone {quiet[-1]}, with {writer.count} edits {busy[-1]}", flush=True)
    for title, runs in (("alone", quiet), ("with a writer", busy)):
        rates, errors, medians, slow = zip(*runs)
        print(
            f"  {title}: {statistics.median(rates):.0f} requests/s, {sum(errors)} failed, "
            f"p50 {statistics.median(medians):.1f} ms, p99 {statistics.median(slow):.1f} ms", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
