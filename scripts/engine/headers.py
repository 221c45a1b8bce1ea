"""The generated headers. `Sources/CAmalgam` includes them; each says what it is for in its first line."""

from __future__ import annotations

import json
from typing import Iterable, Mapping, Sequence

from .lock import Cipher, Lock, version_tuple
from .sources import Source

OPTIONS, PLATFORM, SYMBOLS, BUILD = "amalgam_options.h", "amalgam_platform.h", "amalgam_symbols.h", "amalgam_build.h"
MODULE_MAP_MARK = "// Made by scripts/bootstrap, because the chosen options link C libraries."
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


def options(macros: Mapping[str, str], cipher: Cipher | None, build: str) -> str:
    """A -D of the same value on the command line is not a redefinition; one of another value warns, and loses."""
    lines = [f"#define {name} {value}" for name, value in macros.items()]
    return header(
        OPTIONS, "SQLite's compile options.", [set_number("OPTIONS", build), "", *lines, "", *cipher_lines(macros, cipher)]
    )


def cipher_lines(macros: Mapping[str, str], cipher: Cipher | None) -> list[str]:
    """The options of the trait Encryption, or the reason why this build can't have it."""
    guard = "#ifdef AMALGAM_CIPHER"
    if cipher is None:
        advice = "run scripts/bootstrap without --cipher none, or leave the trait out."
        return [guard, error(f"The trait Encryption needs SQLCipher, which this SQLite was built without: {advice}"), "#endif"]
    for name, value in CIPHER_OPTIONS.items():
        if macros.get(name, value) != value:
            what = f"The trait Encryption needs {name}={value}, and this SQLite was built with {name}={macros[name]}"
            return [guard, error(f"{what}: choose one of the two."), "#endif"]
    lines = [f"#define {name} {value}" for name, value in CIPHER_OPTIONS.items() if name not in macros]
    return [guard, *lines, *PROVIDERS, "#endif"]


def error(sentence: str) -> str:
    return f"#error {json.dumps(sentence)}"


def platform(facts: Mapping[str, Sequence[str]]) -> str:
    """The facts that SQLite's configure script would find out. Only the file that compiles SQLite includes them."""
    lines = []
    for name, platforms in facts.items():
        guard = " && ".join([f"!defined({name})", *(GUARDS[platform] for platform in platforms)])
        lines += [f"#if {guard}", f"#define {name} 1", "#endif"]
    return header(PLATFORM, "What SQLite asks about the platform.", lines)


def symbols(names: Iterable[str], build: str) -> str:
    """gcc renames no function that is defined without a prototype, as some of SQLCipher are. Names that no public header has
    are macros, then."""
    lines = [f"#pragma redefine_extname {name} amalgam_{name}" for name in names if name.startswith("sqlite3")]
    internal = [f"#define {name} amalgam_{name}" for name in names if not name.startswith("sqlite3")]
    if internal:
        lines += ["", "#ifdef AMALGAM_COMPILES_SQLITE", *internal, "#endif"]
    story = "The seal: every global name of SQLite gets a prefix in the object file."
    return header(SYMBOLS, story, [set_number("SYMBOLS", build), "", *lines])


def build(lock: Lock, source: Source, is_custom: bool, cipher: Cipher | None, build: str) -> str:
    """What SQLiteBuild tells about the build, and a check that all the files in the folder belong together."""
    facts = {
        "AMALGAM_SQLITE_VERSION": lock.version,
        "AMALGAM_CHECKIN": lock.check_in,
        "AMALGAM_ORIGIN": source.origin,
        "AMALGAM_VERIFICATION": source.verification,
        **({"AMALGAM_CIPHER_VERSION": cipher.version} if cipher else {}),
    }
    lines = [
        *(f"#define {name} {json.dumps(value)}" for name, value in facts.items()),
        f"#define AMALGAM_CUSTOM_OPTIONS {int(is_custom)}",
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
