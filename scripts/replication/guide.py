"""Runs the shell commands of the guide in an empty folder: python3 -m replication.guide HOST PROGRAMS [--loopback]

The commands of all blocks ```sh of the guide are one script. Afterwards, a writer replicates to the store of the guide, with the
address and the credentials that the guide's Swift code has, and a follower shows its rows.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

from replication.hosts import Hosts
from replication.proof import Host

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources/Amalgam/Amalgam.docc/Replication.md"
# The programs are installed by scripts/replication/install: only their versions are compared.
PIP = re.compile(r"^pip install (?P<packages>.+)$", re.MULTILINE)
REPLICA = re.compile(
    r'bucket: "(?P<bucket>\w+)", path: "(?P<path>\w+)", region: "(?P<region>[\w-]+)", endpoint: "(?P<endpoint>\S+)",\s+'
    r'credentials: ReplicaCredentials\(accessKeyID: "(?P<key>\w+)", secretAccessKey: "(?P<secret>\w+)"\)')


def commands(page: str) -> str:
    """The shell commands of the guide, without the installation of the programs."""
    script = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    pinned = set(re.findall(r"^(\S+==\S+)", (ROOT / "scripts/replication/requirements.txt").read_text(), re.MULTILINE))
    packages = {package for line in PIP.findall(script) for package in line.split()}
    assert packages == pinned, f"the guide installs {sorted(packages)}, the tests use {sorted(pinned)}"
    return PIP.sub("", script)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("host", type=Path)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--loopback", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    page = PAGE.read_text()
    script = commands(page)
    replica = REPLICA.search(page)
    assert replica, "the guide has no replica in a store"
    folder = Path(tempfile.mkdtemp(prefix="amalgam-guide-"))
    hosts = Hosts(options.loopback)
    programs = options.programs.resolve()
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}", "AWS_ACCESS_KEY_ID": replica["key"],
        "AWS_SECRET_ACCESS_KEY": replica["secret"], "AMALGAM_LITESTREAM": str(programs / "litestream"),
    }
    if "LD_LIBRARY_PATH" in os.environ:
        environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    world = SimpleNamespace(
        program=str(options.host.resolve()), hosts=hosts, environment=environment, processes=[],
        errors=(folder / "errors").open("w"))
    url = "s3://{bucket}/{path}?region={region}&endpoint={endpoint}&force-path-style=true".format(**replica.groupdict())
    (folder / "empty").mkdir()
    # What the script starts in the background is in its process group.
    shell = hosts.popen(
        "store", ["bash", "-euxc", script], cwd=folder / "empty", env=environment, stdin=subprocess.DEVNULL,
        stdout=world.errors, stderr=world.errors, start_new_session=True)
    try:
        code = shell.wait(timeout=120)
        assert code == 0, f"the commands of the guide fail: {(folder / 'errors').read_text()[-2000:]}"
        # The store of the guide answers on its own host only.
        writer = Host(world, "store", "write", str(folder / "db.sqlite"), url, "50")
        writer.next("replicated")
        follower = Host(world, "store", "follow", str(folder / "follower"), url)
        last = int(follower.next("follows")[1])
        while writer.replicated < last + 10:
            writer.next("replicated")
        writer.stop()
        while last < writer.replicated:
            last = int(follower.next("follows")[1])
        print(f"the guide's commands start a store, and a follower has the {writer.replicated} rows of a writer")
    finally:
        for process in world.processes:
            process.kill()
            process.wait()
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        hosts.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
