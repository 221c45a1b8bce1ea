"""SQLite's recovery of damaged files: a part of a build from the canonical tree, and absent from one without it."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from support import EngineTest

from engine import recovery
from engine.refusal import Refusal

SOURCES = {
    "sqlite3recover.h": """#include "sqlite3.h"
#ifdef __cplusplus
extern "C" {
#endif
int sqlite3_recover_step(sqlite3_recover*);
#ifdef __cplusplus
}  /* end of the 'extern "C"' block */
#endif
""",
    "dbdata.c": """#ifdef _WIN32
__declspec(dllexport)
#endif
int sqlite3_dbdata_init(
  sqlite3 *db
){
  return 0;
}
""",
    "sqlite3recover.c": """#include "sqlite3recover.h"
#include <string.h>
int sqlite3_recover_step(sqlite3_recover *p){
  return 1;
}
const char *sqlite3_recover_errmsg(sqlite3_recover *p){
  return 0;
}
""",
}
PATCH = """One. It returns 2.

--- a/sqlite3recover.c
+++ b/sqlite3recover.c
@@ -3,3 +3,3 @@
 int sqlite3_recover_step(sqlite3_recover *p){
-  return 1;
+  return 2;
 }
"""


class TextTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree, self.home = Path(folder.name) / "tree", Path(folder.name) / "home"
        self.home.mkdir()

    def write(self, sources: dict[str, str]) -> None:
        (self.tree / recovery.PLACE).mkdir(parents=True)
        for name, text in sources.items():
            (self.tree / recovery.PLACE / name).write_text(text)

    def text(self) -> str | None:
        return recovery.text(self.tree, self.home, "0x1234567")

    def test_all_functions_become_static(self) -> None:
        self.write(SOURCES)
        text = self.text() or ""
        self.assertIn("\nstatic int sqlite3_recover_step(sqlite3_recover*);\n", text)
        self.assertIn("\nstatic int sqlite3_dbdata_init(\n", text)
        self.assertIn("\nstatic const char *sqlite3_recover_errmsg(", text)
        self.assertNotIn("dllexport", text)
        self.assertNotIn('extern "C"', text)
        self.assertNotIn('#include "', text)
        self.assertIn("#if AMALGAM_OPTIONS_SET != 0x1234567\n", text)

    def test_the_patch_is_applied(self) -> None:
        self.write(SOURCES)
        (self.home / recovery.PATCH).write_text(PATCH)
        self.assertIn("return 2;", self.text() or "")

    def test_a_tree_without_the_files_has_no_recovery(self) -> None:
        self.assertIsNone(self.text())

    def test_other_files_are_refused(self) -> None:
        self.write({**SOURCES, "sqlite3recover.c": "int other(void);\n"})
        with self.assertRaises(Refusal):
            self.text()


class BuildTest(EngineTest):
    def test_a_build_tells_whether_it_has_the_recovery(self) -> None:
        self.built("--offline")
        self.assertFalse((self.project.home / recovery.NAME).exists())
        self.assertIn("#define AMALGAM_RECOVERY 0", self.header("amalgam_build.h"))


if __name__ == "__main__":
    unittest.main()
