"""Which options may be chosen, how their names may be written, and how each refusal reads."""

from __future__ import annotations

import unittest

from support import EngineTest

from engine import amalgamation, catalogue, choice
from engine.choice import Choice
from engine.project import HERE


class NameTests(EngineTest):

    def test_prefixes_and_case_do_not_matter(self) -> None:
        for written in ("MAX_ATTACHED=125", "SQLITE_MAX_ATTACHED=125", "-DSQLITE_MAX_ATTACHED=125", "max_attached=125"):
            self.assertEqual(choice.parse_name(written), ("MAX_ATTACHED", "125"))

    def test_a_name_without_a_value(self) -> None:
        self.assertEqual(choice.parse_name("-DSQLITE_SOUNDEX"), ("SOUNDEX", ""))

    def test_what_is_not_a_name_is_refused(self) -> None:
        for written in ("", "=3", "ENABLE ICU", "9LIVES", "SOUNDEX=$(rm)", "SOUNDEX=`x`", "SOUNDEX=a'b"):
            self.assert_refuses("is not the name of a compile option", lambda: choice.parse_name(written))


class ChoiceTests(EngineTest):

    def chosen(self, *added: str, without: tuple[str, ...] = ()) -> Choice:
        return choice.from_arguments(added, without, self.project.catalogue())

    def resolved(self, *added: str, without: tuple[str, ...] = ()) -> choice.Resolved:
        return choice.resolve(self.chosen(*added, without=without), self.project.catalogue())

    def test_the_default_options(self) -> None:
        self.assertEqual(
            self.resolved().macros,
            {
                "SQLITE_DQS": "0",
                "SQLITE_ENABLE_FTS5": "1",
                "SQLITE_ENABLE_GEOPOLY": "1",
                "SQLITE_ENABLE_RTREE": "1",
            },
        )

    def test_differences_from_the_default_options(self) -> None:
        macros = self.resolved("MAX_ATTACHED=125", "DQS=3", without=("ENABLE_GEOPOLY",)).macros
        self.assertEqual(macros["SQLITE_MAX_ATTACHED"], "125")
        self.assertEqual(macros["SQLITE_DQS"], "3")
        self.assertNotIn("SQLITE_ENABLE_GEOPOLY", macros)

    def test_what_changes_nothing_is_the_default_choice(self) -> None:
        self.assertTrue(self.chosen("ENABLE_RTREE", "DQS=0", without=("MAX_ATTACHED",)).is_default)

    def test_a_required_option_can_not_be_turned_off(self) -> None:
        self.assert_refuses("Amalgam needs it for FTS5", lambda: self.resolved(without=("ENABLE_FTS5",)))

    def test_a_required_option_can_not_change_its_value(self) -> None:
        self.assert_refuses("ENABLE_FTS5 can't be changed", lambda: self.resolved("ENABLE_FTS5=2"))

    def test_an_option_that_breaks_swift_is_refused_with_the_feature(self) -> None:
        self.assert_refuses("Amalgam would lose DatabaseRegion", lambda: self.resolved("OMIT_AUTHORIZATION"))

    def test_a_missing_partner_is_named(self) -> None:
        self.assert_refuses("ENABLE_GEOPOLY needs ENABLE_RTREE", lambda: self.resolved(without=("ENABLE_RTREE",)))
        self.assertNotIn("SQLITE_ENABLE_RTREE", self.resolved(without=("ENABLE_RTREE", "ENABLE_GEOPOLY")).macros)

    def test_rivals_exclude_each_other(self) -> None:
        self.assert_refuses("exclude each other", lambda: self.resolved("RTREE_INT_ONLY"))
        self.assertIn("SQLITE_RTREE_INT_ONLY", self.resolved("RTREE_INT_ONLY", without=("ENABLE_GEOPOLY",)).macros)

    def test_a_forgotten_value_is_asked_for(self) -> None:
        self.assert_refuses("Write --with MAX_ATTACHED=…", lambda: self.resolved("MAX_ATTACHED"))

    def test_a_switch_is_not_turned_off_by_zero(self) -> None:
        self.assert_refuses("Write --without ENABLE_RTREE", lambda: self.resolved("ENABLE_RTREE=0"))

    def test_with_and_without_the_same_option_is_refused(self) -> None:
        self.assert_refuses("both --with and --without", lambda: self.chosen("SOUNDEX", without=("SOUNDEX",)))

    def test_turning_off_what_nobody_knows_is_refused_with_a_suggestion(self) -> None:
        self.assert_refuses("Did you mean ENABLE_RTREE", lambda: self.chosen(without=("ENABLE_RTRE",)))

    def test_options_that_need_the_tree(self) -> None:
        self.assertEqual(self.resolved("ENABLE_UPDATE_DELETE_LIMIT").needing_tree, ["ENABLE_UPDATE_DELETE_LIMIT"])
        self.assertEqual(self.resolved("OMIT_QUICKBALANCE").needing_tree, ["OMIT_QUICKBALANCE"])
        self.assertEqual(self.resolved("SOUNDEX").needing_tree, [])

    def test_an_option_brings_its_libraries(self) -> None:
        self.assertEqual(self.resolved("ENABLE_ICU").links, ["nowhere"])

    def test_a_choice_survives_its_file(self) -> None:
        chosen = self.chosen("MAX_ATTACHED=125", "SOUNDEX", without=("ENABLE_GEOPOLY",))
        file = self.folder / "choice"
        file.write_text(choice.written(chosen))
        self.assertEqual(choice.read(file), chosen)
        self.assertTrue(choice.read(self.folder / "none").is_default)


