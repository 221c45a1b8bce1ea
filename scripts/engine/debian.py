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
# Stands for a suite in source lists.
SUITE = "@suite@"


def fetch(lock: Lock, origin: Origin, folder: Path) -> Path:
    """Asks each suite of the lock file, and the machine's own, for the version with any Debian revision."""
    if not shutil.which("apt-get"):
        raise Unavailable("this machine has no apt-get")
    lists = source_lists()
    reasons = []
    for suite in [*origin.all("suite"), codename()]:
        terminal.step(f"Asking Debian {suite} for the source of {origin.one('package')} {lock.version}")
        apt = private_apt(lists, suite, new(folder / suite))
        try:
            return fetch_from(apt, origin.one("package"), lock.version, folder / suite)
        except Unavailable as unavailable:
            reasons.append(f"{suite}: {unavailable}")
    raise Unavailable("\n".join(reasons))


def fetch_from(apt: list[str], package: str, version: str, folder: Path) -> Path:
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


def private_apt(lists: dict[str, str], suite: str, folder: Path) -> list[str]:
    """The options that give apt source lists of the suite, and its own folders."""
    for name in ("lists/partial", "archives/partial", "sources"):
        new(folder / name)
    for name, text in lists.items():
        (folder / "sources" / name).write_text(text.replace(SUITE, suite))
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": folder / "sources",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder,
        "Dir::Cache::archives": folder / "archives",
        "APT::Sandbox::User": "root",
    }
    return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]


def source_lists() -> dict[str, str]:
    """The machine's own source lists by file name: what they say of its own suite, for the source packages of SUITE."""
    home = codename()
    files = [APT / "sources.list", *APT.glob("sources.list.d/*.list"), *APT.glob("sources.list.d/*.sources")]
    rewrite = {".list": one_line_entries, ".sources": stanzas}
    texts = {path.name: rewrite[path.suffix](path.read_text(), home) for path in files if path.is_file()}
    lists = {name: text for name, text in texts.items() if text}
    if not lists:
        raise Unavailable(f"no mirror of {home} is configured in {APT}")
    return lists


def one_line_entries(text: str, home: str) -> str:
    """`deb [signed-by=…] uri suite component…`"""
    entries = re.findall(rf"^\s*deb((?:\s+\[.*?\])?\s+\S+)\s+{home}\s.*\bmain\b", text, re.MULTILINE)
    return "".join(f"deb-src{options_and_uri} {SUITE} main\n" for options_and_uri in entries)


def stanzas(text: str, home: str) -> str:
    """Stanzas of `Key: value`, where an indented line goes on with the value above it."""
    found = [stanza for stanza in re.split(r"\n\s*\n", text) if home in words(stanza, "Suites")]
    found = [stanza for stanza in found if "main" in words(stanza, "Components") and words(stanza, "Enabled") != ["no"]]
    for key, value in {"Types": "deb-src", "Suites": SUITE, "Components": "main"}.items():
        found = [field(key).sub(f"{key}: {value}", stanza) for stanza in found]
    return "".join(stanza.strip() + "\n\n" for stanza in found)


def words(stanza: str, key: str) -> list[str]:
    found = field(key).search(stanza)
    return found[1].split() if found else []


def field(key: str) -> re.Pattern[str]:
    return re.compile(rf"^{key}:(.*(?:\n[ \t].*)*)", re.MULTILINE)


def codename() -> str:
    """The name of the machine's own suite, such as `bookworm`."""
    text = OS_RELEASE.read_text() if OS_RELEASE.is_file() else ""
    found = re.search(r'^VERSION_CODENAME="?([\w-]+)', text, re.MULTILINE)
    if not found:
        raise Unavailable(f"{OS_RELEASE} doesn't name the suite of this machine")
    return found[1]
