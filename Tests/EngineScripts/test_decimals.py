"""SQLite's decimal numbers: a part of a build from the canonical tree, and absent from one without it."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from support import EngineTest

from engine import decimals
from engine.refusal import Refusal

SOURCE = """#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1
#ifdef _WIN32
__declspec(dllexport)
#endif
int sqlite3_decimal_init(
  sqlite3 *db
){
  return 0;
}
"""


class TextTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)

    def write(self, text: str) -> None:
        (self.tree / "ext/misc").mkdir(parents=True)
        (self.tree / decimals.PLACE).write_text(text)

    def test_the_entry_point_becomes_static(self) -> None:
        self.write(SOURCE)
        text = decimals.text(self.tree, "0x1234567") or ""
        self.assertIn("\nstatic int sqlite3_decimal_init(\n", text)
        self.assertNotIn("dllexport", text)
        self.assertIn("#if AMALGAM_OPTIONS_SET != 0x1234567\n", text)

    def test_a_tree_without_the_file_has_no_decimals(self) -> None:
        self.assertIsNone(decimals.text(self.tree, "0x0"))

    def test_another_file_is_refused(self) -> None:
        self.write("int other(void);\n")
        with self.assertRaises(Refusal):
            decimals.text(self.tree, "0x0")


class BuildTest(EngineTest):
    def test_a_build_tells_whether_it_has_decimals(self) -> None:
        self.built("--offline")
        self.assertFalse((self.project.home / decimals.NAME).exists())
        self.assertIn("#define AMALGAM_DECIMALS 0", self.header("amalgam_build.h"))


if __name__ == "__main__":
    unittest.main()
