"""What `--list` and `--check` print."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

from . import build, provenance, terminal
from .build import Build
from .cache import Cache
from .catalogue import KINDS, OFF, ON, PLATFORM, REFUSED, REQUIRED, Option
from .choice import spelling
from .record import Record
from .refusal import Refusal
from .terminal import BOLD, DIM, GREEN, RED, YELLOW

TITLES = {
    REQUIRED: "Required: the Swift modules are built on these",
    ON: "On by default: --without NAME turns one off",
    OFF: "Offered: --with NAME or NAME=VALUE turns one on; a value shown is SQLite's own",
    REFUSED: "Refused: a Swift module would break",
    PLATFORM: "Facts about the platform, taken from its headers",
}
STYLES = {"required": BOLD, "on": GREEN, "off": DIM, "refused": RED, "platform": GREEN, "chosen": YELLOW}


# --list


def option_list(project_build: Build) -> str:
    """Every option with its state and reason, in groups."""
    column = max(len(option.spelling) for option in project_build.catalogue.options.values()) + 2
    groups = [group(kind, project_build, column) for kind in KINDS]
    return "\n\n".join(groups + unlisted(project_build, column))


def group(kind: str, project_build: Build, column: int) -> str:
    options = project_build.catalogue.of_kind(kind)
    rows = [option_row(option, project_build, column) for option in options]
    return "\n".join([terminal.styled(TITLES[kind], BOLD), *rows])


def option_row(option: Option, project_build: Build, column: int) -> str:
    choice = project_build.choice
    value = choice.added.get(option.name, option.value)
    reason = option.reason + (f" [{option.feature}]" if option.feature else "")
    return row(spelling(option.name, value), state(option, project_build), reason, column)


def state(option: Option, project_build: Build) -> str:
    if option.name in project_build.choice.added:
        return "on, chosen"
    if option.name in project_build.choice.removed:
        return "off, chosen"
    return option.kind


def row(name: str, state: str, reason: str, column: int) -> str:
    style = STYLES["chosen"] if "chosen" in state else STYLES[state]
    indent = 2 + column + 13
    lines = terminal.wrapped(reason, terminal.width() - indent)
    head = f"  {name:<{column}}{terminal.styled(f'{state:<13}', style)}{lines[0]}"
    return "\n".join([head] + [" " * indent + line for line in lines[1:]])


def unlisted(project_build: Build, column: int) -> list[str]:
    """Chosen options that the catalogue doesn't describe."""
    names = [name for name in project_build.choice.added if name not in project_build.catalogue.options]
    if not names:
        return []
    rows = [row(spelling(name, project_build.choice.added[name]), "on, chosen", "", column) for name in names]
    return ["\n".join([terminal.styled("Your own: see https://sqlite.org/compile.html", BOLD), *rows])]


# --check


class Check:
    """What is built, and whether it is still what it was when it was built."""

    def __init__(self, project_build: Build, cache: Cache) -> None:
        self.build = project_build
        self.project = project_build.project
        self.cache = cache
        self.problems: list[str] = []

    def run(self) -> str:
        built = self.project.record()
        if built is None:
            raise Refusal("SQLite is not built yet.", next="Run scripts/bootstrap.")
        report = terminal.facts(self.rows(built))
        if self.problems:
            raise Refusal("Something is off with this build.", "\n".join(self.problems), "Run scripts/bootstrap.")
        return f"{terminal.styled(f'SQLite {built.version}', BOLD)}, check-in {built.check_in}\n{report}"

    def rows(self, built: Record) -> Iterator[tuple[str, str]]:
        yield "built from", built.origin
        yield "provenance", built.verification
        yield "options", options_in_words(built)
        if built.libraries:
            yield "links", ", ".join(built.libraries)
        yield "sealed", f"{built.symbols} global symbols begin with amalgam_"
        yield "files", self.files(built)
        yield "source tree", self.source_tree()

    def files(self, built: Record) -> str:
        self.problems += [f"{name} is not as it was built." for name in build.damaged_files(self.project, built)]
        if built.inputs != self.build.inputs:
            self.problems.append("The version, the options or the generators have changed since it was built.")
        return f"{len(built.files)}, all as they were built"

    def source_tree(self) -> str:
        """The cached tree is verified again, from the pinned hash down to each file."""
        lock = self.build.lock
        if not self.cache.has_tree(lock):
            return "not in the cache (scripts/bootstrap --source fetches it)"
        try:
            files = provenance.verify(self.cache.tree(lock), lock)
        except Refusal as refusal:
            self.problems.append(f"In {self.cache.tree(lock)}: {refusal.what}")
            return "damaged"
        return f"{short(self.cache.tree(lock))}: check-in hash and {files:,} files verified again just now"


def options_in_words(built: Record) -> str:
    count = f"{len(built.options)} compile options"
    return f"{count}: the default ones" if not built.chosen else f"{count}: the default ones, {', '.join(built.chosen)}"


def short(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)
