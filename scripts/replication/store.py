"""An S3 server, and a proxy in front of it that is slow or refuses requests."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from replication.hosts import Hosts

ACCESS_KEY, SECRET_KEY = "proof-access-key", "proof-secret-key"
PORT = 23410
PROXY_PORT = PORT + 4
BUCKET = "proof"


class Store:
    """SeaweedFS on the host `store`."""

    def __init__(self, hosts: Hosts, programs: Path, folder: Path) -> None:
        self.hosts, self.weed = hosts, str(programs / "weed")
        self.address = hosts.address("store")
        folder.mkdir()
        identity = {
            "name": "proof",
            "actions": ["Admin", "Read", "Write", "List"],
            "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
        }
        (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
        options = {
            "ip": self.address, "ip.bind": self.address, "dir": folder, "s3.config": folder / "s3.json", "s3.port": PORT,
            "master.port": PORT + 1, "filer.port": PORT + 2, "volume.port": PORT + 3, "s3.port.lance": 0, "s3.port.iceberg": 0,
            "master.volumeSizeLimitMB": 128, "volume.max": 16,
        }
        self.log = (folder / "log").open("w")
        self.process = hosts.popen(
            "store", [self.weed, "server", "-s3", *(f"-{name}={value}" for name, value in options.items())],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        self.create_bucket()

    def create_bucket(self) -> None:
        command = self.hosts.command("store", [self.weed, "shell", f"-master={self.address}:{PORT + 1}"])
        for _ in range(10):
            try:
                answer = subprocess.run(
                    command, input=f"s3.bucket.create -name {BUCKET}\n", text=True, capture_output=True, timeout=10)
            except subprocess.TimeoutExpired:
                continue
            if "created bucket" in answer.stdout + answer.stderr and self.answers():
                return
            time.sleep(1)
        raise SystemExit(f"The S3 server doesn't start: see {self.log.name}.")

    def answers(self) -> bool:
        """Waits until the S3 port is open."""
        for _ in range(100):
            if self.hosts.popen(
                "store", ["bash", "-c", f"exec 3<>/dev/tcp/{self.address}/{PORT}"], stderr=subprocess.DEVNULL).wait() == 0:
                return True
            time.sleep(0.1)
        return False

    def url(self, path: str, port: int = PORT) -> str:
        endpoint = f"http://{self.address}:{port}"
        return f"s3://{BUCKET}/{path}?region=us-east-1&endpoint={endpoint}&force-path-style=true"

    def stop(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class Proxy(threading.Thread):
    """Forwards connections from the port after those of the store, with a delay, or refuses them."""

    def __init__(self, store: Store) -> None:
        super().__init__(daemon=True)
        self.delay, self.refuses = 0.0, False
        self.heads: list[bytes] = []
        self.target = (store.address, PORT)
        self.listener = self.listen(store)

    @staticmethod
    def enter(host: str) -> None:
        """Moves this thread to the network namespace of a host."""
        import ctypes

        with open(f"/run/netns/amalgam-rep-{host}") as space:
            if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), 0) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def listen(self, store: Store) -> socket.socket:
        made: list[socket.socket] = []

        def make() -> None:
            if store.hosts.separate:
                self.enter("store")
            made.append(socket.create_server((store.address, PROXY_PORT)))

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        self.separate = store.hosts.separate
        return made[0]

    def run(self) -> None:
        if self.separate:
            self.enter("store")
        while True:
            client, _ = self.listener.accept()
            if self.refuses:
                client.close()
                continue
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.forward, args=(source, target, source is client), daemon=True).start()

    def uploads(self, path: str) -> int:
        """The number of requests that upload a transaction of a replica."""
        start = f"PUT /{BUCKET}/{path}/0000/".encode()
        return sum(head.startswith(start) for head in self.heads)

    def forward(self, source: socket.socket, target: socket.socket, is_request: bool) -> None:
        try:
            while data := source.recv(65536):
                if is_request:
                    self.heads.append(data[:100])
                time.sleep(self.delay)
                if self.refuses:
                    break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
