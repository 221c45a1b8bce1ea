"""The check of the folders of each module: its edges, its circles, and the list of those that are allowed."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from support import ROOT

from structure import allowed, folders, graph, sources
from structure.graph import Graph, UsedSymbol
from structure.index_store import IndexStoreError, Symbol, Unit
from structure.sources import Definition, File, Sources, Use


def graph_of(*edges: str) -> Graph:
    """A graph of edges that are written "AB", by one symbol each; an edge that is written twice has two symbols."""
    found = Graph(set("".join(edges)))
    for number, (user, used) in enumerate(edges):
        use = Use(File(f"M/{user}/{user}.swift"), 10 + number, Symbol(f"s:{number}", f"symbol{number}"))
        found.add(user, used, UsedSymbol(f"symbol{number}", f"{used}.swift", number), use)
    return found


def circles_of(*edges: str) -> list[str]:
    return ["".join(sorted(circle)) for circle in graph_of(*edges).circles()]


class CircleTests(unittest.TestCase):

    def test_a_graph_without_a_way_back_has_none(self) -> None:
        self.assertEqual(circles_of("AB", "BC", "AC", "DC"), [])

    def test_two_folders_that_use_each_other(self) -> None:
        self.assertEqual(circles_of("AB", "BA", "BC"), ["AB"])

    def test_a_circle_may_lead_through_others(self) -> None:
        self.assertEqual(circles_of("AB", "BC", "CA", "CD", "EA"), ["ABC"])

    def test_circles_that_share_a_folder_are_one(self) -> None:
        self.assertEqual(circles_of("AB", "BA", "BC", "CB"), ["ABC"])

    def test_separate_circles_are_listed_largest_first(self) -> None:
        self.assertEqual(circles_of("AB", "BA", "BC", "CD", "DE", "EC"), ["CDE", "AB"])


class EdgeTests(unittest.TestCase):

    def setUp(self) -> None:
        self.sources = Sources()
        self.define("s:db", "Core/Database/Database.swift")
        self.define("s:ext", "Core/Rows/Database+Rows.swift")
        self.define("s:top", "Core/Top.swift")

    def define(self, usr: str, path: str) -> None:
        self.sources.files.add(File(path))
        self.sources.definitions[usr] = Definition(File(path), 1)

    def use(self, path: str, usr: str) -> None:
        self.sources.files.add(File(path))
        self.sources.uses.append(Use(File(path), 7, Symbol(usr, usr)))

    def edges(self) -> set[tuple[str, str]]:
        return set(graph.graphs(self.sources)["Core"].edges)

    def test_a_member_of_an_extension_is_defined_where_it_is_written(self) -> None:
        self.use("Core/WAL/Checkpoint.swift", "s:ext")
        self.assertEqual(self.edges(), {("WAL", "Rows")})

    def test_folders_in_a_folder_belong_to_it_and_files_of_the_module_to_a_folder_of_their_own(self) -> None:
        self.use("Core/WAL/Deep/Checkpoint.swift", "s:top")
        self.use("Core/Top.swift", "s:db")
        self.assertEqual(self.edges(), {("WAL", "."), (".", "Database")})

    def test_uses_in_the_same_folder_or_another_module_make_no_edge(self) -> None:
        self.use("Core/Database/Queue.swift", "s:db")
        self.use("Query/Requests/Request.swift", "s:db")
        self.use("Core/Database/Queue.swift", "s:of the standard library")
        self.assertEqual(self.edges(), set())


class ListTests(unittest.TestCase):

    def test_each_line_has_a_module_folders_and_a_reason(self) -> None:
        self.assertEqual(
            allowed.parse("# A comment.\n\nCore | B A | they are one\n"), {("Core", frozenset("AB")): "they are one"}
        )

    def test_a_line_without_a_reason_is_refused(self) -> None:
        for line in ("Core | A B", "Core | A B |", "Core | | why"):
            with self.assertRaisesRegex(allowed.ListError, "line 2"):
                allowed.parse(f"# A comment.\n{line}\n")

    def test_a_circle_that_is_listed_twice_is_refused(self) -> None:
        with self.assertRaisesRegex(allowed.ListError, "line 2 of the list repeats"):
            allowed.parse("Core | A B | one\nCore | B A | two\n")

    def problems(self, list_of_circles: str, *edges: str) -> list[str]:
        return list(allowed.problems({"Core": graph_of(*edges).circles()}, allowed.parse(list_of_circles)))

    def test_a_listed_circle_is_allowed(self) -> None:
        self.assertEqual(self.problems("Core | A B | why", "AB", "BA"), [])

    def test_a_new_circle_is_a_problem(self) -> None:
        self.assertEqual(self.problems("", "AB", "BA"), ["Core: A B is a circle without a reason"])

    def test_a_circle_that_was_opened_leaves_the_list(self) -> None:
        self.assertEqual(self.problems("Core | A B | why", "AB"), ["Core: A B is listed, but isn't a circle"])

    def test_a_circle_that_grew_needs_a_new_reason(self) -> None:
        self.assertEqual(len(self.problems("Core | A B | why", "AB", "BC", "CA")), 2)

    def test_the_list_of_the_package_names_folders_that_exist(self) -> None:
        for module, circle in allowed.parse(folders.ALLOWED.read_text()):
            for folder in circle:
                self.assertTrue((ROOT / "Sources" / module / folder).is_dir(), f"{module}/{folder}")


class TwoWayTests(unittest.TestCase):

    def test_the_direction_of_fewer_symbols_is_first(self) -> None:
        self.assertEqual(graph_of("AB", "AB", "BA", "AC").two_way_pairs(), [("B", "A")])

    def test_at_most_three_symbols_are_named(self) -> None:
        lines = list(folders.two_way_lines({"M": graph_of("AB", "BA", "BA", "BA", "BA")}))
        self.assertEqual(lines, ["M: A → B by 1: symbol0 (B.swift:0)", "   B → A by 4"])

    def test_the_symbols_of_an_edge_with_the_lines_that_use_them(self) -> None:
        edge = folders.edge({"M": graph_of("AB", "AB")}, "M", "A", "B")
        self.assertEqual(
            list(folders.edge_lines(edge)), ["symbol0 (B.swift:0): A.swift:10", "symbol1 (B.swift:1): A.swift:11"]
        )

    def test_a_name_that_does_not_exist_is_refused(self) -> None:
        for names, words in ((("N", "A", "B"), "no module N"), (("M", "A", "X"), "M has no folder X")):
            with self.assertRaisesRegex(folders.UnknownName, words):
                folders.edge({"M": graph_of("AB")}, *names)


class UnitTests(unittest.TestCase):
    """Which units of a store are read."""

    FILES = {File("Core/A.swift"), File("Core/B.swift")}

    def newest(self, *units: Unit) -> dict[str, int]:
        return {file.path: unit.nanoseconds for file, unit in sources.newest_units(units, self.FILES).items()}

    def test_the_newest_unit_of_a_file_counts(self) -> None:
        old, new = (Unit("/package/Sources/Core/A.swift", "Core", time, ()) for time in (1, 2))
        self.assertEqual(self.newest(old, new), {"Core/A.swift": 2})
        self.assertEqual(self.newest(new, old), {"Core/A.swift": 2})

    def test_units_of_removed_files_and_other_modules_do_not_count(self) -> None:
        removed = Unit("/package/Sources/Core/Removed.swift", "Core", 1, ())
        foreign = Unit("/package/.build/checkouts/Other/Sources/Core/A.swift", "Other", 1, ())
        self.assertEqual(self.newest(removed, foreign), {})

    def test_without_a_store_a_build_is_asked_for(self) -> None:
        with self.assertRaisesRegex(IndexStoreError, "no index store at .*Build first: swift build --build-tests"):
            sources.read(Path(tempfile.gettempdir()) / "no such store")

    def test_a_file_that_is_missing_in_the_store_or_newer_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "Sources" / "Core" / "A.swift"
            file.parent.mkdir(parents=True)
            file.touch()
            os.utime(file, ns=(100, 100))
            for time, words in ((None, "lacks Sources/Core/A.swift"), (99, "is older than Sources/Core/A.swift")):
                units = {} if time is None else {File("Core/A.swift"): Unit("", "Core", time, ())}
                with self.assertRaisesRegex(IndexStoreError, words):
                    sources.check_currency(units, {File("Core/A.swift")}, Path(folder))
            sources.check_currency(
                {File("Core/A.swift"): Unit("", "Core", 100, ())}, {File("Core/A.swift")}, Path(folder)
            )


if __name__ == "__main__":
    unittest.main()
