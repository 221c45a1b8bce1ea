"""The check that no module opens a database file by its path: which functions open files, and the list of reasons."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from support import ROOT

from structure import descriptors
from structure.descriptors import ListError
from structure.index_store import Symbol
from structure.sources import File, Sources, Use

HANDLE = "s:10Foundation10FileHandleC16forReadingAtPathACSgSS_tcfc"


def use(name: str, usr: str, path: str = "AmalgamCore/A.swift") -> Use:
    return Use(File(path), 12, Symbol(usr, name))


class CallTests(unittest.TestCase):

    def test_functions_of_foundation_and_of_the_system(self) -> None:
        for name, usr in {
            "init(forReadingAtPath:)": HANDLE,
            "init(contentsOf:options:)": "s:20FoundationEssentials4DataV10contentsOf7optionsAcA3URLV_tKcfc",
            "open(_:_:_:)": "s:5Glibc4openys5Int32VSPys4Int8VG_ADs6UInt32VtF",
            "copyItem(atPath:toPath:)": "s:20FoundationEssentials11FileManagerC8copyItem",
        }.items():
            self.assertTrue(descriptors.opens(use(name, usr)), name)

    def test_own_functions_and_those_that_open_nothing(self) -> None:
        for name, usr in {
            "open(_:isReadonly:isURI:)": "s:11AmalgamCore8DatabaseC4open",
            "init(contentsOf:)": "s:15AmalgamSessions9ChangesetV",
            "moveItem(atPath:toPath:)": "s:20FoundationEssentials11FileManagerC8moveItem",
            "open": "s:11SwiftSyntax7KeywordO4openyA2CmF",
        }.items():
            self.assertFalse(descriptors.opens(use(name, usr)), name)

    def test_calls_in_c(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shims = Path(folder, "CAmalgam", "shims")
            shims.mkdir(parents=True)
            (shims / "a.h").write_text("int f(void) {\n    language->open();\n    return open(path, 0);\n}\n")
            self.assertEqual(
                list(descriptors.c_calls(Path(folder, "CAmalgam"))), [("CAmalgam/shims/a.h", 3, "open")]
            )


class ReasonTests(unittest.TestCase):
    FOUND = [("AmalgamCore/A.swift", 12, "init(forReadingAtPath:)")]

    def test_a_call_without_a_reason_is_a_problem(self) -> None:
        (problem,) = descriptors.problems_of(self.FOUND, {})
        self.assertIn("Sources/AmalgamCore/A.swift:12 opens a file by init(forReadingAtPath:)", problem)

    def test_a_reason_without_a_call_is_a_problem(self) -> None:
        reasons = descriptors.parse("AmalgamCore/A.swift | init(forReadingAtPath:) | why\nA.swift | fopen | why\n")
        (problem,) = descriptors.problems_of(self.FOUND, reasons)
        self.assertIn("lists fopen of A.swift", problem)

    def test_each_line_has_a_reason(self) -> None:
        with self.assertRaises(ListError):
            descriptors.parse("AmalgamCore/A.swift | init(forReadingAtPath:)")

    def test_the_list_of_the_package(self) -> None:
        reasons = descriptors.parse((ROOT / "scripts/checks/descriptors.allowed").read_text())
        self.assertTrue(all((ROOT / "Sources" / path).is_file() for path, _ in reasons))

    def test_calls_of_the_package_are_found(self) -> None:
        found = Sources(uses=[use("init(forReadingAtPath:)", HANDLE), use("print(_:)", "s:s5print")])
        self.assertEqual(list(descriptors.swift_calls(found)), self.FOUND)


if __name__ == "__main__":
    unittest.main()
