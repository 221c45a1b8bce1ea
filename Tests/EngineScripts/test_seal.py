"""The seal on an object file: which symbols pass, and which break it."""

from __future__ import annotations

import shutil
import unittest
from pathlib import Path

from support import EngineTest, Run

from engine import seal, system


class SealTests(EngineTest):

    def compiled(self, source: str, name: str = "CAmalgam.build/amalgamation.c.o") -> Path:
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        file = self.folder / "unit.c"
        file.write_text(source)
        system.checked([system.compiler(), "-c", file, "-o", target])
        return target

    def seal(self, path: Path) -> Run:
        return self.captured(lambda: seal.main([str(path)]))

    def test_a_sealed_object_passes(self) -> None:
        run = self.seal(
            self.compiled(
                "int amalgam_sqlite3_open; static int sqlite3_private; int __compiler; int *amalgam_p = &sqlite3_private;"
            )
        )
        self.assertEqual(run.code, 0, run.errors)
        self.assertIn("sealed, 2 symbols", run.output)

    def test_a_symbol_of_sqlite_breaks_it(self) -> None:
        self.refused(
            self.seal(self.compiled("int amalgam_sqlite3_open; int sqlite3_close;")), "broken", "sqlite3_close"
        )

    def test_any_other_symbol_breaks_it(self) -> None:
        self.refused(self.seal(self.compiled("int amalgam_sqlite3_open; int helper;")), "broken", "helper")

    def test_a_call_into_another_library_does_not(self) -> None:
        self.assertEqual(
            self.seal(self.compiled("int sqlite3_close(void); int amalgam_f(void) { return sqlite3_close(); }")).code, 0
        )

    def test_a_program_may_have_symbols_of_its_own(self) -> None:
        source = "int amalgam_sqlite3_open; int main(void) { return 0; }"
        (self.folder / "main.c").write_text(source)
        system.checked([system.compiler(), self.folder / "main.c", "-o", self.folder / "program"])
        self.assertEqual(self.seal(self.folder / "program").code, 0)

    def test_an_object_without_our_symbols_is_refused(self) -> None:
        self.refused(self.seal(self.compiled("static int nothing;")), "holds no symbol")

    def test_the_objects_are_found_in_a_build_folder(self) -> None:
        self.compiled("int amalgam_sqlite3_open;", "build/x86/debug/CAmalgam.build/amalgamation.c.o")
        self.assertEqual(self.seal(self.folder / "build").code, 0)

    def test_a_folder_without_objects_is_refused(self) -> None:
        self.refused(self.seal(self.folder), "no object file of CAmalgam")


AMALGAMATION = """
#define AMALGAM_COMPILES_SQLITE 1
#include "../../vendor/sqlite/amalgam_options.h"
#include "../../vendor/sqlite/amalgam_symbols.h"
#include "../../vendor/sqlite/sqlite3.c"
"""


class CompilerTests(EngineTest):

    def compilers(self, shim: str = "") -> Run:
        source = self.project.root / "Sources/CAmalgam/amalgamation.c"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(AMALGAMATION + shim)
        return self.captured(lambda: seal.main(["--compilers"], self.project))

    def test_every_compiler_and_combination_is_checked(self) -> None:
        self.built()
        run = self.compilers()
        self.assertEqual(run.code, 0, run.errors)
        found = [name for name in seal.COMPILERS if shutil.which(name)]
        checked = [line.partition(": ")[0] for line in run.output.splitlines()]
        self.assertEqual(checked, [f"{name}, {traits}" for name in found for traits in ("no traits", "all traits")])
        self.assertIn("no traits: sealed, 2 symbols", run.output)
        self.assertIn("all traits: sealed, 3 symbols", run.output)

    def test_a_symbol_that_only_a_trait_adds_breaks_it(self) -> None:
        self.built()
        self.refused(self.compilers("#ifdef SQLITE_ENABLE_RBU\nint sqlite3_leak;\n#endif\n"), "broken", "sqlite3_leak")

    def test_a_build_that_is_not_up_to_date_is_refused(self) -> None:
        self.refused(self.compilers(), "not built", "Run: scripts/bootstrap")


if __name__ == "__main__":
    unittest.main()
