"""Kills, failures and speed of replication: python3 -m replication.proof HOST PROGRAMS [--kills N] [--loopback] [--no-limits]"""

from __future__ import annotations

import argparse
import os
import queue
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from replication.hosts import Hosts
from replication.store import ACCESS_KEY, PROXY_PORT, SECRET_KEY, Proxy, Store

UPLOAD_INTERVAL = POLL_INTERVAL = 0.25
MAXIMUM_UPLOADS = 4


class Host:
    """A process of amalgam-replication-host, whose lines a thread reads."""

    def __init__(self, world: World, host: str, *arguments: str) -> None:
        self.process = world.hosts.popen(
            host, [world.program, *arguments], env=world.environment, text=True, stdout=subprocess.PIPE,
            stderr=world.errors, stdin=subprocess.DEVNULL)
        world.processes.append(self.process)
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.replicated = 0
        self.seen: list[str] = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            words = line.split()
            if words[0] == "replicated":
                self.replicated = int(words[1])
            self.seen.append(line.strip())
            self.lines.put(line.strip())
        self.lines.put(None)

    def next(self, word: str, timeout: float = 60) -> list[str]:
        deadline = time.monotonic() + timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise SystemExit(f"no line {word!r} in {timeout} s; the last ones are {self.seen[-3:]}") from None
            if line is None or line.startswith("error"):
                raise SystemExit(f"the process has ended: {self.seen[-3:]}")
            if line.split()[0] == word:
                return line.split()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=90)


class World:
    def __init__(self, program: Path, programs: Path, folder: Path, loopback: bool) -> None:
        self.program, self.folder = str(program.resolve()), folder
        self.processes: list[subprocess.Popen] = []
        self.errors = (folder / "errors").open("w")
        self.hosts = Hosts(loopback)
        self.store = Store(self.hosts, programs.resolve(), folder / "store")
        self.environment = {
            "PATH": os.environ["PATH"], "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AMALGAM_LITESTREAM": str(programs.resolve() / "litestream"),
        }
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]

    def restore(self, url: str, kept: Path | None = None) -> int:
        """Restores on the reader, to a file that may be kept, and returns the number of the last transaction."""
        path = kept or self.folder / f"restored-{random.random()}.sqlite"
        answer = subprocess.run(
            self.hosts.command("reader", [self.program, "restore", str(path), url]), env=self.environment, text=True,
            capture_output=True, timeout=120)
        words = answer.stdout.split()
        assert words and words[0] == "restored", answer
        last, count, state = int(words[1]), int(words[2]), words[3]
        assert state == "ok" and last == count, f"the restored database is not intact: {words}"
        if kept:
            return last
        for file in self.folder.glob(path.name + "*"):
            file.unlink()
        shutil.rmtree(self.folder / f".{path.name}-replication", ignore_errors=True)
        return last

    def orphans(self, text: str) -> list[str]:
        lines = subprocess.run(["ps", "-axo", "stat=,args="], text=True, capture_output=True, check=True).stdout.splitlines()
        return [line for line in lines if text in line and not line.startswith("Z") and "replication-host" not in line]

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        self.store.close()
        self.hosts.close()


def check_no_orphan(world: World, database: Path) -> None:
    """Waits for the end of the engine that a killed writer has left."""
    try:
        folder = (database.parent / f".{database.name}-replication/engine").read_text()
    except FileNotFoundError:
        return
    deadline = time.monotonic() + 40
    while world.orphans(folder):
        assert time.monotonic() < deadline, f"an engine remains: {world.orphans(folder)}"
        time.sleep(0.02)


# A restore reads all files of the replica, and a writer that lives for half a second merges few of them: more kills with one
# replica take time for reading it.
KILLS_OF_REPLICA = 20


def kills(world: World, count: int) -> None:
    acknowledged = 0
    start = time.monotonic()
    for number in range(0, count, KILLS_OF_REPLICA):
        until = min(number + KILLS_OF_REPLICA, count)
        acknowledged += kills_of_replica(world, f"kills-{number}", until - number)
        print(f"{until} kills, {acknowledged} transactions acknowledged, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{count} kills, {acknowledged} transactions acknowledged, none lost, in {time.monotonic() - start:.0f} s")


def kills_of_replica(world: World, name: str, count: int) -> int:
    """Kills the writers of one database. Returns the number of transactions that were acknowledged."""
    database, url = world.folder / name / "db.sqlite", world.store.url(name)
    database.parent.mkdir()
    acknowledged = 0
    for number in range(count):
        writer = Host(world, "writer", "write", str(database), url)
        # Half of the kills are during the start, or soon after it.
        if number % 2:
            writer.next("replicated")
        time.sleep(random.random() * 0.6)
        writer.kill()
        acknowledged = max(acknowledged, writer.replicated)
        # Half of the restores are at once, while the engine that remains uploads the last transactions.
        if number % 4 < 2:
            check_no_orphan(world, database)
        restored = world.restore(url) if acknowledged else 0
        assert restored >= acknowledged, f"lost: {acknowledged} was acknowledged, {restored} is restored"
        check_no_orphan(world, database)
        # Every tenth writer begins on a new machine, from the replica.
        if number % 10 == 9:
            shutil.rmtree(database.parent)
            database.parent.mkdir()
    return acknowledged


