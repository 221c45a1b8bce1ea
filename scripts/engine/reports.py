"""What `--list` and `--check` print."""

from __future__ import annotations

from pathlib import Path

from . import build, provenance, terminal
from .build import Build
from .cache import Cache
from .catalogue import KINDS, OFF, ON, PLATFORM, REFUSED, REQUIRED, spelling

from .refusal import Refusal
from .terminal import BOLD, DIM, GREEN, RED, YELLOW

TITLES = {
    REQUIRED: "Required: the Swift modules are built on these",
    ON: "On by default: --without NAME turns one off",
    OFF: "Offered: --with NAME or NAME=VALUE turns one on; a value shown is SQLite's own",
    REFUSED: "Refused: a Swift module would break",
    PLATFORM: "Facts about the platform, taken from its headers",
}
STYLES = {"required": BOLD, "on": GREEN, "off": DIM, "refused": RED, "platform": GREEN}


def option_list(project_build: Build) -> str:
    """Every option with its state and reason, in groups."""
    catalogue, choice = project_build.catalogue, project_build.choice
    column = max(len(option.spelling) for option in catalogue.options.values()) + 2
    groups = []
    for kind in KINDS:
        groups.append("\n" + terminal.styled(TITLES[kind], BOLD))
        for option in catalogue.of_kind(kind):
            name = spelling(option.name, choice.added.get(option.name, option.value))
            state = "on, chosen" if option.name in choice.added else kind
            state = "off, chosen" if option.name in choice.removed else state
            reason = option.reason + (f" [{option.feature}]" if option.feature else "")
            reason += f" [trait {option.trait.name}: {option.trait.value}]" if option.trait else ""
            groups.append(row(name, state, reason, column))
    own = [spelling(*pair) for pair in choice.added.items() if pair[0] not in catalogue.options]
    if own:
        groups.append("\n" + terminal.styled("Your own: see https://sqlite.org/compile.html", BOLD))
        groups += [row(name, "on, chosen", "", column) for name in own]
    return "\n".join(groups).strip()


def row(name: str, state: str, reason: str, column: int) -> str:
    styled_state = terminal.styled(f"{state:<13}", STYLES.get(state, YELLOW))
    return terminal.hanging(f"  {name:<{column}}{styled_state}", reason, 2 + column + 13)


def check(project_build: Build, cache: Cache) -> str:
    """What is built, or a refusal if it isn't what it was when it was built."""
    built = project_build.project.record()
    if built is None:
        raise Refusal("SQLite is not built yet.", next="Run scripts/bootstrap.")
    problems = [f"{name} is not as it was built." for name in build.damaged_files(project_build.project, built)]
    if built.inputs != project_build.inputs:
        problems.append("The version, the options or the generators have changed since it was built.")
    tree = cache.tree(project_build.lock)
    verified = "not in the cache (scripts/bootstrap --source fetches it)"
    if tree.is_dir():
        try:
            count = provenance.verify(tree, project_build.lock)
            verified = f"{short(tree)}: check-in hash and {count:,} files verified again just now"
        except Refusal as refusal:
            problems.append(f"In {tree}: {refusal.what}")
    if problems:
        raise Refusal("Something is off with this build.", "\n".join(problems), "Run scripts/bootstrap.")
    facts = {
        "built from": built.origin,
        "provenance": built.verification,
        "options": f"{len(built.options)} compile options: " + ", ".join(["the default ones", *built.chosen]),
        "traits": ", ".join(built.traits),
        "links": ", ".join(built.libraries),
        "cipher": "{name} {version}, with the trait Encryption".format(**built.cipher) if built.cipher else "none",
        "stemmers": "{name} {version}".format(**built.stemmers) if built.stemmers else "none",
        "sealed": f"{built.symbols} global symbols begin with amalgam_",
        "files": f"{len(built.files)}, all as they were built",
        "source tree": verified,
    }
    rows = [terminal.hanging(f"  {label:<13}", fact, 15) for label, fact in facts.items() if fact]
    return "\n".join([f"{terminal.styled(f'SQLite {built.version}', BOLD)}, check-in {built.check_in}", *rows])


def short(path: Path) -> str:
    home = str(Path.home())
    return str(path).replace(home, "~", 1) if str(path).startswith(home + "/") else str(path)
