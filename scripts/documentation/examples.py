"""Checks that the examples of documentation comments compile.

Each block of Swift in a documentation comment is compiled as the body of a function, or as a file if it has declarations that
functions can't contain. Tests/DocumentationExamples declares the names that examples use without declaring them: Prelude.swift
those of all modules (`db`, `dbQueue`, `Player`, …), and a file with the name of a module those of this module. A fragment that
can't compile is a block without a language.

An article that has steps compiles after each one: the code of a step is added to that of the steps before, and replaces
declarations of the same name.

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
from typing import Iterator, Mapping, Sequence

from documentation.modules import compiler_arguments

NAME = "scripts/checks/examples"
ROOT = Path(__file__).resolve().parents[2]
PRELUDES = ROOT / "Tests/DocumentationExamples"
IMPORTS = [
    f"import {module}"
    for module in ["Amalgam", "AmalgamTesting", "CAmalgam", "Foundation", "Logging", "ServiceLifecycle", "Synchronization"]
]
ARTICLES = [ROOT / "Sources/Amalgam/Amalgam.docc/NotesWalkthrough.md"]
STEP = re.compile(r"^## Step (?P<number>\d+)\b.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```swift\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
DECLARATION = re.compile(r"^(?:let|struct|enum|func) (?P<name>\w+)", re.MULTILINE)
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
    if not options.module:
        counts += [check_article(article, options.scratch_path) for article in ARTICLES]
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
    files = {f"Example{number}.swift": example.source(number) for number, example in enumerate(examples)}
    result = type_check(files, scratch, [it for it in preludes if it.exists()])
    problems = [problem(match, examples) for match in ERROR.finditer(result.stderr)]
    problems += [line for line in result.stderr.splitlines() if "error:" in line and str(PRELUDES) in line]
    if result.returncode != 0 and not problems:
        problems = [f"the compiler failed:\n{result.stderr}"]
    return problems


def type_check(
    files: Mapping[str, str], scratch: Path, others: Sequence[Path] = ()
) -> subprocess.CompletedProcess[str]:
    """Type-checks the files of a module, given by their names and contents, and other files of the project."""
    command = ["swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-parse-as-library", "-module-name", "Examples"]
    command += [*compiler_arguments(ROOT, scratch), "-suppress-warnings", "-diagnostic-style", "llvm"]
    with tempfile.TemporaryDirectory(prefix="amalgam-examples-") as folder:
        paths = [Path(folder, name) for name in files]
        for path in paths:
            path.write_text(files[path.name])
        return subprocess.run([*command, *paths, *others], cwd=ROOT, capture_output=True, text=True)


def check_article(article: Path, scratch: Path) -> int:
    """Compiles the code of an article after each of its steps. Prints the errors, and returns their number."""
    states = list(steps(article.read_text()))
    errors = 0 if states else 1
    for number, code in states:
        result = type_check({f"Step{number}.swift": f"import Amalgam\n{code}"}, scratch)
        if result.returncode != 0:
            print(f"{NAME}: {article.name} after step {number}:\n{result.stderr}", file=sys.stderr)
            errors += 1
    print(f"{article.name}: {len(states)} steps, {errors} errors")
    return errors


def steps(article: str) -> Iterator[tuple[int, str]]:
    """The number of each step, and the code of the article up to its end."""
    declarations: dict[str, str] = {}
    for step in STEP.finditer(article):
        for block in BLOCK.finditer(step[0]):
            for code in top_level(block["code"]):
                name = DECLARATION.search(code)
                declarations[name["name"] if name else code] = code
        yield int(step["number"]), "\n".join(declarations.values())


def top_level(code: str) -> Iterator[str]:
    """The declarations of a block, each with its comment. A declaration ends with a line that closes a brace."""
    lines: list[str] = []
    for line in code.splitlines():
        lines.append(line)
        if line.startswith("}"):
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def problem(match: re.Match[str], examples: Sequence[Example]) -> str:
    """An error of the compiler, with its place in the documentation comment."""
    example = examples[int(match["number"])]
    return f"{example.path}:{example.line + int(match['line']) - HEAD - 1}: {match['text']}"