def failures(world: World, proxy: Proxy, seconds: int) -> None:
    """The store is away for some seconds, then it refuses, then it is slow."""
    database, url = world.folder / "failures" / "db.sqlite", world.store.url("failures", PROXY_PORT)
    database.parent.mkdir()
    writer = Host(world, "writer", "write", str(database), url, "5")
    writer.next("replicated")

    world.store.stop()
    time.sleep(seconds)
    world.store.resume()
    writer.next("replicated")
    print(f"the store was away for {seconds} s: the writer goes on")

    proxy.refuses = True
    writer.next("committed")
    proxy.refuses = False
    writer.next("replicated")
    print("the store refused connections: the writer goes on")

    proxy.delay = 0.2
    slow = int(writer.next("replicated")[1])
    while int(writer.next("replicated")[1]) < slow + 3:
        pass
    proxy.delay = 0
    print("the store was slow: the writer goes on")
    writer.next("replicated")
    writer.stop()
    assert world.restore(url) >= writer.replicated

    proxy.refuses = True
    writer = Host(world, "writer", "write", str(database), url, "5")
    writer.next("opened")
    writer.next("committed")
    proxy.refuses = False
    writer.next("replicated", timeout=120)
    print("the store refused connections at the start of the writer: the writer goes on, and replication begins later")
    writer.stop()
    assert world.restore(url) >= writer.replicated


def rows(database: Path) -> list[tuple]:
    """The rows of a database, as Python's own SQLite reads them."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return connection.execute("SELECT number, content FROM entry ORDER BY number").fetchall()
    finally:
        connection.close()


def full_disk(world: World) -> None:
    """Writes to a small file system until it is full, makes room, and goes on, in the same process."""
    folder, url = world.folder / "disk", world.store.url("disk")
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(folder)], stderr=subprocess.DEVNULL, check=False
    ).returncode:
        print("A full disk isn't tested: it needs a file system of its own, which only root can mount.")
        return
    try:
        filler = folder / "filler"
        filler.write_bytes(b"x" * (24 << 20))
        database = folder / "db.sqlite"
        writer = Host(world, "writer", "fill", str(database), url)
        full = int(writer.next("full", timeout=120)[1])
        size = database.stat().st_size
        assert full >= 100 and size > 2 << 20, f"the disk is full after {full} transactions, the database has {size} bytes"
        # The engine has met the full disk before, because the writer writes to the same frames of the WAL file again.
        assert any("no space left on device" in line or "disk full" in line for line in writer.seen), writer.seen
        time.sleep(3)
        filler.unlink()
        last = int(writer.next("replicated", timeout=120)[1])
        assert last > full
        writer.stop()
        local = rows(database)
        restored = world.folder / "restored-disk.sqlite"
        assert world.restore(url, restored) == last
        assert local == rows(restored) and len(local) == last
        print(f"the disk was full after {full} transactions of 20 kB: the writer went on to {last}, none is lost")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def bursts(world: World, proxy: Proxy) -> None:
    """32 writers that wait for the replica at the same time share a few uploads."""
    database, url = world.folder / "bursts" / "db.sqlite", world.store.url("bursts", PROXY_PORT)
    database.parent.mkdir()
    writer = Host(world, "writer", "burst", str(database), url)
    writer.next("replicated")
    counts = []
    for _ in range(10):
        before = proxy.uploads("bursts")
        writer.next("replicated")
        counts.append(proxy.uploads("bursts") - before)
    writer.stop()
    print(f"uploads for 32 writers that wait: {counts} (at most {MAXIMUM_UPLOADS})")
    assert max(counts) <= MAXIMUM_UPLOADS


def speed(world: World, has_limits: bool) -> None:
    """Small writes with and without replication, in turns."""
    ratios = []
    for round in range(7 if has_limits else 3):
        rates = []
        for mode in ("alone", "replicated"):
            database = world.folder / f"speed-{round}-{mode}.sqlite"
            process = Host(world, "writer", "speed", str(database), world.store.url(f"speed-{round}"), mode)
            rates.append(int(process.next("rate")[1]))
            process.process.wait()
            # What isn't on the disk yet needn't be written: the disk is also that of the store.
            for file in world.folder.glob(f"{database.name}*"):
                file.unlink()
        ratios.append(rates[1] / rates[0])
        print(f"small writes per second: {rates[0]} without replication, {rates[1]} with it")
    ratio = statistics.median(ratios)
    assert ratio >= 0.8 or not has_limits, f"writes are {ratio:.2f} times as fast as without replication"
    print(f"small writes are {ratio:.2f} times as fast as without replication (at least 0.8)")


def follower(world: World, has_limits: bool) -> None:
    database, url = world.folder / "followed" / "db.sqlite", world.store.url("followed")
    database.parent.mkdir()
    writer = Host(world, "writer", "write", str(database), url, "50")
    writer.next("replicated")
    reader = Host(world, "reader", "follow", str(world.folder / "follower"), url)
    reader.next("follows")  # All transactions up to now.
    delays = []
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        delays.append(float(reader.next("follows")[2]))
    limit = UPLOAD_INTERVAL + POLL_INTERVAL + 0.5
    worst = statistics.quantiles(delays, n=20)[-1]
    print(f"follower: {len(delays)} changes, median delay {statistics.median(delays):.2f} s, 95 % in {worst:.2f} s (at most {limit} s)")
    assert worst <= limit or not has_limits
    reader.kill()
    writer.kill()
    check_no_orphan(world, database)
    deadline = time.monotonic() + 15
    while world.orphans(str(world.folder / "follower")):
        assert time.monotonic() < deadline, "a follower's engine remains"
        time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("host", type=Path)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--loopback", action="store_true")
    parser.add_argument("--no-limits", action="store_true")
    options = parser.parse_args()
    # Namespaces and processes are removed, too, if this process is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix="amalgam-proof-"))
    world = World(options.host, options.programs, folder, options.loopback)
    try:
        # First: a store that holds many files is slower.
        speed(world, not options.no_limits)
        follower(world, not options.no_limits)
        kills(world, options.kills)
        proxy = Proxy(world.store)
        proxy.start()
        failures(world, proxy, 8 if options.no_limits else 60)
        full_disk(world)
        bursts(world, proxy)
    finally:
        world.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
