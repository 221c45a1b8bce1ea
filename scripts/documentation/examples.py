"""Checks that the examples of documentation comments compile.

Each block of Swift in a documentation comment is compiled as the body of a function, or as a file if it has declarations that
functions can't contain. Tests/DocumentationExamples declares the names that examples use without declaring them: Prelude.swift
those of all modules (`db`, `dbQueue`, `Player`, …), and a file with the name of a module those of this module. A fragment that
can't compile is a block without a language.

The modules of a debug build are imported: build first.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from documentation.modules import compiler_arguments

NAME = "scripts/checks/examples"
ROOT = Path(__file__).resolve().parents[2]
PRELUDES = ROOT / "Tests/DocumentationExamples"
IMPORTS = ["import Amalgam", "import CAmalgam", "import Foundation", "import Synchronization"]
# What a function can't contain.
OF_A_FILE = re.compile(r"^(extension|protocol|infix operator|@main|@retroactive)\b", re.MULTILINE)
ERROR = re.compile(r"^(?P<path>.*/Example(?P<number>\d+)\.swift):(?P<line>\d+):\d+: error: (?P<text>.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    path: Path
    line: int  # of its first line of code, from 1
    code: str

    def source(self, number: int) -> str:
        """The file that is compiled. Its code begins in line HEAD + 1."""
        imports = [line for line in self.code.splitlines() if line.startswith("import ")]
        # Lines keep their places. On Linux, publishers are those of OpenCombine.
        head = "; ".join([*IMPORTS, *imports]).replace("import Combine", "import OpenCombine")
        code = re.sub(r"^import .*$", "", self.code, flags=re.MULTILINE)
        if OF_A_FILE.search(code):
            return "\n".join([head, "", "", code, ""])
        # In asynchronous code, the asynchronous form of an access is meant.
        effects = "async throws" if "await " in code else "throws"
        opening = f"func example{number}(_ names: Names) {effects} {{"
        names = "let (db, dbQueue, dbPool) = (names.db, names.dbQueue, names.dbPool); _ = (db, dbQueue, dbPool); do {"
        return "\n".join([head, opening, names, code, "} }", ""])


HEAD = 3


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    modules = options.module or sorted(it.name for it in (ROOT / "Sources").iterdir() if any(it.rglob("*.swift")))
    counts = [check_module(module, options.scratch_path) for module in modules]
    return 1 if any(counts) else 0


def parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scratch-path", type=Path, default=ROOT / ".build", help="the build folder (.build)")
    parser.add_argument("module", nargs="*", help="only the examples of this module; all of them unless given")
    return parser.parse_args(arguments)


def check_module(module: str, scratch: Path) -> int:
    """Prints the errors in the examples of a module, and returns their number."""
    examples = [it for path in sorted((ROOT / "Sources" / module).rglob("*.swift")) for it in read(path)]
    problems = check(examples, [PRELUDES / "Prelude.swift", PRELUDES / f"{module}.swift"], scratch)
    for text in problems:
        print(f"{NAME}: {text}", file=sys.stderr)
    print(f"{module}: {len(examples)} examples, {len(problems)} errors")
    return len(problems)


def read(path: Path) -> Iterator[Example]:
    """The blocks of Swift in the documentation comments of a file."""
    code: list[str] | None = None
    start = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.strip()
        if not text.startswith("///"):
            code = None
            continue
        text = text[3:].removeprefix(" ")
        if code is None:
            if text.strip() == "```swift":
                code, start = [], number + 1
        elif text.strip() == "```":
            yield Example(path.relative_to(ROOT), start, "\n".join(code))
            code = None
        else:
            code.append(text)


def check(examples: Sequence[Example], preludes: Sequence[Path], scratch: Path) -> list[str]:
    """The errors, each with the file and line of its documentation comment."""
    with tempfile.TemporaryDirectory(prefix="amalgam-examples-") as folder:
        files = []
        for number, example in enumerate(examples):
            file = Path(folder, f"Example{number}.swift")
            file.write_text(example.source(number))
            files.append(file)
        command = ["swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-parse-as-library", "-module-name", "Examples"]
        command += [*compiler_arguments(ROOT, scratch), "-suppress-warnings", "-diagnostic-style", "llvm"]
        files += [it for it in preludes if it.exists()]
        result = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True)
    problems = [problem(match, examples) for match in ERROR.finditer(result.stderr)]
    problems += [line for line in result.stderr.splitlines() if "error:" in line and str(PRELUDES) in line]
    if result.returncode != 0 and not problems:
        problems = [f"the compiler failed:\n{result.stderr}"]
    return problems


def problem(match: re.Match[str], examples: Sequence[Example]) -> str:
    """An error of the compiler, with its place in the documentation comment."""
    example = examples[int(match["number"])]
    return f"{example.path}:{example.line + int(match['line']) - HEAD - 1}: {match['text']}"
