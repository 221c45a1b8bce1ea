"""Which compile options this build uses: the default ones, with those that the user turned on or off.

Everything that can be refused from the catalogue alone is refused here, before anything is fetched. Names that the
catalogue doesn't list are compared with the names that SQLite's source knows, once there is source.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Mapping

from .catalogue import PLATFORM, REFUSED, REQUIRED, Catalogue, Library, Option, spelling
from .refusal import Refusal

NAME = re.compile(r"[A-Z][A-Z0-9_]*")
VALUE = re.compile(r'[\w."/+\-,:() ]*')
NO_CIPHER, NO_STEMMERS = "cipher none", "stemmers none"


@dataclass(frozen=True)
class Choice:
    """The differences from the default options. An option without a value has the value ''."""

    added: Mapping[str, str] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    has_cipher: bool = True
    has_stemmers: bool = True

    @property
    def is_default(self) -> bool:
        return not self.differences

    @property
    def differences(self) -> list[str]:
        """`+NAME=VALUE`, `-NAME`, `cipher none` and `stemmers none`."""
        added = [f"+{spelling(name, value)}" for name, value in sorted(self.added.items())]
        left_out = [(self.has_cipher, NO_CIPHER), (self.has_stemmers, NO_STEMMERS)]
        return added + [f"-{name}" for name in sorted(self.removed)] + [words for is_in, words in left_out if not is_in]

    def __str__(self) -> str:
        words = {"+": "--with ", "-": "--without "}
        switches = {NO_CIPHER: "--cipher none", NO_STEMMERS: "--without-stemmers"}
        return " ".join(switches.get(it) or words[it[0]] + it[1:] for it in self.differences)


DEFAULT = Choice()


# The command line and the file


def from_arguments(
    added: Iterable[str],
    removed: Iterable[str],
    catalogue: Catalogue,
    has_cipher: bool = True,
    has_stemmers: bool = True,
) -> Choice:
    """`--with`, `--without`, `--cipher none` and `--without-stemmers`, on top of the default options. What changes nothing is
    dropped."""
    pairs = dict(map(parse_name, added))
    names = {parse_name(argument)[0] for argument in removed}
    for name in sorted(names):
        if name in pairs:
            raise Refusal(f"{name} is asked for both --with and --without.", next="Give one of the two.")
        if name not in catalogue.options:
            raise Refusal(
                f"{name} can't be turned off: it is not among the options of this build.",
                next="scripts/bootstrap --list shows them." + suggestion(name, catalogue.options),
            )
    defaults = {option.name: option.value for option in catalogue.options.values() if option.is_default}
    differing = {
        name: value for name, value in pairs.items() if name not in defaults or value not in ("", defaults[name])
    }
    return Choice(differing, frozenset(names & set(defaults)), has_cipher, has_stemmers)


def parse_name(argument: str) -> tuple[str, str]:
    """`-DSQLITE_MAX_ATTACHED=125`, with or without its prefixes."""
    name, _, value = argument.strip().partition("=")
    name = re.sub(r"^SQLITE_", "", re.sub(r"^-D", "", name.strip()).upper())
    if not NAME.fullmatch(name) or not VALUE.fullmatch(value):
        raise Refusal(
            f"{argument!r} is not the name of a compile option.",
            next="Write NAME or NAME=VALUE, such as MAX_ATTACHED=125.",
        )
    return name, value


def read(path: Path) -> Choice:
    """The choice made last; the default one at first."""
    lines = path.read_text().splitlines() if path.is_file() else []
    added = [line[1:].partition("=") for line in lines if line.startswith("+")]
    removed = [line[1:] for line in lines if line.startswith("-")]
    has_cipher, has_stemmers = NO_CIPHER not in lines, NO_STEMMERS not in lines
    return Choice({name: value for name, _, value in added}, frozenset(removed), has_cipher, has_stemmers)


def written(choice: Choice) -> str:
    story = "# The options chosen last, as differences from the default ones. scripts/bootstrap --default goes back."
    return "\n".join([story, *choice.differences, ""])


# The options that result


@dataclass(frozen=True)
class Resolved:
    """The options of a build: macro names and values. SQLite's own are prefixed, facts about the platform are not."""

    values: dict[str, str]
    platform: dict[str, list[str]]
    libraries: list[Library]
    needing_tree: list[str]

    @property
    def macros(self) -> dict[str, str]:
        return {"SQLITE_" + name: value or "1" for name, value in sorted(self.values.items())}

    @property
    def links(self) -> list[str]:
        return [link for library in self.libraries for link in library.links]


