"""Traits that set compile options: the tables that list them, and what the generated headers make of a -D."""

from __future__ import annotations

import re
import shutil
import unittest
from pathlib import Path

from support import ROOT, EngineTest

from engine import headers, symbols, system
from engine.build import Build
from engine.choice import Choice
from engine.lock import Cipher
from engine.project import HERE

ROW = re.compile(r'^    \("(\w+)", "(SQLITE_\w+)", "(\w+)", "(.+)"\),$', re.MULTILINE)
CIPHER = Cipher("SQLCipher", "4.19.0", "pypi", ("ENABLE_UPDATE_DELETE_LIMIT",), "0" * 64)

PROGRAM = """
#define AMALGAM_COMPILES_SQLITE 1
#include "{home}/amalgam_options.h"
#include "{home}/amalgam_symbols.h"
#include "{home}/sqlite3.c"
#include "{home}/amalgam_build.h"
#include <stdio.h>
int main(void) {{ puts(AMALGAM_TRAITS); return 0; }}
"""


class TableTests(unittest.TestCase):

    def test_the_manifest_has_the_table_of_the_options(self) -> None:
        rows = ROW.findall((ROOT / "Package.swift").read_text())
        listed = [(trait.name, trait.macro, trait.value) for trait in HERE.catalogue().traits]
        self.assertEqual([row[:3] for row in rows], listed)
        self.assertEqual(len({name for name, _, _ in listed}), 8)

    def test_the_guide_has_the_table_of_the_options(self) -> None:
        page = (ROOT / "Sources/Amalgam/Amalgam.docc/YourOwnSQLite.md").read_text()
        rows = re.findall(r"^\| `(\w+)` \| `(SQLITE_\w+)=(\w+)` \| ", page, re.MULTILINE)
        listed = [(trait.name, trait.macro, trait.value) for trait in HERE.catalogue().traits]
        self.assertEqual(sorted(rows), sorted(listed))

    def test_an_option_with_a_trait_needs_only_a_macro(self) -> None:
        for option in HERE.catalogue().options.values():
            if option.trait:
                self.assertEqual((option.kind, option.needs), ("off", ()), option.name)
                self.assertNotEqual(option.trait.value, option.value, option.name)


class HeaderTests(EngineTest):

    def traits(self, *definitions: str) -> list[str]:
        """The traits that a program with these definitions names."""
        source = self.folder / "program.c"
        source.write_text(PROGRAM.format(home=self.project.home))
        program = source.with_suffix("")
        system.checked([system.compiler(), "-w", *(f"-D{it}" for it in definitions), source, "-o", program])
        return system.checked([program]).split()

    def test_a_library_names_its_traits(self) -> None:
        self.built()
        self.assertEqual(self.traits(), [])
        self.assertEqual(self.traits("SQLITE_ENABLE_RBU=1"), ["RBU"])
        self.assertEqual(self.traits("SQLITE_MAX_ATTACHED=125", "SQLITE_ENABLE_RBU=1"), ["MaxAttached", "RBU"])

    def test_an_option_of_the_build_is_not_a_trait(self) -> None:
        self.built("--with", "MAX_ATTACHED=125")
        self.assertEqual(self.traits(), [])

    def test_the_seal_covers_what_a_trait_adds(self) -> None:
        self.built()
        self.traits("SQLITE_ENABLE_RBU=1")
        names = symbols.of_object(self.folder / "program")
        self.assertIn("amalgam_sqlite3rbu_open", names)
        self.assertEqual(symbols.unsealed(names), [])

    def test_the_record_names_the_possible_traits(self) -> None:
        self.built()
        self.assertEqual(self.record()["traits"], ["MaxAttached", "RBU"])
        self.built("--with", "MAX_ATTACHED=125")
        self.assertEqual(self.record()["traits"], ["MaxAttached", "RBU"])
        self.built("--with", "MAX_ATTACHED=20")
        self.assertEqual(self.record()["traits"], ["RBU"])
        self.assertIn("traits       RBU", self.bootstrap("--check").output)

    def test_a_trait_and_a_build_with_another_value_do_not_compile(self) -> None:
        self.built("--with", "MAX_ATTACHED=20")
        self.assert_refuses(
            "The trait MaxAttached sets SQLITE_MAX_ATTACHED=125, and this SQLite was built with SQLITE_MAX_ATTACHED=20",
            lambda: self.traits("SQLITE_MAX_ATTACHED=125"),
        )

    def test_another_value_of_an_option_of_the_build_does_not_compile(self) -> None:
        self.built()
        self.assert_refuses(
            "A -D sets SQLITE_DQS, and this SQLite was built with SQLITE_DQS=0: leave the -D out",
            lambda: self.traits("SQLITE_DQS=3"),
        )

    def test_a_required_option_can_not_be_changed(self) -> None:
        self.built()
        self.assert_refuses(
            "A -D can't change SQLITE_ENABLE_FTS5=1: Amalgam needs it for FTS5.",
            lambda: self.traits("SQLITE_ENABLE_FTS5=0"),
        )

    def test_a_refused_option_can_not_be_turned_on(self) -> None:
        self.built()
        self.assert_refuses(
            "A -D can't turn on SQLITE_OMIT_AUTHORIZATION: Amalgam would lose DatabaseRegion",
            lambda: self.traits("SQLITE_OMIT_AUTHORIZATION"),
        )

    def test_a_codec_by_itself_hints_at_the_trait(self) -> None:
        self.refuses_options("encryption is a trait of the package", "SQLITE_HAS_CODEC=1")

    def test_encryption_needs_temporary_tables_in_memory(self) -> None:
        self.refuses_options("The trait Encryption needs SQLITE_TEMP_STORE=3", "AMALGAM_CIPHER", "SQLITE_TEMP_STORE=2")
        self.compile_options(CIPHER, "AMALGAM_CIPHER", "SQLITE_TEMP_STORE=3")
        self.compile_options(CIPHER, "SQLITE_TEMP_STORE=2")
        built = {"SQLITE_TEMP_STORE": "2"}
        header = headers.options(HERE.catalogue(), built, CIPHER, "0" * 7)
        self.assertIn("SQLITE_TEMP_STORE=3, and this SQLite was built with SQLITE_TEMP_STORE=2: choose one", header)

    def test_options_that_encryption_excludes_leave_out_the_codec(self) -> None:
        for name in ("sqlite.lock", "options"):
            shutil.copy(HERE.home / name, self.project.home / name)
        self.assertIn("Encryption", Build(self.project, Choice()).traits)
        self.assertIn("Encryption", Build(self.project, Choice({"TEMP_STORE": "3"})).traits)
        build = Build(self.project, Choice({"TEMP_STORE": "2"}))
        self.assertIsNone(build.cipher)
        self.assertFalse({"Encryption", "TempStoreInMemory"} & set(build.traits))

    def test_encryption_needs_the_codec(self) -> None:
        self.assert_refuses("without --cipher none", lambda: self.compile_options(None, "AMALGAM_CIPHER"))

    def refuses_options(self, words: str, *definitions: str) -> None:
        self.assert_refuses(words, lambda: self.compile_options(CIPHER, *definitions))

    def compile_options(self, cipher: Cipher | None, *definitions: str) -> None:
        """Compiles nothing but the options of a build with the real catalogue."""
        source: Path = self.folder / "options.c"
        source.write_text(headers.options(HERE.catalogue(), {"SQLITE_DQS": "0"}, cipher, "0" * 7))
        system.checked([system.compiler(), "-fsyntax-only", *(f"-D{it}" for it in definitions), source])


if __name__ == "__main__":
    unittest.main()
