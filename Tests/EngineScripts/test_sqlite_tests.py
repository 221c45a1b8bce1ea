"""The verdict over SQLite's own suite: which failures count as explained."""

from __future__ import annotations

import sqlite3
import time
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from support import EngineTest

from engine import amalgamation, cipher, sqlite_tests, system, testfixture, testrunner
from engine.cache import Cache
from engine.record import Record
from engine.sources import Sources
from engine.testrunner import Failure, Results

OUTPUT = "a-1.0... Ok\n! a-1.1 expected: [1]\n! a-1.1 got:      [2]\n!Failures on these tests: a-1.1 a-1.2\n"
KNOWN = "test/a.test | a-1.1 a-1.2 | DQS=3 | strings in double quotes\n"


class ResultTests(EngineTest):

    def test_the_runners_database_is_read(self) -> None:
        path = self.folder / "testrunner.db"
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE jobs(displayname, state, ntest, output)")
            database.executemany(
                "INSERT INTO jobs VALUES (?, ?, ?, ?)",
                [
                    ("test/a.test", "failed", 10, OUTPUT),
                    ("test/b.test", "done", 20, ""),
                    ("test/c.test", "omit", None, None),
                    ("test/d.test", "running", None, None),
                ],
            )
        results = testrunner.read_results(path)
        self.assertEqual((results.tests, results.files, results.unfinished), (30, 2, 1))
        self.assertEqual(results.failures, [Failure("test/a.test", ("a-1.1", "a-1.2"), OUTPUT)])
        self.assertEqual(results.failures[0].complaints()[0], "! a-1.1 expected: [1]")

    def test_memory_that_is_not_freed_is_a_failure_with_a_name(self) -> None:
        output = "0 errors out of 25 tests on vm\nUnfreed memory: 49504 bytes in 10 allocations\n"
        self.assertEqual(testrunner.failure("test/a.test", output).tests, ("unfreed-memory",))
        self.assertEqual(testrunner.failure("test/a.test", OUTPUT + output).tests, ("a-1.1", "a-1.2", "unfreed-memory"))

    def test_a_file_passes_when_the_program_says_so(self) -> None:
        workshop = self.folder / "build"
        workshop.mkdir()
        program = workshop / "testfixture"
        for code in (0, 1):
            program.write_text(f"#!/bin/sh\necho '0 errors out of 25 tests'\nexit {code}\n")
            program.chmod(0o755)
            runner = testrunner.Runner(self.folder, self.folder / "tree", workshop)
            self.assertEqual(runner.passes("test/a.test"), code == 0)

    def test_no_results_are_a_refusal(self) -> None:
        self.assert_refuses("ended without results", lambda: testrunner.read_results(self.folder / "none"))

    def test_what_the_tests_need_is_read_from_the_makefile(self) -> None:
        self.assertEqual(testfixture.missing_packages("\nHAVE_TCL = 1\nLDFLAGS.zlib = -lz\n"), [])
        self.assertEqual(testfixture.missing_packages("\nHAVE_TCL = 0\nLDFLAGS.zlib = \n"), ["tcl-dev", "zlib1g-dev"])


class SourceTests(EngineTest):
    """The file that the test program is compiled from."""

    def test_it_is_the_file_of_the_build(self) -> None:
        self.built("--with", "SOUNDEX")
        workshop = self.amalgamated()
        testfixture.require_same_source(self.project.record(), workshop)
        (workshop / "sqlite3.c").write_text("int other;")
        self.assert_refuses(
            "another sqlite3.c", lambda: testfixture.require_same_source(self.project.record(), workshop)
        )

    def test_the_codec_is_added_and_the_header_stays_older(self) -> None:
        self.built()
        record = replace(self.project.record(), cipher={"name": "SQLCipher", "version": "4.19.0", "patch": ""})

        def apply(lock, sources, products: Path, *others: object) -> None:
            time.sleep(0.01)
            for name in ("sqlite3.c", "sqlite3.h"):
                (products / name).write_text((products / name).read_text() + "/* codec */")

        with mock.patch.object(cipher, "apply", apply):
            workshop = self.amalgamated(record)
        source, header = workshop / "sqlite3.c", workshop / "sqlite3.h"
        for file in (source, header):
            self.assertIn("codec", file.read_text())
        self.assertLess(header.stat().st_mtime_ns, source.stat().st_mtime_ns - 5_000_000)

    def test_the_codec_brings_its_options_and_its_library(self) -> None:
        self.built()
        self.assert_refuses("no code of the trait Encryption", lambda: testfixture.with_codec(self.project.record()))
        record = replace(self.project.record(), cipher={"name": "SQLCipher", "version": "4.19.0", "patch": ""})
        with mock.patch.object(system, "require_library"):
            options = testfixture.with_codec(record).options
        self.assertEqual((options["SQLITE_HAS_CODEC"], options["SQLITE_TEMP_STORE"]), ("1", "3"))
        self.assertEqual(options["SQLITE_EXTRA_INIT"], "sqlcipher_extra_init")
        self.assertEqual(options["SQLITE_DQS"], "0")

    def amalgamated(self, record: Record | None = None) -> Path:
        """A folder in which the amalgamation was made as for the test program."""
        workshop = self.folder / "workshop"
        workshop.mkdir()
        self.captured(lambda: amalgamation.configure(self.tree, workshop))
        sources = Sources(self.lock, Cache(self.cache))
        testfixture.amalgamate(self.project, record or self.project.record(), sources, workshop)
        return workshop


