"""Three hosts: network namespaces on one bridge, or names for the loopback interface."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Sequence

BRIDGE = "amalgam-rep"
ADDRESSES = {"writer": "10.213.7.1", "reader": "10.213.7.2", "store": "10.213.7.3"}


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


class Hosts:
    """Starts programs on one of the hosts `writer`, `reader` and `store`."""

    def __init__(self, loopback: bool) -> None:
        self.separate = False
        if loopback or os.geteuid() != 0 or not shutil.which("ip"):
            print("All hosts are on the loopback interface.")
            return
        try:
            self.create()
            self.separate = True
            print("Three network namespaces: writer, reader, store.")
        except subprocess.CalledProcessError as error:
            self.close()
            print(f"No network namespaces ({error.stderr.decode().strip()}): all hosts are on the loopback interface.")

    def create(self) -> None:
        self.remove()
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "link", "set", BRIDGE, "up")
        for number, (name, address) in enumerate(ADDRESSES.items()):
            space, outer = f"{BRIDGE}-{name}", f"{BRIDGE}{number}"
            run("ip", "netns", "add", space)
            run("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", space)
            run("ip", "link", "set", outer, "master", BRIDGE, "up")
            run("ip", "-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
            run("ip", "-n", space, "link", "set", "eth0", "up")
            run("ip", "-n", space, "link", "set", "lo", "up")

    def remove(self) -> None:
        for name in ADDRESSES:
            subprocess.run(["ip", "netns", "delete", f"{BRIDGE}-{name}"], stderr=subprocess.DEVNULL, check=False)
        # The interfaces of a namespace remain until its last process has ended.
        for link in (BRIDGE, *(f"{BRIDGE}{number}" for number in range(len(ADDRESSES)))):
            subprocess.run(["ip", "link", "delete", link], stderr=subprocess.DEVNULL, check=False)

    def close(self) -> None:
        if self.separate or shutil.which("ip") and os.geteuid() == 0:
            self.remove()
        self.separate = False

    def address(self, host: str) -> str:
        return ADDRESSES[host] if self.separate else "127.0.0.1"

    def command(self, host: str, words: Sequence[str]) -> list[str]:
        return ["ip", "netns", "exec", f"{BRIDGE}-{host}", *words] if self.separate else list(words)

    def popen(self, host: str, words: Sequence[str], **options: object) -> subprocess.Popen:
        return subprocess.Popen(self.command(host, words), **options)  # type: ignore[call-overload]
