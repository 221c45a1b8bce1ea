"""Encrypted files cross between Amalgam and independent builds: python3 Tests/EncryptionFiles/cross.py TOOL [NAME…]

TOOL is the program amalgam-cipher-tool; scripts/proof/encryption builds it, and installs the other builds.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
import unittest
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import builds
from builds import NEEDLES, Amalgam, Content, DebianCommand, Key, MultipleCiphersWheel, Refused, SQLCipherWheel

NOTADB = 26

PASSPHRASE = Key("It's a “secret”: über")
OTHER_PASSPHRASE = Key("another secret")
RAW_KEY = Key(raw="0123456789abcdef" * 4)
SALT = "00112233445566778899aabbccddeeff"
RAW_KEY_WITH_SALT = Key(raw=RAW_KEY.raw + SALT)
KEYS = {"pass phrase": PASSPHRASE, "raw key": RAW_KEY, "raw key with salt": RAW_KEY_WITH_SALT}
MODES = {"WAL": True, "rollback journal": False}

CONTENT = Content()

amalgam: Amalgam


class FileTest(unittest.TestCase):

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="amalgam-encryption-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.file_count = 0

    def new_path(self) -> Path:
        self.file_count += 1
        return self.folder / f"{self.file_count}.sqlite"

    def in_each_case(self, body: Callable[[Path, Key, bool], None]) -> None:
        """Calls a function with a new path for each kind of key in each journal mode."""
        for key_name, key in KEYS.items():
            for mode, wal in MODES.items():
                with self.subTest(key=key_name, mode=mode):
                    body(self.new_path(), key, wal)

    def assert_refused(self, code: int, action: Callable[[], Any]) -> None:
        with self.assertRaises(Refused) as caught:
            action()
        self.assertEqual(caught.exception.code, code, caught.exception)

    def assert_encrypted(self, path: Path) -> None:
        for file in builds.files_of(path):
            content = file.read_bytes()
            for needle in NEEDLES:
                self.assertNotIn(needle, content, f"clear text in {file.name}")

    def assert_in_mode(self, wal: bool, path: Path, key: Key) -> None:
        """Nothing in a closed encrypted file tells its mode: the file next to an open one does."""
        with amalgam.waiting("hold-transaction", path, key):
            names = [file.suffix for file in builds.files_of(path)]
        self.assertEqual(names, [".sqlite", ".sqlite-wal" if wal else ".sqlite-journal"])


class Crossing(FileTest):
    """The tests of a build that this process can call. Its subclasses name the build."""

    other: builds.Build

    def test_the_other_build_reads_what_amalgam_writes(self) -> None:
        def check(path: Path, key: Key, wal: bool) -> None:
            amalgam.create(path, key, wal)
            self.assert_encrypted(path)
            self.assertEqual(self.other.read(path, key), CONTENT)
            self.assert_in_mode(wal, path, key)

        self.in_each_case(check)

    def test_amalgam_reads_what_the_other_build_writes(self) -> None:
        def check(path: Path, key: Key, wal: bool) -> None:
            self.other.create(path, key, wal)
            self.assert_encrypted(path)
            self.assertEqual(amalgam.read(path, key), CONTENT)
            self.assert_in_mode(wal, path, key)

        self.in_each_case(check)

    def test_both_builds_write_to_one_file(self) -> None:
        def check(path: Path, key: Key, wal: bool) -> None:
            amalgam.create(path, key, wal)
            self.other.write(path, key)
            amalgam.run("write", path, key)
            self.other.write(path, key)
            expected = replace(CONTENT, rows=2003, last="row of another build")
            self.assertEqual(amalgam.read(path, key), expected)
            self.assertEqual(self.other.read(path, key), expected)
            self.assert_encrypted(path)

        self.in_each_case(check)

    def test_a_database_in_wal_mode_is_open_in_both_builds(self) -> None:
        path = self.new_path()
        amalgam.create(path, PASSPHRASE, wal=True)
        with amalgam.waiting("hold", path, PASSPHRASE), self.other.connected(path, PASSPHRASE) as connection:
            self.assertEqual(builds.content(connection).rows, 2001)
            builds.add_row(connection)
            self.assertEqual(amalgam.read(path, PASSPHRASE).rows, 2002)
            self.assert_encrypted(path)
        self.assertEqual(amalgam.read(path, PASSPHRASE).rows, 2002)

    def test_the_other_build_recovers_the_wal_file_of_amalgam(self) -> None:
        path = self.new_path()
        amalgam.create(path, PASSPHRASE, wal=True)
        amalgam.kill_while_waiting("hold", path, PASSPHRASE)
        self.assertGreater(Path(f"{path}-wal").stat().st_size, 4096)
        self.assert_encrypted(path)
        self.assertEqual(self.other.read(path, PASSPHRASE), replace(CONTENT, rows=2001, last="row of Amalgam"))

    def test_amalgam_recovers_the_wal_file_of_the_other_build(self) -> None:
        path = self.new_path()
        self.other.create(path, PASSPHRASE, wal=True)
        with self.other.connected(path, PASSPHRASE) as connection:
            builds.add_row(connection)
            copy = self.copy(path)
        self.assertGreater(Path(f"{copy}-wal").stat().st_size, 4096)
        self.assertEqual(amalgam.read(copy, PASSPHRASE), replace(CONTENT, rows=2001, last="row of another build"))

    def copy(self, path: Path) -> Path:
        """The files of an open database, as a process that is killed leaves them."""
        folder = self.folder / "copy"
        folder.mkdir()
        for file in builds.files_of(path):
            shutil.copy(file, folder)
        self.assert_encrypted(folder / path.name)
        return folder / path.name

    def test_both_builds_refuse_a_wrong_key(self) -> None:
        wrong_keys = [OTHER_PASSPHRASE, Key(PASSPHRASE.passphrase + " "), Key(raw="f" * 64)]
        amalgam.create(mine := self.new_path(), PASSPHRASE, wal=True)
        self.other.create(theirs := self.new_path(), PASSPHRASE, wal=True)
        for path in (mine, theirs):
            for key in wrong_keys:
                with self.subTest(path=path, key=key):
                    self.assert_refused(NOTADB, lambda: amalgam.read(path, key))
                    self.assert_refused(NOTADB, lambda: self.other.read(path, key))
            self.assert_refused(NOTADB, lambda: amalgam.read(path, Key()))
            self.assertEqual(amalgam.read(path, PASSPHRASE), self.other.read(path, PASSPHRASE))

    def test_the_other_build_needs_the_passphrase_that_amalgam_changed(self) -> None:
        amalgam.create(path := self.new_path(), PASSPHRASE, wal=True)
        amalgam.run("change-key", path, PASSPHRASE, OTHER_PASSPHRASE.passphrase)
        self.assert_refused(NOTADB, lambda: self.other.read(path, PASSPHRASE))
        self.assertEqual(self.other.read(path, OTHER_PASSPHRASE), CONTENT)
        self.assert_encrypted(path)

    def test_amalgam_needs_the_passphrase_that_the_other_build_changed(self) -> None:
        self.other.create(path := self.new_path(), PASSPHRASE, wal=False)
        with self.other.connected(path, PASSPHRASE) as connection:
            builds.content(connection)
            connection.execute(f"PRAGMA rekey = {OTHER_PASSPHRASE.sql}").fetchall()
        self.assert_refused(NOTADB, lambda: amalgam.read(path, PASSPHRASE))
        self.assertEqual(amalgam.read(path, OTHER_PASSPHRASE), CONTENT)

    def test_amalgam_decrypts_a_file_of_the_other_build_and_encrypts_it_again(self) -> None:
        self.other.create(encrypted := self.new_path(), PASSPHRASE, wal=True)
        amalgam.run("export", encrypted, PASSPHRASE, clear := self.new_path(), "")
        for needle in NEEDLES:
            self.assertIn(needle, clear.read_bytes())
        with closing(sqlite3.connect(clear)) as connection:
            self.assertEqual(connection.execute("SELECT count(*), max(a) FROM t").fetchone(), (2000, "row 999"))
        amalgam.run("export", clear, Key(), again := self.new_path(), OTHER_PASSPHRASE.passphrase)
        self.assert_encrypted(again)
        self.assertEqual(self.other.read(again, OTHER_PASSPHRASE), CONTENT)

    def test_formats_of_older_versions_cross(self) -> None:
        for version in (1, 2, 3):
            with self.subTest(version=version):
                pragmas = [f"PRAGMA cipher_compatibility = {version}"]
                amalgam.create(mine := self.new_path(), PASSPHRASE, True, pragmas)
                self.assertEqual(self.other.read(mine, PASSPHRASE, version), CONTENT)
                self.other.create(theirs := self.new_path(), PASSPHRASE, True, version)
                self.assertEqual(amalgam.read(theirs, PASSPHRASE, pragmas), CONTENT)
                for path in (mine, theirs):
                    self.assert_encrypted(path)
                    self.assert_refused(NOTADB, lambda: amalgam.read(path, PASSPHRASE))


def installed(module: object, wheel: str) -> Callable[[type], type]:
    return unittest.skipUnless(module, f"the wheel {wheel} isn't installed: see Tests/EncryptionFiles/packages.py")


@installed(builds.sqlcipher, "sqlcipher3")
class SQLCipherWheelTests(Crossing):

    other = SQLCipherWheel()

    def test_the_other_build_rolls_back_the_journal_of_amalgam(self) -> None:
        path = self.new_path()
        amalgam.create(path, PASSPHRASE, wal=False)
        complete = path.read_bytes()
        amalgam.kill_while_waiting("hold-transaction", path, PASSPHRASE)
        self.assertNotEqual(path.read_bytes(), complete, "SQLite has written no page before the commit")
        self.assert_encrypted(path)
        self.assertEqual(self.other.read(path, PASSPHRASE), CONTENT)

    def test_amalgam_rolls_back_the_journal_of_the_other_build(self) -> None:
        path = self.new_path()
        self.other.create(path, PASSPHRASE, wal=False)
        complete = path.read_bytes()
        with self.other.connected(path, PASSPHRASE) as connection:
            for sql in ("PRAGMA cache_size = 5", "BEGIN", "UPDATE t SET a = 'changed ' || a"):
                connection.execute(sql).fetchall()
            copy = self.copy(path)
        self.assertNotEqual(copy.read_bytes(), complete, "SQLite has written no page before the commit")
        self.assertEqual(amalgam.read(copy, PASSPHRASE), CONTENT)

    def test_settings_of_sqlcipher_cross(self) -> None:
        settings = {
            "page size": (PASSPHRASE, ["PRAGMA cipher_page_size = 8192"]),
            "rounds": (PASSPHRASE, ["PRAGMA kdf_iter = 64000"]),
            "algorithm": (PASSPHRASE, ["PRAGMA cipher_hmac_algorithm = HMAC_SHA256"]),
            "clear header": (RAW_KEY_WITH_SALT, ["PRAGMA cipher_plaintext_header_size = 32"]),
        }
        for name, (key, pragmas) in settings.items():
            with self.subTest(name):
                amalgam.create(mine := self.new_path(), key, True, pragmas)
                self.other.create(theirs := self.new_path(), key, True, pragmas=pragmas)
                for path in (mine, theirs):
                    self.assertEqual(amalgam.read(path, key, pragmas), CONTENT)
                    self.assertEqual(self.other.read(path, key, pragmas=pragmas), CONTENT)
                    self.assert_refused(NOTADB, lambda: amalgam.read(path, key))
                    self.assertEqual(path.read_bytes()[:15] == b"SQLite format 3", name == "clear header")


@installed(builds.apsw, "apsw-sqlite3mc")
class MultipleCiphersWheelTests(Crossing):
    """A rollback journal that a killed process leaves doesn't cross: SQLite3 Multiple Ciphers stores the checksums of
    the clear pages in it, and SQLCipher those of the encrypted pages. Each of them takes the journal of the other one
    for incomplete, and rolls nothing back. This is so between the two wheels, too."""

    other = MultipleCiphersWheel()


class SaltTests(FileTest):

    def test_two_files_with_one_passphrase_begin_with_different_salts(self) -> None:
        beginnings = set()
        for _ in range(3):
            amalgam.create(path := self.new_path(), PASSPHRASE, wal=True)
            beginnings.add(path.read_bytes()[:16])
        self.assertEqual(len(beginnings), 3)

    def test_a_file_begins_with_the_salt_of_its_raw_key(self) -> None:
        amalgam.create(path := self.new_path(), RAW_KEY_WITH_SALT, wal=True)
        self.assertEqual(path.read_bytes()[:16].hex(), SALT)


debian = DebianCommand()
debian_version = debian.version()
COMPATIBLE = ["PRAGMA cipher_compatibility = 3"]
DEBIAN_CONTENT = replace(CONTENT, matches=None)


@unittest.skipUnless(
    debian_version.startswith("3."),
    f"the command sqlcipher has version {debian_version}, not 3"
    if debian_version
    else "the command sqlcipher isn't installed: see Tests/EncryptionFiles/packages.py",
)
class DebianTests(FileTest):
    """Files of SQLCipher 3, which Debian 12 still has."""

    def create(self, wal: bool = False) -> Path:
        debian.create(path := self.new_path(), PASSPHRASE, wal)
        self.assert_encrypted(path)
        return path

    def test_amalgam_refuses_a_file_of_version_3_without_a_setting(self) -> None:
        path = self.create()
        self.assert_refused(NOTADB, lambda: amalgam.read(path, PASSPHRASE))
        self.assertEqual(debian.read(path, PASSPHRASE), DEBIAN_CONTENT)

    def test_amalgam_reads_and_writes_a_file_of_version_3_with_cipher_compatibility(self) -> None:
        for mode, wal in MODES.items():
            with self.subTest(mode):
                path = self.create(wal)
                self.assertEqual(amalgam.read(path, PASSPHRASE, COMPATIBLE), DEBIAN_CONTENT)
                amalgam.run("write", path, PASSPHRASE, *COMPATIBLE)
                expected = replace(DEBIAN_CONTENT, rows=2001, last="row of Amalgam")
                self.assertEqual(debian.read(path, PASSPHRASE), expected)

    def test_amalgam_migrates_a_file_of_version_3(self) -> None:
        for mode, wal in MODES.items():
            with self.subTest(mode):
                path = self.create(wal)
                amalgam.run("migrate", path, PASSPHRASE)
                self.assert_encrypted(path)
                self.assertEqual(amalgam.read(path, PASSPHRASE), DEBIAN_CONTENT)
                self.assert_refused(NOTADB, lambda: amalgam.read(path, PASSPHRASE, COMPATIBLE))
                with self.assertRaisesRegex(Refused, "not a database"):
                    debian.read(path, PASSPHRASE)
                self.assertEqual(list(self.folder.glob("*-migrated*")), [])

    def test_version_3_reads_what_amalgam_writes_with_cipher_compatibility(self) -> None:
        for key_name, key in {"pass phrase": PASSPHRASE, "raw key": RAW_KEY}.items():
            for mode, wal in MODES.items():
                with self.subTest(key=key_name, mode=mode):
                    amalgam.create(path := self.new_path(), key, wal, COMPATIBLE)
                    self.assert_encrypted(path)
                    self.assertEqual(debian.read(path, key), DEBIAN_CONTENT)

    def test_version_3_needs_the_passphrase_that_amalgam_changed(self) -> None:
        path = self.create()
        amalgam.run("change-key", path, PASSPHRASE, OTHER_PASSPHRASE.passphrase, *COMPATIBLE)
        with self.assertRaisesRegex(Refused, "not a database"):
            debian.read(path, PASSPHRASE)
        self.assertEqual(debian.read(path, OTHER_PASSPHRASE), DEBIAN_CONTENT)
        self.assert_encrypted(path)

    def test_amalgam_exports_a_file_of_version_3_to_a_file_of_version_4(self) -> None:
        path = self.create()
        copy = self.new_path()
        amalgam.run("export", path, PASSPHRASE, copy, OTHER_PASSPHRASE.passphrase, *COMPATIBLE)
        self.assertEqual(amalgam.read(copy, OTHER_PASSPHRASE), DEBIAN_CONTENT)
        self.assert_encrypted(copy)

    def test_version_3_refuses_a_wrong_key(self) -> None:
        amalgam.create(path := self.new_path(), PASSPHRASE, True, COMPATIBLE)
        with self.assertRaisesRegex(Refused, "not a database"):
            debian.read(path, OTHER_PASSPHRASE)


CASES = (SQLCipherWheelTests, MultipleCiphersWheelTests, SaltTests, DebianTests)


def main(tool: str, *names: str) -> int:
    global amalgam
    amalgam = Amalgam(Path(tool).resolve())
    names = names or tuple(case.__name__ for case in CASES)
    tests = unittest.defaultTestLoader.loadTestsFromNames(names, sys.modules[__name__])
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    # A test fails once, however many of its subtests fail.
    failed = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
    skipped = len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