class SourceNameTests(EngineTest):

    def known(self) -> dict[str, str]:
        return amalgamation.known_options(self.tree)

    def test_names_and_values_come_from_the_source(self) -> None:
        self.assertEqual(self.known()["MAX_ATTACHED"], "10")
        self.assertEqual(self.known()["SOUNDEX"], "")

    def test_an_unknown_name_is_refused_with_the_nearest(self) -> None:
        self.refused(
            self.bootstrap("--origin", self.tree, "--with", "SOUNDEXX"),
            "SOUNDEXX is not a compile option of this SQLite",
            "Did you mean SOUNDEX?",
        )

    def test_an_unlisted_name_that_the_source_knows_is_accepted(self) -> None:
        self.built("--with", "SOUNDEX")
        self.assertIn("#define SQLITE_SOUNDEX 1", self.header("amalgam_options.h"))


class RealCatalogueTests(unittest.TestCase):
    """The catalogue in the repository itself."""

    def setUp(self) -> None:
        self.text = (HERE.home / "options").read_text()
        self.catalogue = catalogue.parse(self.text)

    def test_it_is_sorted_and_without_duplicates(self) -> None:
        lines = [line for line in catalogue.table_lines(self.text) if not line.startswith("library ")]
        names = [line.split("|")[0].strip().partition("=")[0] for line in lines]
        self.assertEqual(names, sorted(set(names)))

    def test_every_option_has_a_reason_and_what_swift_needs_has_its_feature(self) -> None:
        for option in self.catalogue.options.values():
            self.assertTrue(option.reason, option.name)
            if option.kind in (catalogue.REQUIRED, catalogue.REFUSED):
                self.assertTrue(option.feature, option.name)

    def test_every_need_is_known(self) -> None:
        for option in self.catalogue.options.values():
            for name in [*option.partners, *option.needed("not")]:
                self.assertIn(name, self.catalogue.options, option.name)
            for name in option.needed("library"):
                self.assertIn(name, self.catalogue.libraries)

    def test_the_default_options_build_from_either_origin(self) -> None:
        resolved = choice.resolve(choice.DEFAULT, self.catalogue)
        self.assertEqual((resolved.needing_tree, resolved.links), ([], []))

    @unittest.skipUnless((HERE.home / "sqlite3.c").is_file(), "SQLite is not built")
    def test_every_name_is_one_that_sqlite_asks_for(self) -> None:
        known = amalgamation.known_options(HERE.home)
        own = {option.name for option in self.catalogue.of_kind(catalogue.PLATFORM)} | {"HAS_CODEC"}
        self.assertEqual(set(self.catalogue.options) - own - set(known), set())

    def test_sessions_need_the_pre_update_hook(self) -> None:
        self.assertIn("ENABLE_PREUPDATE_HOOK", self.catalogue.options["ENABLE_SESSION"].partners)


if __name__ == "__main__":
    unittest.main()