class VerdictTests(EngineTest):

    def verdict(self, *failures: Failure, passes: bool = True, unfinished: int = 0) -> tuple[int, str]:
        known = self.folder / "known-failures"
        known.write_text(KNOWN)
        runner = mock.Mock(**{"passes.return_value": passes})
        results = Results(100, 2, list(failures), unfinished)
        with mock.patch.object(sqlite_tests, "KNOWN", known), mock.patch.object(testfixture, "make"):
            run = self.captured(lambda: sqlite_tests.verdict(self.project, mock.Mock(), runner, results))
        return run.code, run.output

    def test_no_failure(self) -> None:
        self.assertEqual(self.verdict()[0], 0)

    def test_a_known_failure_that_is_proven(self) -> None:
        code, output = self.verdict(Failure("test/a.test", ("a-1.1",), OUTPUT))
        self.assertEqual(code, 0)
        self.assertIn("passes with DQS=3", output)

    def test_a_known_failure_that_is_not_proven(self) -> None:
        code, output = self.verdict(Failure("test/a.test", ("a-1.1",), OUTPUT), passes=False)
        self.assertEqual(code, 1)
        self.assertIn("FAILS ALSO with DQS=3", output)

    def test_failures_of_the_codec_are_proven_without_it(self) -> None:
        runner = mock.Mock(**{"passes.return_value": True})
        lines = [
            sqlite_tests.Known("test/a.test", frozenset(["a-1"]), "DQS=3", "strings"),
            sqlite_tests.Known("test/b.test", frozenset(["b-1"]), sqlite_tests.NO_CODEC, "memory"),
        ]
        project, built = mock.Mock(), mock.Mock()
        with mock.patch.object(testfixture, "make") as make:
            run = self.captured(lambda: sqlite_tests.unproven_files(project, built, runner, lines))
        self.assertEqual(run.code, set())
        self.assertIn("building again with HAS_CODEC=0", run.errors)
        expected = [(built, {"DQS": "3"}), (project.record.return_value, {})]
        self.assertEqual([call.args[1:3] for call in make.call_args_list], expected)

    def test_another_test_in_a_known_file_is_unexplained(self) -> None:
        code, output = self.verdict(Failure("test/a.test", ("a-1.1", "a-9.9"), OUTPUT))
        self.assertEqual(code, 1)
        self.assertIn("UNEXPLAINED", output)

    def test_a_crash_in_a_known_file_is_unexplained(self) -> None:
        self.assertEqual(self.verdict(Failure("test/a.test", (), "Segmentation fault"))[0], 1)

    def test_an_unknown_failure(self) -> None:
        self.assertEqual(self.verdict(Failure("test/z.test", ("z-1",), OUTPUT))[0], 1)

    def test_files_that_did_not_end(self) -> None:
        self.assertEqual(self.verdict(unfinished=1)[0], 1)


class RealListTests(unittest.TestCase):

    def test_every_line_of_known_failures_is_complete(self) -> None:
        for line in sqlite_tests.known_failures():
            self.assertTrue(line.file.endswith(".test") and line.tests and line.reason)
            self.assertRegex(line.option, r"^[A-Z_0-9]+=\w+$")


if __name__ == "__main__":
    unittest.main()
