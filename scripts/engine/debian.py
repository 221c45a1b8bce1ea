"""The origin `debian`: the upstream tarball of Debian's source package, without Debian's patches.

Debian's mirrors carry the package in several suites, and any machine that runs Debian knows a mirror already. So this
takes the mirror from the machine's own configuration, writes a private source list for the suite that has the pinned
version, and leaves every other file of apt alone: no root, no change to the machine.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Iterator

from . import system, terminal
from .delivery import Delivery, Unavailable
from .lock import Lock, OriginEntry

APT = Path("/etc/apt")
OS_RELEASE = Path("/etc/os-release")
ONE_LINE = re.compile(
    r"deb(?:-src)?\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>.+)"
)


@dataclass(frozen=True)
class Mirror:
    """A configured archive: its address, and the options that make apt trust it."""

    uri: str
    suites: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)

    def source_list(self, suite: str) -> str:
        """One deb822 stanza for the source packages of a suite."""
        fields = {"Types": "deb-src", "URIs": self.uri, "Suites": suite, "Components": "main", **self.options}
        return "".join(f"{key}: {value}\n" for key, value in fields.items())


def fetch(lock: Lock, entry: OriginEntry, folder: Path) -> Delivery:
    mirror = configured_mirror()
    reasons = []
    for suite in [*entry.all("suite"), codename()]:
        try:
            return fetch_from(replace(mirror, suites=(suite,)), lock.version, entry.one("package"), folder / suite)
        except Unavailable as unavailable:
            reasons.append(str(unavailable))
    raise Unavailable("\n".join(reasons))


def configured_mirror(apt: Path = APT) -> Mirror:
    """The mirror this machine gets Debian itself from."""
    if not shutil.which("apt-get"):
        raise Unavailable("this machine has no apt-get")
    home = codename()
    for mirror in mirrors(apt):
        if home in mirror.suites and "main" in mirror.components:
            return mirror
    raise Unavailable(f"no mirror of {home or 'the distribution'} is configured in {apt}")


def codename(os_release: Path = OS_RELEASE) -> str:
    """The name of the machine's own suite, such as `bookworm`."""
    text = os_release.read_text() if os_release.is_file() else ""
    found = re.search(r'^VERSION_CODENAME="?([\w-]+)', text, re.MULTILINE)
    return found[1] if found else ""


def mirrors(apt: Path) -> Iterator[Mirror]:
    parts = apt / "sources.list.d"
    for file in [apt / "sources.list", *sorted(parts.glob("*.list"))]:
        if file.is_file():
            yield from one_line_mirrors(file.read_text())
    for file in sorted(parts.glob("*.sources")):
        yield from deb822_mirrors(file.read_text())


def one_line_mirrors(text: str) -> Iterator[Mirror]:
    """`deb [signed-by=…] uri suite component…`"""
    for line in text.splitlines():
        found = ONE_LINE.match(line.strip())
        if found:
            yield Mirror(
                found["uri"], (found["suite"],), tuple(found["components"].split()), trust(found["options"] or "")
            )


def trust(options: str) -> dict[str, str]:
    names: dict[str, str] = {"signed-by": "Signed-By", "trusted": "Trusted"}
    pairs = (option.partition("=") for option in options.split())
    return {names[key.lower()]: value for key, _, value in pairs if key.lower() in names}


def deb822_mirrors(text: str) -> Iterator[Mirror]:
    """Stanzas of `Key: value`, where an indented line goes on with the value above it."""
    for stanza in re.split(r"\n\s*\n", text):
        fields = deb822_fields(stanza)
        if fields.get("Enabled", "yes") != "no" and "URIs" in fields:
            suites, components = (tuple(fields.get(key, "").split()) for key in ("Suites", "Components"))
            options = {key: value for key, value in fields.items() if key in ("Signed-By", "Trusted")}
            yield Mirror(fields["URIs"].split()[0], suites, components, options)


def deb822_fields(stanza: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    key = ""
    for line in stanza.splitlines():
        if line.startswith("#"):
            continue
        if line[:1].isspace():
            fields[key] += "\n" + line
        elif ":" in line:
            key, _, value = line.partition(":")
            fields[key] = value.strip()
    return fields


def fetch_from(mirror: Mirror, version: str, package: str, folder: Path) -> Delivery:
    """Downloads the upstream tarball from a suite, if it has the version with any Debian revision."""
    suite = mirror.suites[0]
    terminal.step(f"Asking Debian {suite} for the source of {package} {version}")
    apt = private_apt(mirror, suite, folder)
    update = system.run(["apt-get", *apt, "-qq", "update"])
    if update.returncode != 0:
        raise Unavailable(f"{suite}: {reason(update.stdout)}")
    listed = system.run(["apt-cache", *apt, "showsrc", package]).stdout
    full_version = matching_version(listed, version)
    if not full_version:
        raise Unavailable(f"{suite}: has {package} {', '.join(versions(listed)) or 'not at all'}, not {version}")
    source = system.run(
        ["apt-get", *apt, "-qq", "source", "--download-only", "--tar-only", f"{package}={full_version}"], folder
    )
    tarballs = list(folder.glob(f"{package}_*.orig.tar.*"))
    if source.returncode != 0 or not tarballs:
        raise Unavailable(f"{suite}: {reason(source.stdout)}")
    return Delivery(tarballs[0], f"Debian source package {package} {full_version} ({suite})")


def private_apt(mirror: Mirror, suite: str, folder: Path) -> list[str]:
    """The options that give apt its own source list and its own folders."""
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    source_list = folder / "private.sources"
    source_list.write_text(mirror.source_list(suite))
    settings = {
        "Dir::Etc::sourcelist": source_list,
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder,
        "Dir::Cache::archives": folder / "archives",
        "APT::Sandbox::User": "root",
    }
    return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]


def versions(listed: str) -> list[str]:
    return re.findall(r"^Version: (\S+)", listed, re.MULTILINE)


def matching_version(listed: str, version: str) -> str | None:
    """The Debian version whose upstream part is the pinned one: 3.53.4-2, 3.53.4+ds-1, 3.53.4-1ubuntu1."""
    wanted = re.compile(rf"(\d+:)?{re.escape(version)}([+~][\w.]+)?-")
    return next(filter(wanted.match, versions(listed)), None)


def reason(output: str) -> str:
    """The first complaint of apt, without its prefix."""
    complaints = [line[2:].strip() for line in output.splitlines() if line.startswith(("E:", "W:"))]
    return complaints[0] if complaints else "apt-get could not download the source"
