"""Only SQLite's own source gets through: every way to deliver something else has its own refusal."""

from __future__ import annotations

import unittest

from support import FILES, EngineTest, check_in, tarball, write_tree

from engine import provenance


class ProvenanceTests(EngineTest):

    def test_a_canonical_tree_is_adopted_with_all_its_files(self) -> None:
        destination = self.folder / "adopted"
        destination.mkdir()
        self.assertEqual(provenance.adopt(self.tree, self.lock, destination), len(FILES))
        self.assertTrue((destination / "doc/a file.txt").is_file())
        self.assertEqual((destination / "configure").stat().st_mode & 0o777, 0o755)

    def test_what_the_manifest_does_not_list_stays_behind(self) -> None:
        (self.tree / "src/extra.c").write_text("int extra;")
        (self.tree / "manifest.tags").write_text('tag "; #include evil\n')
        destination = self.folder / "adopted"
        destination.mkdir()
        provenance.adopt(self.tree, self.lock, destination)
        self.assertFalse((destination / "src/extra.c").exists())
        self.assertFalse((destination / "manifest.tags").exists())
        self.assertEqual((destination / "manifest.uuid").read_text().strip(), self.lock.check_in)

    def test_a_tampered_file_is_refused_by_name(self) -> None:
        (self.tree / "src/main.c").write_text(FILES["src/main.c"] + "/* one more line */")
        self.refused(self.bootstrap("--origin", self.tree), "src/main.c", "tampered with")

    def test_a_tampered_file_with_an_old_hash_is_refused(self) -> None:
        (self.tree / "doc/a file.txt").write_text("changed")
        self.refused(self.bootstrap("--origin", self.tree), "doc/a file.txt", "tampered with")

    def test_a_missing_file_is_refused_by_name(self) -> None:
        (self.tree / "src/main.c").unlink()
        self.refused(self.bootstrap("--origin", self.tree), "src/main.c is missing")

    def test_another_check_in_is_refused_with_both_hashes(self) -> None:
        other = {**FILES, "src/main.c": "int other;"}
        tree = write_tree(self.folder / "other", other)
        run = self.bootstrap("--origin", tree)
        self.refused(run, "is not check-in", check_in(FILES), check_in(other))

    def test_a_manifest_made_to_fit_a_tampered_file_is_another_check_in(self) -> None:
        write_tree(self.tree, {**FILES, "src/main.c": "int evil;"})
        self.refused(self.bootstrap("--origin", self.tree), "is not check-in")

    def test_a_version_below_the_floor_is_refused_with_its_reason(self) -> None:
        (self.tree / "VERSION").write_text("3.51.2\n")
        self.refused(
            self.bootstrap("--origin", self.tree), "3.51.2", "too old", "https://sqlite.org/wal.html#walresetbug"
        )

    def test_a_lock_below_the_floor_is_refused(self) -> None:
        self.write_project(version="3.51.2")
        self.refused(self.bootstrap("--origin", self.tree), "sqlite.lock asks for", "too old")

    def test_the_floor_itself_is_accepted(self) -> None:
        self.write_project(version="3.51.3")
        self.assertEqual(self.lock.version, "3.51.3")

    def test_another_version_than_the_lock_is_refused(self) -> None:
        (self.tree / "VERSION").write_text("3.54.0\n")
        self.refused(self.bootstrap("--origin", self.tree), "is SQLite 3.54.0, but sqlite.lock asks for 3.53.4")

    def test_a_tree_without_a_manifest_is_refused(self) -> None:
        (self.tree / "manifest").unlink()
        self.refused(self.bootstrap("--origin", self.tree), "no file named manifest")

    def test_something_else_than_a_tree_is_refused(self) -> None:
        folder = self.folder / "amalgamation"
        folder.mkdir()
        (folder / "sqlite3.c").write_text("")
        self.refused(self.bootstrap("--origin", folder), "not SQLite's canonical source tree")

    def test_an_archive_is_verified_like_a_folder(self) -> None:
        (self.tree / "src/main.c").write_text("int evil;")
        archive = tarball(self.tree, self.folder / "sqlite3.tar.xz")
        self.refused(self.bootstrap("--origin", archive), "src/main.c", "tampered with")

    def test_the_check_in_hash_ignores_the_last_line_only(self) -> None:
        with_line = b"C Version\nU drh\n# Remove this line to create a well-formed Fossil manifest.\n"
        self.assertEqual(provenance.check_in_hash(with_line), provenance.check_in_hash(b"C Version\nU drh\n"))
        self.assertNotEqual(provenance.check_in_hash(with_line), provenance.check_in_hash(with_line + b"U eve\n"))


if __name__ == "__main__":
    unittest.main()
