"""The check of the modules that call C functions: names of functions, their owners, and calls from other modules."""

from __future__ import annotations

import unittest

from structure import c_functions
from structure.c_functions import ANY_MODULE, CORE
from structure.index_store import Symbol
from structure.sources import File, Sources, Use

SPLIT = {CORE, "AmalgamSessions", "AmalgamVirtualTables", "AmalgamFullText"}


def use(usr: str, path: str) -> Use:
    return Use(File(path), 12, Symbol(usr, usr))


class NameTests(unittest.TestCase):

    def test_functions_and_members_of_the_structures_of_fts5(self) -> None:
        self.assertEqual(c_functions.function_name("c:@F@sqlite3_step"), "sqlite3_step")
        self.assertEqual(c_functions.function_name("c:amalgam_shims.h@F@amalgam_inline"), "amalgam_inline")
        self.assertEqual(c_functions.function_name("c:@S@fts5_api@FI@xCreateFunction"), "fts5_api.xCreateFunction")

    def test_other_symbols_are_no_functions(self) -> None:
        structures = ("c:@S@sqlite3_module@FI@xCreate", "c:@S@fts5_api@FI@iVersion")
        for usr in ("s:11AmalgamCore8DatabaseC", "c:@M@CAmalgam", *structures):
            self.assertEqual(c_functions.function_name(usr), "")


class OwnerTests(unittest.TestCase):

    def test_the_longest_prefix_decides(self) -> None:
        for function, owner in {
            "sqlite3_step": CORE,
            "amalgam_prepare": CORE,
            "sqlite3_vtab_config": "AmalgamVirtualTables",
            "sqlite3session_attach": "AmalgamSessions",
            "amalgam_session_create": "AmalgamSessions",
            "Fts5ExtensionApi.xRowid": "AmalgamFullText",
            "sqlite3_malloc64": ANY_MODULE,
        }.items():
            self.assertEqual(c_functions.owner_of(function, SPLIT), owner)

    def test_an_owner_that_does_not_import_c_leaves_its_functions_to_the_core(self) -> None:
        self.assertEqual(c_functions.owner_of("sqlite3session_attach", {CORE, "AmalgamFullText"}), CORE)
        self.assertEqual(c_functions.owner_of("sqlite3_malloc64", {CORE}), ANY_MODULE)

    def test_each_prefix_has_one_owner(self) -> None:
        prefixes = [prefix for prefixes in c_functions.OWNERS.values() for prefix in prefixes]
        self.assertEqual(len(prefixes), len(set(prefixes)))


class CallTests(unittest.TestCase):

    def misplaced(self, *uses: Use, importers: set[str] = SPLIT) -> list[str]:
        return list(c_functions.misplaced_calls(c_functions.calls_of_c(Sources(uses=list(uses))), importers))

    def test_a_call_from_another_module_is_a_problem(self) -> None:
        self.assertEqual(
            self.misplaced(use("c:@F@sqlite3session_attach", "AmalgamCore/Database/Database.swift")),
            ["Sources/AmalgamCore/Database/Database.swift:12 calls sqlite3session_attach: only AmalgamSessions does."],
        )
        self.assertEqual(len(self.misplaced(use("c:@F@sqlite3_step", "AmalgamSessions/Session.swift"))), 1)

    def test_calls_of_owners_are_not(self) -> None:
        session = use("c:@F@sqlite3session_attach", "AmalgamSessions/Session.swift")
        step = use("c:@F@sqlite3_step", "AmalgamCore/Statements/Statement.swift")
        self.assertEqual(self.misplaced(session, step), [])
        self.assertEqual(len(self.misplaced(session, importers={CORE})), 1)

    def test_memory_and_the_c_library_are_for_all(self) -> None:
        free, copy = use("c:@F@sqlite3_free", "AmalgamSessions/A.swift"), use("c:@F@memcpy", "AmalgamJSON/B.swift")
        self.assertEqual(self.misplaced(free, copy), [])

    def test_a_module_imports_c_when_a_file_does(self) -> None:
        found = Sources(uses=[use("c:@M@CAmalgam", "AmalgamCore/A.swift"), use("c:@F@memcpy", "AmalgamJSON/B.swift")])
        self.assertEqual(c_functions.importers(found), {CORE})

    def test_a_prefix_without_calls_is_a_problem(self) -> None:
        calls = c_functions.calls_of_c(Sources(uses=[use("c:@F@sqlite3_free", "AmalgamCore/A.swift")]))
        idle = list(c_functions.idle_prefixes(calls))
        self.assertIn("the table has sqlite3session_ for AmalgamSessions, but no file calls such a function.", idle)
        self.assertFalse([line for line in idle if "sqlite3_free" in line])


if __name__ == "__main__":
    unittest.main()
