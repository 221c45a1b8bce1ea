"""A release: what is in its commit, what stays as it was, and what is refused."""

from __future__ import annotations

import os
import unittest
from unittest import mock

from support import EngineTest, Run

from engine import release, system

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
        return self.captured(lambda: release.main(arguments, self.project))

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

    def test_options_of_ones_own_are_refused(self) -> None:
        self.built("--with", "SOUNDEX")
        self.refused(self.release("1.2.0"), "options of your own", "+SOUNDEX", "--default")

    def test_a_build_that_is_not_from_the_canonical_tree_is_refused(self) -> None:
        record = self.project.home / "build.json"
        record.write_text(record.read_text().replace('"is_canonical": true', '"is_canonical": false'))
        self.refused(self.release("1.2.0"), "not built from its canonical source tree")


if __name__ == "__main__":
    unittest.main()
