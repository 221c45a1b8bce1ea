"""A release: what is in its commit, what stays as it was, and what is refused."""

from __future__ import annotations

import json
import os
import unittest
from unittest import mock

from support import EngineTest, Run

from engine import release, system
from engine.project import HERE

IDENTITY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
IGNORED = "/vendor/sqlite/*\n!/vendor/sqlite/options\n!/vendor/sqlite/sqlite.lock\n"


class ReleaseTests(EngineTest):

    def setUp(self) -> None:
        super().setUp()
        environment = mock.patch.dict(os.environ, IDENTITY)
        environment.start()
        self.addCleanup(environment.stop)
        (self.project.root / ".gitignore").write_text(IGNORED)
        (self.project.root / "Package.swift").write_text("// the package\n")
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("Start")
        self.built()

    def git(self, *words: str) -> str:
        return system.checked(["git", *words], self.project.root).strip()

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def release(self, *arguments: str) -> Run:
        source = ("--cache", str(self.cache), "--origin", str(self.tree))
        return self.captured(lambda: release.main([*arguments, *source], self.project))

    def released(self, path: str, tag: str = "1.2.0") -> str:
        """The content of a file in the release."""
        return self.git("show", f"{tag}:{path}")

    def test_the_tag_holds_main_and_the_built_files(self) -> None:
        self.assertEqual(self.release("1.2.0").code, 0)
        names = self.git("ls-tree", "-r", "--name-only", "1.2.0").split()
        self.assertEqual(
            set(names),
            {
                ".gitignore",
                "Package.swift",
                "vendor/sqlite/options",
                "vendor/sqlite/sqlite.lock",
                "vendor/sqlite/sqlite3.c",
                "vendor/sqlite/sqlite3.h",
                "vendor/sqlite/amalgam_options.h",
                "vendor/sqlite/amalgam_platform.h",
                "vendor/sqlite/amalgam_symbols.h",
                "vendor/sqlite/amalgam_build.h",
                "vendor/sqlite/build.json",
                "vendor/sqlite/choice",
            },
        )
        self.assertEqual(self.git("show", "1.2.0:vendor/sqlite/sqlite3.c"), self.header("sqlite3.c").strip())

    def test_the_tag_is_annotated_and_its_parent_is_main(self) -> None:
        self.release("1.2.0")
        self.assertEqual(self.git("cat-file", "-t", "1.2.0"), "tag")
        self.assertEqual(self.git("rev-parse", "1.2.0^{commit}^"), self.git("rev-parse", "main"))
        self.assertIn(self.lock.check_in, self.git("tag", "--list", "--format=%(contents)", "1.2.0"))

    def test_no_branch_and_no_work_tree_changes(self) -> None:
        before = (
            self.git("for-each-ref", "refs/heads"),
            self.git("status", "--porcelain", "--ignored"),
            self.git("ls-files", "--stage"),
        )
        self.release("1.2.0")
        after = (
            self.git("for-each-ref", "refs/heads"),
            self.git("status", "--porcelain", "--ignored"),
            self.git("ls-files", "--stage"),
        )
        self.assertEqual(before, after)
        self.assertEqual(self.git("branch", "--contains", "1.2.0"), "")

    def test_a_checkout_of_the_tag_is_in_place_and_verified(self) -> None:
        self.release("1.2.0")
        self.git("clone", "--quiet", "--branch", "1.2.0", ".", str(self.folder / "clone"))
        self.project = type(self.project)(self.folder / "clone")
        self.assertIn("nothing to do", self.bootstrap().output)
        self.assertEqual(self.bootstrap("--check").code, 0)

    def test_a_dry_run_does_nothing(self) -> None:
        run = self.release("1.2.0", "--dry-run")
        self.assertEqual(run.code, 0)
        self.assertIn("vendor/sqlite/sqlite3.c", run.errors)
        self.assertEqual(self.git("tag"), "")

    def test_the_next_version_is_one_patch_higher(self) -> None:
        self.release("1.9.0")
        self.release("1.10.4")
        self.assertIn("1.10.5", self.release().output)

    def test_the_first_version_must_be_given(self) -> None:
        self.refused(self.release(), "must be given")

    def test_a_bad_version_is_refused(self) -> None:
        for version in ("1", "1.2", "v1.2.3", "1.02.3", "1.2.3 4"):
            self.refused(self.release(version), "not a semantic version")

    def test_a_version_that_exists_is_refused(self) -> None:
        self.release("1.2.0")
        self.refused(self.release("1.2.0"), "exists already")

    def test_a_changed_work_tree_is_refused(self) -> None:
        (self.project.root / "Package.swift").write_text("// changed\n")
        self.refused(self.release("1.2.0"), "differs from main", "Package.swift")

    def test_another_branch_is_refused(self) -> None:
        self.git("switch", "--quiet", "--create", "topic")
        self.refused(self.release("1.2.0"), "this is topic")

    def test_a_missing_build_is_refused(self) -> None:
        (self.project.home / "build.json").unlink()
        self.refused(self.release("1.2.0"), "not built", "scripts/bootstrap")

    def test_a_damaged_build_is_refused(self) -> None:
        (self.project.home / "sqlite3.c").write_text("int evil;")
        self.refused(self.release("1.2.0"), "not as it should be")

    def test_options_that_are_not_named_are_refused_with_the_way(self) -> None:
        self.built("--with", "SOUNDEX", "--without", "ENABLE_GEOPOLY", "--cipher", "none")
        way = "scripts/release 1.2.0 --with SOUNDEX --without ENABLE_GEOPOLY --cipher none"
        self.refused(self.release("1.2.0"), "options of your own", "+SOUNDEX", "scripts/bootstrap --default", way)
        self.assertEqual(self.git("tag"), "")
        self.assertEqual(self.release(*way.split()[1:]).code, 0)

    def test_a_release_with_options_has_a_build_with_them(self) -> None:
        run = self.release("1.2.0", "--with", "SOUNDEX", "--without", "ENABLE_GEOPOLY")
        self.assertEqual(run.code, 0, run.errors)
        record = json.loads(self.released("vendor/sqlite/build.json"))
        self.assertEqual(record["chosen"], ["+SOUNDEX", "-ENABLE_GEOPOLY"])
        self.assertIn("#define SQLITE_SOUNDEX 1", self.released("vendor/sqlite/amalgam_options.h"))
        self.assertIn("Options: +SOUNDEX, -ENABLE_GEOPOLY.", self.git("tag", "--list", "--format=%(contents)", "1.2.0"))
        self.git("clone", "--quiet", "--branch", "1.2.0", ".", str(self.folder / "clone"))
        self.project = type(self.project)(self.folder / "clone")
        self.assertIn("nothing to do", self.bootstrap().output)

    def test_a_release_with_a_library_has_its_module_map(self) -> None:
        options = self.project.home / "options"
        options.write_text(options.read_text().replace("| nowhere | nowhere.h |", "| m | math.h |"))
        (self.project.root / ".gitignore").write_text(IGNORED + "/Sources/CAmalgam/include/module.modulemap\n")
        self.commit("Link the mathematics")
        run = self.release("1.2.0", "--with", "ENABLE_ICU")
        self.assertEqual(run.code, 0, run.errors)
        self.assertIn('link "m"', self.released("Sources/CAmalgam/include/module.modulemap"))
        self.assertEqual(json.loads(self.released("vendor/sqlite/build.json"))["libraries"], ["m"])

    def test_options_that_are_refused_make_no_release(self) -> None:
        self.refused(self.release("1.2.0", "--with", "OMIT_AUTHORIZATION"), "Amalgam would lose DatabaseRegion")
        self.refused(self.release("1.2.0", "--dry-run", "--with", "OMIT_AUTHORIZATION"), "Amalgam would lose")
        self.assertEqual(self.git("tag"), "")

    def test_a_dry_run_with_options_builds_nothing(self) -> None:
        before = self.record()
        run = self.release("1.2.0", "--dry-run", "--with", "SOUNDEX")
        self.assertIn("builds SQLite with --with SOUNDEX, and makes the tag 1.2.0", run.output)
        self.assertEqual(self.record(), before)
        self.assertEqual(self.git("tag"), "")

    def test_a_release_with_the_codec_carries_its_licence(self) -> None:
        self.assertEqual(self.release("1.1.0").code, 0)
        self.assertNotIn("NOTICE", self.git("ls-tree", "--name-only", "1.1.0").split())
        record = self.project.home / "build.json"
        cipher = '"cipher": {"name": "SQLCipher", "version": "4.19.0", "patch": ""}'
        record.write_text(record.read_text().replace('"cipher": null', cipher))
        self.assertEqual(self.release("1.2.0").code, 0)
        notice = self.released("NOTICE")
        self.assertIn("contains SQLCipher 4.19.0, which is compiled with the package's trait Encryption only", notice)
        self.assertIn("Copyright (c) ZETETIC LLC\n    * Redistributions of source code must retain this.", notice)
        self.assertFalse((self.project.root / "NOTICE").exists())

    @unittest.skipUnless((HERE.home / "sqlite3.c").is_file(), "SQLite is not built")
    def test_the_licence_is_found_in_the_real_file(self) -> None:
        built = HERE.record()
        if built and built.cipher:
            notice = release.notice(HERE, built)
            self.assertIn("ZETETIC LLC\nAll rights reserved.", notice)
            self.assertTrue(notice.endswith("EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.\n"))

    def test_a_build_that_is_not_from_the_canonical_tree_is_refused(self) -> None:
        record = self.project.home / "build.json"
        record.write_text(record.read_text().replace('"is_canonical": true', '"is_canonical": false'))
        self.refused(self.release("1.2.0"), "not built from its canonical source tree")


if __name__ == "__main__":
    unittest.main()
