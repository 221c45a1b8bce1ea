"""The Swift tests of the package, as their files declare them."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

TYPE = re.compile(r"^(?:@\w+(?:\(.*?\))? )*(?:\w+ )*?(?:struct|class|enum|actor|extension) (?P<name>\w+)")
FUNCTION = re.compile(r"^ {4}(?:@.* )?(?:\w+ )*func (?P<name>\w+)\s*[(<]")


class SuiteError(Exception):
    """A test that doesn't exist, or isn't the only one of its name."""


def require(root: Path, test: str) -> None:
    """Throws SuiteError unless there is one test of this target, suite and function."""
    parts = test.split("/")
    if len(parts) != 3:
        raise SuiteError(f"{test} isn't a target, a suite and a function, with slashes between them")
    count = tests(root / "Tests" / parts[0])[(parts[1], parts[2])]
    if count == 0:
        raise SuiteError(f"there is no test {test}")
    if count > 1:
        raise SuiteError(f"there are {count} tests {test}")


@cache
def tests(folder: Path) -> Counter[tuple[str, str]]:
    """How often each suite and function is declared as a test in the files of a target."""
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted(folder.rglob("*.swift")):
        suite, announced = "", False
        for line in path.read_text().splitlines():
            if match := TYPE.match(line):
                suite = match["name"]
            announced = announced or line.startswith("    @Test")
            match = FUNCTION.match(line)
            if announced and match:
                found[(suite, match["name"])] += 1
                announced = False
    return found


def pattern(tests: list[str]) -> str:
    """A regular expression that `swift test --filter` matches against these tests only."""
    targets: dict[str, list[str]] = {}
    for test in tests:
        target, suite, function = test.split("/")
        targets.setdefault(target, []).append(f"{suite}/{function}")
    return "|".join(rf"^{target}\.({'|'.join(names)})\(" for target, names in sorted(targets.items()))
