"""Checks that the code on the pages of the guides, and in README.md, is the code of their tests or examples.

The code of a page is run by the tests of the file that the page names:

    // guide: insert                          <!-- Tests/GuideTests/RecordsGuide.swift: insert -->
    try player.insert(db)                     ```swift
    // end                                    try player.insert(db)
                                              ```

On the left is a part of the test, on the right a part of the page. Code in Swift without such a comment before it isn't run,
and isn't allowed on a page.

A page declares the connections that its code uses, `dbQueue` and `dbPool`, before their first use: a reader can paste the
code of one page in its order.
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
# The names of connections, and how a page declares them.
CONNECTIONS = {"dbQueue": "try DatabaseQueue()", "dbPool": "try DatabasePool(path: path)"}
STRING_OR_COMMENT = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*')
# The parameters of a function or an initializer, and of a closure. Parentheses may hold those of a function type.
LIST = r"\((?P<list>(?:[^()]|\([^()]*\))*)\)"
FUNCTION = re.compile(rf"(?:\bfunc\s+\w+|(?<!\.)\binit[?!]?)\s*(?:<[^>]*>)?\s*{LIST}")
CLOSURE = re.compile(
    r"\{\s*(?:@\w+\s+)*(?:\[[^\]]*\]\s*)?"
    rf"(?:{LIST}|(?P<names>\w+(?:\s*,\s*\w+)*))"
    r"(?:\s+async\b)?(?:\s+throws\b)?(?:\s*->[^{}\n]+?)?\s+in\b"
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
    undeclared: list[str] = []
    for page in pages:
        text = page.read_text()
        updated = BLOCK.sub(lambda match: replacement(match, page, root, tests, used), text)
        if updated != text:
            outdated.append(page)
            if writes:
                page.write_text(updated)
        undeclared += undeclared_connections(page.name, updated)
    if undeclared:
        raise GuideError("\n".join(undeclared))
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


def undeclared_connections(page: str, text: str) -> list[str]:
    """The first use of each connection that no code before it, on the page, declares."""
    code = code_of(text)
    problems: list[tuple[int, str]] = []
    for name, value in CONNECTIONS.items():
        scopes = declared_scopes(name, code)
        # Members (`self.dbQueue`) and labels of arguments (`dbQueue:`) aren't uses.
        for use in re.finditer(rf"(?<!\blet )(?<!\bvar )(?<![.\w]){name}\b(?!:)", code):
            if not any(start <= use.start() < end for start, end in scopes):
                line = text[: use.start()].count("\n") + 1
                problems.append(
                    (line, f"{page}:{line}: declare {name} in a block of this page before this use: `let {name} = {value}`")
                )
                break
    return [problem for _, problem in sorted(problems)]


def code_of(text: str) -> str:
    """The text with spaces in place of all that isn't Swift, of comments, and of braces in strings: places stay the same."""
    code = re.sub(r"[^\n]", " ", text)
    for match in BLOCK.finditer(text):
        block = STRING_OR_COMMENT.sub(without_braces, match["code"])
        code = code[: match.start("code")] + block + code[match.end("code") :]
    return code


def without_braces(match: re.Match[str]) -> str:
    pattern = r"." if match[0].startswith("//") else r"[{}]"
    return re.sub(pattern, " ", match[0])


def declared_scopes(name: str, code: str) -> list[tuple[int, int]]:
    """The ranges of the code in which a variable or a parameter of this name is visible."""
    scopes: list[tuple[int, int]] = []
    for match in re.finditer(rf"\b(?:let|var) {name}\b[^\n{{;]*", code):
        scopes.append((match.end(), end_of_scope(code, match.end())))
    for match in FUNCTION.finditer(code):
        body = code.find("{", match.end())
        if body >= 0 and re.search(rf"\b{name}\s*:", match["list"]):
            scopes.append((match.start(), end_of_scope(code, body + 1)))
    for match in CLOSURE.finditer(code):
        if re.search(rf"\b{name}\b", match["list"] or match["names"] or ""):
            scopes.append((match.start(), end_of_scope(code, match.end())))
    return scopes


def end_of_scope(code: str, start: int) -> int:
    """The place of the brace that closes the scope of a place, or the end of the code."""
    depth = 0
    for brace in re.finditer(r"[{}]", code[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return start + brace.start()
    return len(code)