def resolve(choice: Choice, catalogue: Catalogue) -> Resolved:
    """The options of a build, or the reason why they don't fit together."""
    refuse_what_swift_forbids(choice, catalogue)
    refuse_unfit_values(choice, catalogue)
    chosen = {option.name: option.value for option in catalogue.options.values() if option.is_default}
    chosen = {name: value for name, value in {**chosen, **choice.added}.items() if name not in choice.removed}
    listed = [catalogue.options[name] for name in chosen if name in catalogue.options]
    refuse_broken_pairs(listed, chosen, catalogue)
    platform = {option.name: option.needed("on") for option in listed if option.kind == PLATFORM}
    libraries = sorted({name for option in listed for name in option.needed("library")})
    # Unlisted OMIT options are taken to reach into the parser, as most of them do.
    unlisted = [name for name in chosen if name not in catalogue.options and name.startswith("OMIT_")]
    return Resolved(
        values={name: value for name, value in chosen.items() if name not in platform},
        platform=platform,
        libraries=[catalogue.libraries[name] for name in libraries],
        needing_tree=sorted([option.name for option in listed if "tree" in option.needs] + unlisted),
    )


def refuse_what_swift_forbids(choice: Choice, catalogue: Catalogue) -> None:
    for option in catalogue.of_kind(REQUIRED):
        if option.name in choice.removed or option.name in choice.added:
            what = f"{option.spelling} can't be changed: Amalgam needs it for {option.feature}."
            raise Refusal(what, sentence(option.reason), "Leave it as it is.")
    for option in catalogue.of_kind(REFUSED):
        if option.name in choice.added:
            what = f"{option.name} can't be turned on: Amalgam would lose {option.feature}."
            raise Refusal(what, sentence(option.reason), "Leave it out.")


def refuse_unfit_values(choice: Choice, catalogue: Catalogue) -> None:
    for name, value in choice.added.items():
        option = catalogue.options.get(name)
        if option and option.value and not value:
            advice = f"Write --with {name}=…, such as {option.spelling}."
            raise Refusal(f"{name} needs a value.", sentence(option.reason), advice)
        if option and not option.value and value == "0":
            why = "SQLite only asks whether it is defined."
            raise Refusal(f"{name}=0 would turn it on.", why, f"Write --without {name}.")


def sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def refuse_broken_pairs(options: Iterable[Option], chosen: Mapping[str, str], catalogue: Catalogue) -> None:
    for option in options:
        for partner in option.partners:
            if partner not in chosen:
                both = f"Turn both on: --with {option.name} --with {partner}."
                if catalogue.options[partner].is_default:
                    both = f"Leave {partner} on, or turn both off: --without {partner} --without {option.name}."
                why = "Alone it would compile to nothing or not at all."
                raise Refusal(f"{option.name} needs {partner}, which is off.", why, both)
        for rival in option.needed("not"):
            if rival in chosen:
                advice = f"Add --without {rival}, or leave {option.name} out."
                raise Refusal(f"{option.name} and {rival} exclude each other.", next=advice)


# Names that only the source knows


def refuse_unknown(choice: Choice, catalogue: Catalogue, known: Mapping[str, str]) -> None:
    """Refuses names that SQLite's source never asks for, and forgotten values of those it does."""
    for name, value in choice.added.items():
        if name in catalogue.options:
            continue
        if name not in known:
            raise Refusal(
                f"{name} is not a compile option of this SQLite.",
                f"Its source never asks for SQLITE_{name}.",
                "scripts/bootstrap --list shows the options." + suggestion(name, {*known, *catalogue.options}),
            )
        if known[name] and not value:
            raise Refusal(f"{name} needs a value.", f"SQLite's own is {known[name]}.", f"Write --with {name}=….")


def suggestion(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.7)
    return f" Did you mean {' or '.join(near)}?" if near else ""
