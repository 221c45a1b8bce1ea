"""The generated headers. `Sources/CAmalgam` includes them; each says what it is for in its first line."""

from __future__ import annotations

import json
import re
from typing import Iterable, Mapping, Sequence

from .catalogue import REFUSED, REQUIRED, Catalogue
from .lock import Cipher, Lock, version_tuple
from .sources import Source

OPTIONS, PLATFORM, SYMBOLS, BUILD = "amalgam_options.h", "amalgam_platform.h", "amalgam_symbols.h", "amalgam_build.h"
MODULE_MAP_MARK = "// Made by scripts/bootstrap, because the chosen options link C libraries."
# The trait that adds the codec, and the macro by which Package.swift does it.
ENCRYPTION, CIPHER_MACRO = "Encryption", "AMALGAM_CIPHER"
# What the preprocessor can compare.
NUMBER = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)")
GUARDS = {"linux": "defined(__linux__)", "unix": "!defined(_WIN32)"}


def header(name: str, story: str, lines: Iterable[str]) -> str:
    guard = name.upper().replace(".", "_")
    opening = [f"/* {story} Made by scripts/bootstrap. */", f"#ifndef {guard}", f"#define {guard}", ""]
    return "\n".join([*opening, *lines, "", "#endif", ""])


# What SQLCipher needs, and what keeps clear text off the disk (temporary tables and sorters in memory, whatever a pragma says)
# and out of logs (a key in a URI, messages on standard error). SQLITE_EXTRA_INIT is a function of shims/cipher.h.
CIPHER_OPTIONS = {
    "SQLITE_HAS_CODEC": "1",
    "SQLITE_EXTRA_INIT": "amalgam_cipher_init",
    "SQLITE_EXTRA_SHUTDOWN": "sqlcipher_extra_shutdown",
    "SQLITE_TEMP_STORE": "3",
    "SQLITE_USE_URI": "0",
    "SQLCIPHER_OMIT_DEFAULT_LOGGING": "1",
}
PROVIDERS = [
    "#if defined(SQLCIPHER_CRYPTO_CUSTOM)",
    "#elif defined(__APPLE__)",
    "#define SQLCIPHER_CRYPTO_CC 1",
    "#else",
    "#define SQLCIPHER_CRYPTO_OPENSSL 1",
    "#endif",
]


def options(catalogue: Catalogue, macros: Mapping[str, str], cipher: Cipher | None, build: str) -> str:
    """The traits of the package set options by -D. A -D must not differ from an option of the build: code that includes this
    header, such as Swift's, is compiled without the -D."""
    lines = [line for name, value in macros.items() for line in option_lines(name, value, catalogue)]
    return header(
        OPTIONS,
        "SQLite's compile options.",
        [
            *[set_number("OPTIONS", build), "", *trait_lines(catalogue), "", *refused_lines(catalogue), ""],
            *[*lines, "", *cipher_lines(macros, cipher)],
        ],
    )


def trait_lines(catalogue: Catalogue) -> list[str]:
    """The names of the enabled traits. They stand before the options, since only a -D makes a trait."""
    lines = ["#ifdef AMALGAM_COMPILES_SQLITE"]
    for trait in catalogue.traits:
        lines += named_if(f"defined({trait.macro}) && {trait.macro} == {trait.value}", trait.name)
    return [*lines, *named_if(f"defined({CIPHER_MACRO})", ENCRYPTION), "#endif"]


def named_if(condition: str, trait: str) -> list[str]:
    macro = trait_macro(trait)
    return [f"#if {condition}", f'#define {macro} "{trait} "', "#else", f'#define {macro} ""', "#endif"]


def trait_macro(trait: str) -> str:
    return f"AMALGAM_TRAIT_{trait}"


def refused_lines(catalogue: Catalogue) -> list[str]:
    lines = []
    for option in catalogue.of_kind(REFUSED):
        why = f"A -D can't turn on SQLITE_{option.name}: Amalgam would lose {option.feature}; {option.reason}."
        lines += [f"#ifdef SQLITE_{option.name}", error(why), "#endif"]
    return lines


def option_lines(name: str, value: str, catalogue: Catalogue) -> list[str]:
    """Defines an option of the build. The compiler warns if a -D has set it to another value that isn't a number."""
    if not NUMBER.fullmatch(value):
        return [f"#define {name} {value}"]
    option = catalogue.options.get(name[len("SQLITE_") :])
    lines = [f"#ifndef {name}", f"#define {name} {value}"]
    built = f"this SQLite was built with {name}={value}"
    if option and option.trait and option.trait.value != value:
        why = f"The trait {option.trait.name} sets {option.trait.definition}, and {built}"
        why += ": leave the trait out, or run scripts/bootstrap --default."
        lines += [f"#elif {name} == {option.trait.value}", error(why)]
    why = f"A -D sets {name}, and {built}: leave the -D out, or give the value to scripts/bootstrap --with."
    if option and option.kind == REQUIRED:
        why = f"A -D can't change {name}={value}: Amalgam needs it for {option.feature}."
    return [*lines, *other_value(name, value, why)]


def other_value(name: str, value: str, why: str) -> list[str]:
    return [f"#elif {name} != {value}", error(why), "#endif"]


def cipher_lines(macros: Mapping[str, str], cipher: Cipher | None) -> list[str]:
    """The options of the trait Encryption, or the reason why this build can't have it."""
    guard = f"#ifdef {CIPHER_MACRO}"
    for name, value in cipher_conflicts(macros).items():
        what = f"The trait Encryption needs {name}={value}, and this SQLite was built with {name}={macros[name]}"
        return [guard, error(f"{what}: choose one of the two."), "#endif"]
    if cipher is None:
        advice = "run scripts/bootstrap without --cipher none, or leave the trait out."
        return [guard, error(f"The trait Encryption needs SQLCipher, which this SQLite was built without: {advice}"), "#endif"]
    missing = {name: value for name, value in CIPHER_OPTIONS.items() if name not in macros}
    lines = [line for name, value in missing.items() for line in cipher_option_lines(name, value)]
    return [guard, *lines, *PROVIDERS, "#endif"]


