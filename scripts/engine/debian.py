"""The origin `debian`: the upstream tarball of Debian's source package, without Debian's patches.

Debian's mirrors carry the package in several suites, and any machine that runs Debian knows a mirror already. So this takes
the machine's own source lists, rewrites a copy of them to the suite that has the pinned version, and leaves every other file
of apt alone: no root, no change to the machine.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from . import system, terminal
from .files import new
from .lock import Lock, Origin
from .refusal import Unavailable

APT = Path("/etc/apt")
OS_RELEASE = Path("/etc/os-release")


def fetch(lock: Lock, origin: Origin, folder: Path) -> Path:
    """Asks each suite of the lock file, and the machine's own, for the version with any Debian revision."""
    if not shutil.which("apt-get"):
        raise Unavailable("this machine has no apt-get")
    reasons = []
    for suite in [*origin.all("suite"), codename()]:
        try:
            return fetch_from(suite, origin.one("package"), lock.version, folder / suite)
        except Unavailable as unavailable:
            reasons.append(f"{suite}: {unavailable}")
    raise Unavailable("\n".join(reasons))


def fetch_from(suite: str, package: str, version: str, folder: Path) -> Path:
    terminal.step(f"Asking Debian {suite} for the source of {package} {version}")
    apt = private_apt(suite, folder)
    update = system.run(["apt-get", *apt, "-qq", "update"])
    if update.returncode != 0:
        raise Unavailable(complaint(update.stdout))
    listed = system.run(["apt-cache", *apt, "showsrc", package]).stdout
    full_version = matching_version(listed, version)
    if not full_version:
        raise Unavailable(f"has {package} {', '.join(versions(listed)) or 'not at all'}, not {version}")
    download = ["-qq", "source", "--download-only", "--tar-only", f"{package}={full_version}"]
    source = system.run(["apt-get", *apt, *download], folder)
    tarballs = list(folder.glob(f"{package}_*.orig.tar.*"))
    if source.returncode != 0 or not tarballs:
        raise Unavailable(complaint(source.stdout))
    return tarballs[0]


def versions(listed: str) -> list[str]:
    return re.findall(r"^Version: (\S+)", listed, re.MULTILINE)


def matching_version(listed: str, version: str) -> str | None:
    """The Debian version whose upstream part is the pinned one: 3.53.4-2, 3.53.4+ds-1, 3.53.4-1ubuntu1."""
    wanted = re.compile(rf"(\d+:)?{re.escape(version)}([+~][\w.]+)?-")
    return next(filter(wanted.match, versions(listed)), None)


def complaint(output: str) -> str:
    """The first complaint of apt, without its prefix."""
    complaints = [line[2:].strip() for line in output.splitlines() if line.startswith(("E:", "W:"))]
    return complaints[0] if complaints else "apt-get could not download the source"


def private_apt(suite: str, folder: Path) -> list[str]:
    """The options that give apt its own source lists and its own folders."""
    for name in ("lists/partial", "archives/partial"):
        new(folder / name)
    sources = new(folder / "sources")
    for name, text in source_lists(suite).items():
        (sources / name).write_text(text)
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": sources,
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder,
        "Dir::Cache::archives": folder / "archives",
        "APT::Sandbox::User": "root",
    }
    return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]


def source_lists(suite: str) -> dict[str, str]:
    """The machine's own source lists by file name, rewritten from its own suite to the source packages of another one."""
    home = codename()
    parts = APT / "sources.list.d"
    texts = {path.name: one_line_entries(path.read_text(), home, suite) for path in parts.glob("*.list")}
    texts |= {path.name: stanzas(path.read_text(), home, suite) for path in parts.glob("*.sources")}
    if (APT / "sources.list").is_file():
        texts["sources.list"] = one_line_entries((APT / "sources.list").read_text(), home, suite)
    lists = {name: text for name, text in texts.items() if text}
    if not lists:
        raise Unavailable(f"no mirror of {home} is configured in {APT}")
    return lists


def codename() -> str:
    """The name of the machine's own suite, such as `bookworm`."""
    text = OS_RELEASE.read_text() if OS_RELEASE.is_file() else ""
    found = re.search(r'^VERSION_CODENAME="?([\w-]+)', text, re.MULTILINE)
    if not found:
        raise Unavailable(f"{OS_RELEASE} doesn't name the suite of this machine")
    return found[1]


def one_line_entries(text: str, home: str, suite: str) -> str:
    """`deb [signed-by=…] uri suite component…`"""
    entries = re.findall(rf"^\s*deb((?:\s+\[.*?\])?\s+\S+)\s+{home}\s.*\bmain\b", text, re.MULTILINE)
    return "".join(f"deb-src{options_and_uri} {suite} main\n" for options_and_uri in entries)


def stanzas(text: str, home: str, suite: str) -> str:
    """Stanzas of `Key: value`, where an indented line goes on with the value above it."""
    entries = [
        stanza for stanza in re.split(r"\n\s*\n", text) if is_enabled(stanza) and home in words(stanza, "Suites")
    ]
    for key, value in {"Types": "deb-src", "Suites": suite, "Components": "main"}.items():
        entries = [field(key).sub(f"{key}: {value}", entry) for entry in entries if words(entry, key)]
    return "".join(entry.strip() + "\n\n" for entry in entries)


def is_enabled(stanza: str) -> bool:
    return words(stanza, "Enabled") != ["no"]


def words(stanza: str, key: str) -> list[str]:
    found = field(key).search(stanza)
    return found[1].split() if found else []


def field(key: str) -> re.Pattern[str]:
    return re.compile(rf"^{key}:(.*(?:\n[ \t].*)*)", re.MULTILINE)
