"""The verdict over SQLite's own suite: which failures count as explained."""

from __future__ import annotations

import sqlite3
import unittest
from unittest import mock

from support import EngineTest

from engine import sqlite_tests, testfixture, testrunner
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

    def test_no_results_are_a_refusal(self) -> None:
        self.assert_refuses("ended without results", lambda: testrunner.read_results(self.folder / "none"))

    def test_what_the_tests_need_is_read_from_the_makefile(self) -> None:
        self.assertEqual(testfixture.missing_packages("\nHAVE_TCL = 1\nLDFLAGS.zlib = -lz\n"), [])
        self.assertEqual(testfixture.missing_packages("\nHAVE_TCL = 0\nLDFLAGS.zlib = \n"), ["tcl-dev", "zlib1g-dev"])


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