def cipher_option_lines(name: str, value: str) -> list[str]:
    if not NUMBER.fullmatch(value):
        return [f"#define {name} {value}"]
    why = f"The trait Encryption needs {name}={value}, and a -D sets another value: leave the -D or the trait out."
    return [f"#ifndef {name}", f"#define {name} {value}", *other_value(name, value, why)]


def cipher_conflicts(macros: Mapping[str, str]) -> Mapping[str, str]:
    """The options of the trait Encryption that the build has with another value."""
    return {name: value for name, value in CIPHER_OPTIONS.items() if macros.get(name, value) != value}


def error(sentence: str) -> str:
    return f"#error {json.dumps(sentence, ensure_ascii=False)}"


def platform(facts: Mapping[str, Sequence[str]]) -> str:
    """The facts that SQLite's configure script would find out. Only the file that compiles SQLite includes them."""
    lines = []
    for name, platforms in facts.items():
        guard = " && ".join([f"!defined({name})", *(GUARDS[platform] for platform in platforms)])
        lines += [f"#if {guard}", f"#define {name} 1", "#endif"]
    return header(PLATFORM, "What SQLite asks about the platform.", lines)


# Functions that fill the only slot for pre-update hooks. Code outside of the amalgamation calls those of shims/hooks.h, which
# work next to observers.
SHARED = {
    "sqlite3_preupdate_hook": "amalgam_shared_preupdate_hook",
    "sqlite3session_create": "amalgam_shared_session_create",
    "sqlite3session_delete": "amalgam_shared_session_delete",
}


def symbols(names: Iterable[str], build: str) -> str:
    """gcc renames no function that is defined without a declaration above, as some of SQLCipher are. Names that no public header
    has are macros, then."""
    names = list(names)
    lines = [f"#pragma redefine_extname {name} amalgam_{name}" for name in names if name.startswith("sqlite3") and name not in SHARED]
    if shared := [name for name in names if name in SHARED]:
        lines += ["", "#ifdef AMALGAM_COMPILES_SQLITE"]
        lines += [f"#pragma redefine_extname {name} amalgam_{name}" for name in shared]
        lines += ["#else", *(f"#pragma redefine_extname {name} {SHARED[name]}" for name in shared), "#endif"]
    internal = [f"#define {name} amalgam_{name}" for name in names if not name.startswith("sqlite3")]
    if internal:
        lines += ["", "#ifdef AMALGAM_COMPILES_SQLITE", *internal, "#endif"]
    story = "The seal: every global name of SQLite gets a prefix in the object file."
    return header(SYMBOLS, story, [set_number("SYMBOLS", build), "", *lines])


def build(
    lock: Lock,
    source: Source,
    is_custom: bool,
    catalogue: Catalogue,
    cipher: Cipher | None,
    stemmers: Lock | None,
    has_decimals: bool,
    has_recovery: bool,
    build: str,
) -> str:
    """What SQLiteBuild tells about the build, and a check that all the files in the folder belong together."""
    facts = {
        "AMALGAM_SQLITE_VERSION": lock.version,
        "AMALGAM_CHECKIN": lock.check_in,
        "AMALGAM_ORIGIN": source.origin,
        "AMALGAM_VERIFICATION": source.verification,
        **({"AMALGAM_CIPHER_VERSION": cipher.version} if cipher else {}),
        **({"AMALGAM_SNOWBALL_VERSION": stemmers.version} if stemmers else {}),
    }
    traits = [trait_macro(name) for name in [*(trait.name for trait in catalogue.traits), ENCRYPTION]]
    lines = [
        *(f"#define {name} {json.dumps(value)}" for name, value in facts.items()),
        f"#define AMALGAM_DECIMALS {int(has_decimals)}",
        f"#define AMALGAM_RECOVERY {int(has_recovery)}",
        f"#define AMALGAM_CUSTOM_OPTIONS {int(is_custom)}",
        "#define AMALGAM_TRAITS " + " ".join(traits),
        "",
        f"#if AMALGAM_OPTIONS_SET != {number(build)} || AMALGAM_SYMBOLS_SET != {number(build)} \\",
        f"    || SQLITE_VERSION_NUMBER != {version_number(lock.version)}",
        '#error "vendor/sqlite holds files of two builds (was a run interrupted?): run scripts/bootstrap."',
        "#endif",
    ]
    return header(BUILD, "Where this SQLite comes from.", lines)


def version_number(version: str) -> int:
    """3.53.4 as SQLite writes it in SQLITE_VERSION_NUMBER: 3053004."""
    major, minor, patch = version_tuple(version)[:3]
    return major * 1_000_000 + minor * 1_000 + patch


def set_number(part: str, build: str) -> str:
    return f"#define AMALGAM_{part}_SET {number(build)}"


def number(build: str) -> str:
    """The first digits of the build's digest: the same in every file of one build."""
    return f"0x{build[:7]}"


def module_map(links: Sequence[str]) -> str:
    """SwiftPM makes a module map of its own, which can't name libraries, only where the target has none."""
    lines = [f'    link "{library}"' for library in links]
    opening = [MODULE_MAP_MARK, "module CAmalgam {", '    umbrella header "CAmalgam.h"', "    export *"]
    return "\n".join([*opening, *lines, "}", ""])
