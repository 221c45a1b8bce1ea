"""Checks the words of comments and documents.

Counts turns of phrase that a reader has to solve, by family, per 1,000 lines of comments and of documents. CONTRIBUTING.md
has the words to use in their place. The count of each group of files must be at most 8. The check counts, it doesn't judge:
a turn that is right where it stands may stay.

Outside of tests, each of these is a problem by itself:
- a documentation comment that is only a token of code,
- "- throws:" for "- Throws:",
- a public function that throws, and whose documentation comment doesn't say so.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Mapping, Sequence

NAME = "scripts/checks/words"
ROOT = Path(__file__).resolve().parents[3]
LIMIT = 8
# What is counted together.
GROUPS: Mapping[str, Sequence[str]] = {
    "sources": ["Sources"],
    "tests": ["Tests"],
    "documents": ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs"],
    "benchmarks and examples": ["Benchmarks", "Examples"],
}
FAMILIES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "pronouns for connections and threads": r"\b(nobody|somebody|whoever|whom|those who|who is concerned)\b",
        "hear, tell": r"\b(hears? of|heard of|told of|tells? of|is told|are told|be told)\b",
        "anew, beside, in vain": r"\b(anew|beside|meanwhile|in vain)\b",
        "else": r"(^|[.;,:(] ?)else\b|\bor else\b",
        "a text": r"\b(?-i:[Aa] text|[Tt]exts)\b",
        "as it is": r"\b(as it is|as they are|of today|another one|is another)\b",
        "is no": r"\b(is|are|was|were) no (?!longer|more|way|need|such)\w+",
        "of its own": r"\bof (its|their|his|one's) own\b",
    }.items()
}
SUFFIXES = {".swift", ".h", ".c", ".md"}
CODE = re.compile(r"`[^`]*`")
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+(?:[\w()]+\s+)*?(?:func\b|init\b|subscript\b)"
)


@dataclass(frozen=True)
class Line:
    """A line of a comment or of a document, without its marks and code."""

    path: Path
    number: int
    text: str


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    groups = {"given": options.path} if options.path else {name: [ROOT / it for it in its] for name, its in GROUPS.items()}
    problems: list[str] = []
    for name, roots in groups.items():
        paths = [path for root in roots for path in files(root)]
        problems += check_count(name, [line for path in paths for line in lines(path)], options.show)
        for path in paths:
            if path.suffix == ".swift" and "Tests" not in path.parts:
                problems += documentation_problems(path)
    for problem in problems:
        print(f"{NAME}: {problem}", file=sys.stderr)
    return 1 if problems else 0


def parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", action="store_true", help="print each line that is counted")
    parser.add_argument("path", nargs="*", type=Path, help="files and folders; all of the project unless given")
    return parser.parse_args(arguments)


def files(root: Path) -> Iterator[Path]:
    """The files whose words are ours, in alphabetical order."""
    for path in [root] if root.is_file() else sorted(root.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file() and not any(it.startswith(".build") for it in path.parts):
            yield path


# -- Counting


def check_count(name: str, found: Sequence[Line], shows: bool) -> Iterator[str]:
    counts = {family: 0 for family in FAMILIES}
    for line in found:
        for family, pattern in FAMILIES.items():
            turns = len(pattern.findall(line.text))
            counts[family] += turns
            if turns and shows:
                print(f"{line.path}:{line.number}: {family}: {line.text}")
    total = sum(counts.values())
    rate = 1000 * total / max(1, len(found))
    print(f"{name}: {rate:.1f} per 1,000 of {len(found)} lines")
    if rate > LIMIT:
        worst = ", ".join(f"{family} {count}" for family, count in sorted(counts.items(), key=lambda it: -it[1])[:3])
        yield (
            f"the comments of the group {name!r} have {rate:.1f} such turns per 1,000 lines, more than {LIMIT} ({worst}). "
            "--show prints them; CONTRIBUTING.md has the words to use."
        )


def lines(path: Path) -> Iterator[Line]:
    yield from document_lines(path) if path.suffix == ".md" else comment_lines(path)


def document_lines(path: Path) -> Iterator[Line]:
    is_code = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code and line.strip():
            yield Line(path, number, CODE.sub("", line))


def comment_lines(path: Path) -> Iterator[Line]:
    is_block = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.strip()
        if is_block or text.startswith(("//", "/*")):
            yield Line(path, number, CODE.sub("", text))
            is_block = (is_block or text.startswith("/*")) and "*/" not in text


# -- Documentation comments


def documentation_problems(path: Path) -> Iterator[str]:
    source = path.read_text().splitlines()
    comment: list[str] = []
    for index, line in enumerate(source):
        text = line.strip()
        if text.startswith("///"):
            comment.append(text[3:].strip())
            continue
        if comment and text.startswith("@") and not DECLARATION.match(text):
            continue
        if comment:
            yield from comment_problems(path, index, comment)
            if DECLARATION.match(text) and throws(source, index) and not says_throws(comment):
                yield f"{path}:{index + 1}: the function throws, and its documentation doesn't say so. Add \"- Throws:\"."
        comment = []


def comment_problems(path: Path, index: int, comment: Sequence[str]) -> Iterator[str]:
    if any(line.startswith("- throws:") for line in comment):
        yield f"{path}:{index + 1}: \"- throws:\" is written \"- Throws:\"."
    text = " ".join(comment).strip()
    if re.fullmatch(r"`[^`]+`[.:]?", text):
        yield f"{path}:{index + 1}: the documentation is only code: {text}. Write a sentence, or delete it."


def says_throws(comment: Sequence[str]) -> bool:
    return any(re.search(r"\b[Tt]hrow(s|n|ing)?\b|\brethrows\b|``\w+Error", line) for line in comment)


def throws(source: Sequence[str], index: int) -> bool:
    """Whether the signature of the declaration in this line throws errors of its own, and not only those of a closure."""
    return bool(re.search(r"\)\s*(?:async\s+)?throws\b", outer_parentheses(signature(source, index))))


def signature(source: Sequence[str], index: int) -> str:
    text = ""
    for line in source[index : index + 20]:
        text += " " + line.strip()
        if line.rstrip().endswith("{") or " { " in line or (line.strip() == "" and text.strip()):
            break
    return text


def outer_parentheses(text: str) -> str:
    """The text with the content of parentheses removed: parameters that throw are not meant."""
    result, depth = "", 0
    for character in text:
        depth -= character == ")"
        if depth == 0:
            result += character
        depth += character == "("
        if character == "{" and depth == 0:
            break
    return result
