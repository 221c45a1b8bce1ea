"""SQLite's decimal numbers, `ext/misc/decimal.c`, which the C target compiles into SQLite's translation unit.

Only the canonical tree has the file. Its only global symbol, the entry point of a loadable extension, becomes static.
"""

from __future__ import annotations

from pathlib import Path

from .refusal import Refusal

NAME = "decimal.c"
PLACE = Path("ext/misc") / NAME
ENTRY = "int sqlite3_decimal_init("
EXPORT = "#ifdef _WIN32\n__declspec(dllexport)\n#endif\n"


def text(tree: Path, number: str) -> str | None:
    """The text of decimal.c as a part of one C file; None for a tree without it. `number` identifies the build."""
    source = tree / PLACE
    if not source.is_file():
        return None
    original = source.read_text()
    if original.count(EXPORT + ENTRY) != 1:
        raise Refusal(f"{PLACE} has no function sqlite3_decimal_init.", next="Look at scripts/engine/decimals.py.")
    return "\n".join([
        f"/* {PLACE} of SQLite's source, without global symbols. Made by scripts/bootstrap. */",
        f"#if AMALGAM_OPTIONS_SET != {number}",
        '#error "vendor/sqlite holds files of two builds (was a run interrupted?): run scripts/bootstrap."',
        "#endif",
        "",
        original.replace(EXPORT + ENTRY, "static " + ENTRY),
    ])
