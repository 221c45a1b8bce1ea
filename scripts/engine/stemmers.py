"""Snowball's stemmers, as one C file without global symbols, which the C target compiles into SQLite's translation unit.

The source is the archive that `snowball.lock` pins. Snowball's own compiler is built from it, and translates the algorithm of each
language to C. Every language has functions and tables of the same names, so that these get the name of the language in front;
what is external in Snowball's library becomes static.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

from . import lock, symbols, system, terminal
from .cache import Cache
from .files import new
from .lock import Lock
from .refusal import Refusal
from .sources import Sources

NAME, LOCK = "snowball.c", "snowball.lock"
OPTION = "--without-stemmers"
# Older algorithms for a language that has a better one.
SUPERSEDED = ("porter", "lovins", "german2", "kraaij_pohlmann", "dutch_porter")
ENCODING = "UTF_8"
# The runtime, in an order in which each file needs only the ones before it.
RUNTIME = ("api.h", "header.h", "api.c", "utilities.c")
INCLUDE = re.compile(r'^#include "\w+\.h"\n', re.MULTILINE)
FOR_CPP = re.compile(r"^#ifdef __cplusplus\n(?:extern \"C\" \{|\})\n#endif\n", re.MULTILINE)
EXTERNAL = re.compile(r"^extern ", re.MULTILINE)
# The names that Snowball's compiler gives to routines, strings, tables of strings, groups of letters, and routines of tables.
PRIVATE = re.compile(r"\b(?=(?:r|s|a|g|af)_\w)")
# Where a stemmer compares the end of a word with a table of strings, and with one string.
TABLE_AT_END = re.compile(r"\bfind_among_b\(z, (\w+), (\d+)\)")
STRING_AT_END = re.compile(r"\beq_s_b\(z, (\d+), (\w+)\)")
# Macros of the runtime, which the code after this file should not meet.
MACROS = ("MAXINT", "MININT", "HEAD", "SIZE", "SET_SIZE", "CAPACITY", "CAPACITY_INIT")
MEMORY = {
    "malloc(n)": "sqlite3_malloc64(n)",
    "calloc(n, size)": "amalgam_snowball_calloc((sqlite3_uint64)(n) * (size))",
    "realloc(p, n)": "sqlite3_realloc64(p, n)",
    "free(p)": "sqlite3_free(p)",
}
CALLOC = """static void *amalgam_snowball_calloc(sqlite3_uint64 n) {
    void *memory = sqlite3_malloc64(n);
    if (memory != 0) memset(memory, 0, n);
    return memory;
}"""

TYPE_OF_ENDINGS = """/* Strings that a stemmer looks for at the end of a word. */
struct amalgam_snowball_endings {
    const struct among *strings;
    int count;
};
"""


@dataclass(frozen=True)
class Language:
    """One line of Snowball's list: the name of an algorithm, and the codes of ISO 639 for its language."""

    name: str
    codes: tuple[str, ...]


def read_lock(home: Path) -> Lock | None:
    """The lock file of Snowball; None in a project that has none."""
    path = home / LOCK
    return lock.read(path) if path.is_file() else None


def build(pinned: Lock, cache: Cache, offline: bool, number: str, workshop: Path) -> str:
    """The text of snowball.c. `number` identifies the build, as in the headers."""
    source = obtain(pinned, cache, offline, new(workshop / "source"))
    compiler = build_compiler(source, workshop)
    languages = listed(source)
    terminal.step(f"Translating {len(languages)} stemmers of {pinned.name} {pinned.version} to C")
    parts = [head(pinned, source, number), *runtime(source), TYPE_OF_ENDINGS]
    for language in languages:
        stemmer = translated(language, source, compiler, workshop)
        parts += [stemmer, endings(language, stemmer)]
    text = "\n".join([*parts, table(languages), foot()])
    require_sealed(text, pinned, workshop)
    return text


def obtain(pinned: Lock, cache: Cache, offline: bool, folder: Path) -> Path:
    """The unpacked source."""
    try:
        Sources(pinned, cache, offline=offline).obtain(folder)
    except Refusal as refusal:
        raise Refusal(
            f"The source of {pinned.name} {pinned.version} could not be fetched.",
            refusal.why,
            f"Try again with a network, or build without it: scripts/bootstrap {OPTION}",
        ) from None
    found = sorted(folder.glob("*/libstemmer/modules.txt"))
    if not found:
        raise Refusal(f"The archive of {pinned.name} has no libstemmer/modules.txt.", next="Look at snowball.lock.")
    return found[0].parents[1]


def build_compiler(source: Path, workshop: Path) -> Path:
    terminal.step("Building Snowball's compiler")
    compiler = workshop / "snowball"
    files = sorted((source / "compiler").glob("*.c"))
    system.checked([system.compiler(), "-O1", "-w", *files, "-o", compiler], failing="Snowball's compiler doesn't compile.")
    return compiler


