"""The real origins: the default options build from each of them. Needs a network, so it runs only with AMALGAM_LIVE=1."""

from __future__ import annotations

import os
import shutil
import unittest

from support import EngineTest

from engine import choice, symbols, system
from engine.project import HERE

PROGRAM = """
#include "vendor/sqlite/amalgam_options.h"
#include "vendor/sqlite/amalgam_platform.h"
#include "vendor/sqlite/amalgam_symbols.h"
#include "vendor/sqlite/sqlite3.c"
#include "vendor/sqlite/amalgam_build.h"
#include <stdio.h>
int main(void) { puts(sqlite3_libversion()); return 0; }
"""


@unittest.skipUnless("AMALGAM_LIVE" in os.environ, "needs a network: set AMALGAM_LIVE=1")
class LiveTests(EngineTest):

    def test_the_default_options_build_from_debian(self) -> None:
        self.build_from("debian")
        self.assertTrue(self.record()["is_canonical"])

    def test_the_default_options_build_from_pypi(self) -> None:
        self.build_from("pypi")
        self.assertFalse(self.record()["is_canonical"])

    def build_from(self, origin: str) -> None:
        for name in ("sqlite.lock", "options"):
            shutil.copy(HERE.home / name, self.project.home / name)
        run = self.bootstrap("--origin", origin)
        self.assertEqual(run.code, 0, run.errors)
        (self.project.root / "main.c").write_text(PROGRAM)
        system.checked([system.compiler(), "-w", "main.c", "-lm", "-o", "main"], self.project.root)
        self.assertEqual(system.checked(["./main"], self.project.root).strip(), self.lock.version)
        self.assertEqual(symbols.unsealed(symbols.of_object(self.project.root / "main")), [])
        self.assertEqual(self.record()["options"], choice.resolve(choice.DEFAULT, self.project.catalogue()).macros)


if __name__ == "__main__":
    unittest.main()
