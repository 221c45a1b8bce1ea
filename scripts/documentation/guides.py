"""Checks that the code on the pages of the guides, and in README.md, is the code of their tests or examples.

The code of a page is run by the tests of the file that the page names:

    // guide: insert                          <!-- Tests/GuideTests/RecordsGuide.swift: insert -->
    try player.insert(db)                     ```swift
    // end                                    try player.insert(db)
                                              ```

On the left is a part of the test, on the right a part of the page. Code in Swift without such a comment before it isn't run,
and isn't allowed on a page.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from pathlib import Path
from typing import Mapping, Sequence

NAME = "scripts/checks/guides"
ROOT = Path(__file__).resolve().parents[2]
CATALOG = ROOT / "Sources/Amalgam/Amalgam.docc"
PART = re.compile(r"^[ \t]*// guide: (?P<name>[\w-]+)\n(?P<code>.*?)^[ \t]*// end$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(
    r"^(?:<!-- (?P<test>(?:Tests|Examples)/\S+\.swift): (?P<name>[\w-]+) -->\n)?```swift\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)


class GuideError(Exception):
    """A page or a test that isn't as described above."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="copy the code of the tests to the pages")
    options = parser.parse_args(arguments)
    try:
        outdated = update(pages(), ROOT, writes=options.update)
    except GuideError as problem:
        print(f"{NAME}: {problem}", file=sys.stderr)
        return 1
    for page in outdated:
        if options.update:
            print(f"updated {page.relative_to(ROOT)}")
        else:
            print(f"{NAME}: {page.relative_to(ROOT)} has other code than its tests: {NAME} --update", file=sys.stderr)
    return 1 if outdated and not options.update else 0


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted(CATALOG.rglob("*.md"))]


def update(pages: Sequence[Path], root: Path, writes: bool) -> list[Path]:
    """Returns the pages whose code differs from that of their tests, and brings them up to date."""
    tests: dict[str, Mapping[str, str]] = {}
    outdated: list[Path] = []
    used: set[tuple[str, str]] = set()
    for page in pages:
        text = page.read_text()
        updated = BLOCK.sub(lambda match: replacement(match, page, root, tests, used), text)
        if updated != text:
            outdated.append(page)
            if writes:
                page.write_text(updated)
    for test, parts in tests.items():
        for name in parts:
            if (test, name) not in used:
                raise GuideError(f"{test} has the part {name!r}, but no page shows it")
    return outdated


def replacement(
    match: re.Match[str], page: Path, root: Path, tests: dict[str, Mapping[str, str]], used: set[tuple[str, str]]
) -> str:
    test, name = match["test"], match["name"]
    if test is None:
        line = match.string[: match.start()].count("\n") + 1
        raise GuideError(f"{page.name}:{line}: name the part of a test that this code is, in a comment before it")
    if test not in tests:
        tests[test] = read_parts(root / test)
    if name not in tests[test]:
        raise GuideError(f"{page.name}: {test} has no part {name!r}")
    used.add((test, name))
    return f"<!-- {test}: {name} -->\n```swift\n{tests[test][name]}```"


def read_parts(test: Path) -> Mapping[str, str]:
    """The named parts of a test file. Parts of one name follow each other on the page."""
    if not test.exists():
        raise GuideError(f"there is no file {test}")
    parts: dict[str, str] = {}
    for match in PART.finditer(test.read_text()):
        parts[match["name"]] = parts.get(match["name"], "") + match["code"]
    return {name: textwrap.dedent(code) for name, code in parts.items()}