def listed(source: Path) -> list[Language]:
    """The languages of `modules.txt`, whose lines are `name  encoding,…  name,code,…`."""
    languages = []
    for line in (source / "libstemmer" / "modules.txt").read_text().splitlines():
        words = line.partition("#")[0].split()
        if len(words) >= 3 and words[0] not in SUPERSEDED and ENCODING in words[1].split(","):
            languages.append(Language(words[0], tuple(code for code in words[2].split(",") if code != words[0])))
    return languages


# The parts of the file


def head(pinned: Lock, source: Path, number: str) -> str:
    licence = (source / "COPYING").read_text().strip().splitlines()
    return "\n".join([
        f"/* {pinned.name} {pinned.version}, translated to C by its own compiler. Made by scripts/bootstrap. */",
        "/*",
        f"** {pinned.name}",
        *(f"** {line}".rstrip() for line in licence),
        "*/",
        "",
        f"#if AMALGAM_OPTIONS_SET != {number}",
        '#error "vendor/sqlite holds files of two builds (was a run interrupted?): run scripts/bootstrap."',
        "#endif",
        "",
        "/* Memory comes from SQLite's allocator. */",
        CALLOC,
        *(f"#define {left} {right}" for left, right in MEMORY.items()),
        "",
    ])


def runtime(source: Path) -> Iterable[str]:
    for name in RUNTIME:
        yield sealed((source / "runtime" / name).read_text())


def translated(language: Language, source: Path, compiler: Path, workshop: Path) -> str:
    output = workshop / language.name
    algorithm = source / "algorithms" / f"{language.name}.sbl"
    options = ["-o", output, "-ep", f"{language.name}_", "-utf8"]
    system.checked([compiler, algorithm, *options], failing=f"Snowball can't translate {algorithm.name}.")
    text = sealed(output.with_suffix(".c").read_text())
    return PRIVATE.sub(f"{language.name}_", text)


def sealed(text: str) -> str:
    """The text as a part of one C file, with nothing external."""
    return EXTERNAL.sub("static ", FOR_CPP.sub("", INCLUDE.sub("", text)))


def endings(language: Language, text: str) -> str:
    """The tables of a stemmer whose strings it looks for at the end of a word: its own, and one of its single strings."""
    tables = sorted(set(TABLE_AT_END.findall(text)))
    strings = sorted({(name, length) for length, name in STRING_AT_END.findall(text)})
    lines = []
    if strings:
        lines += [f"static const struct among {language.name}_single_endings[{len(strings)}] = {{"]
        lines += [f"    {{{length}, {name}, -1, 0, 0}}," for name, length in strings]
        lines += ["};", ""]
        tables.append((f"{language.name}_single_endings", str(len(strings))))
    lines += [f"static const struct amalgam_snowball_endings {language.name}_endings[] = {{"]
    lines += [f"    {{{name}, {count}}}," for name, count in tables]
    return "\n".join([*lines, "    {0, 0},", "};", ""])


def table(languages: Sequence[Language]) -> str:
    """The stemmers, by name, with the codes of their languages."""
    rows = [
        f'    {{"{it.name}", " {" ".join(it.codes)} ", {it.name}_create_env, {it.name}_close_env, {it.name}_stem, '
        f"{it.name}_endings}},"
        for it in languages
    ]
    return "\n".join([
        "static const struct amalgam_snowball_language {",
        "    const char *name;",
        "    const char *codes;",
        "    struct SN_env *(*open)(void);",
        "    void (*close)(struct SN_env *);",
        "    int (*stem)(struct SN_env *);",
        "    /* The last element has no strings. */",
        "    const struct amalgam_snowball_endings *endings;",
        "} amalgam_snowball_languages[] = {",
        *rows,
        "};",
        "",
    ])


def foot() -> str:
    names = [*MACROS, *(macro.partition("(")[0] for macro in MEMORY)]
    return "".join(f"#undef {name}\n" for name in names)


def require_sealed(text: str, pinned: Lock, workshop: Path) -> None:
    """A symbol of Snowball's that others could see would meet the one of another copy in the process."""
    terminal.step(f"Compiling {pinned.name} once, to see that it has no global symbol")
    file = workshop / NAME
    context = "#include <stdlib.h>\n#include <string.h>\ntypedef unsigned long long sqlite3_uint64;\n"
    context += "void *sqlite3_malloc64(sqlite3_uint64);\nvoid *sqlite3_realloc64(void *, sqlite3_uint64);\n"
    context += "void sqlite3_free(void *);\n#define AMALGAM_OPTIONS_SET 0\n"
    file.write_text(context + re.sub(r"AMALGAM_OPTIONS_SET != \w+", "AMALGAM_OPTIONS_SET != 0", text))
    if names := symbols.of_source(file, [], workshop):
        raise Refusal(f"{pinned.name} has global symbols.", ", ".join(names), "Look at scripts/engine/stemmers.py.")
