"""SQLite's recovery of damaged files, `ext/recover`, as one C file, which the C target compiles into SQLite's translation unit.

Only the canonical tree has the files. `recover.patch`, which is ours, repairs what hostile bytes break, and makes the code work on
connections of the caller. What is external in the files becomes static.
"""

from __future__ import annotations

import re
from pathlib import Path

from . import patch
from .refusal import Refusal

NAME, PATCH = "recover.c", "recover.patch"
PLACE = Path("ext/recover")
# In the order in which each file needs only the ones before it.
FILES = ("sqlite3recover.h", "dbdata.c", "sqlite3recover.c")
INCLUDE = re.compile(r'^#include "sqlite3(?:recover)?\.h"\n', re.MULTILINE)
FOR_CPP = re.compile(r"^#ifdef __cplusplus\n(?:extern \"C\" \{|\}[^\n]*)\n#endif\n", re.MULTILINE)
EXPORT = "#ifdef _WIN32\n__declspec(dllexport)\n#endif\n"
# Declarations and definitions of functions at the beginning of a line that aren't static.
FUNCTION = re.compile(r"^(?=(?:const char \*|int |sqlite3_recover \*)(?:sqlite3_(?:recover|dbdata)_\w+|recoverInit)\()", re.MULTILINE)


def text(tree: Path, home: Path, number: str) -> str | None:
    """The text of recover.c as a part of one C file; None for a tree without it. `number` identifies the build."""
    if not (tree / PLACE / FILES[-1]).is_file():
        return None
    content = {name: (tree / PLACE / name).read_text() for name in FILES}
    if (home / PATCH).is_file():
        content = dict(patch.apply(content, patch.parse((home / PATCH).read_text()), PATCH))
    parts = [sealed(content[name]) for name in FILES]
    if sum(len(FUNCTION.findall(part)) for part in parts) != 0 or "static int sqlite3_recover_step(" not in parts[-1]:
        raise Refusal(f"{PLACE} has other functions than expected.", next="Look at scripts/engine/recovery.py.")
    return "\n".join([
        f"/* {PLACE} of SQLite's source, without global symbols, and with recover.patch. Made by scripts/bootstrap. */",
        f"#if AMALGAM_OPTIONS_SET != {number}",
        '#error "vendor/sqlite holds files of two builds (was a run interrupted?): run scripts/bootstrap."',
        "#endif",
        "",
        *parts,
    ])


def sealed(text: str) -> str:
    """The text as a part of one C file, with nothing external."""
    return FUNCTION.sub("static ", FOR_CPP.sub("", INCLUDE.sub("", text.replace(EXPORT, ""))))
