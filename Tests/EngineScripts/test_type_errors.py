"""The check of error messages compares the compiler's first error in each wrong line with the expected one."""

from __future__ import annotations

import io
import subprocess
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import support  # noqa: F401  (finds the packages of scripts/)
from compiling import errors, library

SOURCE = """\
// error: other types
let a = 1 == "a"
let b = 2
    // error: also other types
    let c = 3 == "c"
"""


class TypeErrorTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "Wrong.swift")
        self.path.write_text(SOURCE)

    def check(self, *diagnostics: str, other: str | None = None, returncode: int = 0) -> tuple[int, str, str]:
        """Runs the check with a compiler that reports these diagnostics, each "LINE:COLUMN: KIND: MESSAGE".

        Another error is reported in a file that isn't checked.
        """
        stdout = "".join(f"{self.path}:{line}\n" for line in diagnostics)
        if other:
            stdout += f"Records.swift:1:1: error: {other}\n"
        compiled = subprocess.CompletedProcess([], returncode, stdout)
        output, problems = io.StringIO(), io.StringIO()
        with mock.patch.object(library, "compile_files", return_value=compiled):
            with redirect_stdout(output), redirect_stderr(problems):
                code = errors.main(["--modules", "Modules", str(self.path)])
        return code, output.getvalue(), problems.getvalue()

    def test_expected_errors_pass(self) -> None:
        code, output, problems = self.check("2:9: error: other types", "5:9: error: also other types")
        self.assertEqual((code, problems), (0, ""))
        self.assertIn("2 wrong lines have the expected errors", output)

    def test_a_line_without_its_error(self) -> None:
        code, output, problems = self.check("2:9: error: other types")
        self.assertEqual(code, 1)
        self.assertEqual(output, f"{self.path}:5: expected: also other types; found: no error\n")
        self.assertIn("1 lines have other errors than expected", problems)

    def test_a_different_error(self) -> None:
        code, output, _ = self.check("2:9: error: types", "5:9: error: also other types")
        self.assertEqual(code, 1)
        self.assertEqual(output, f"{self.path}:2: expected: other types; found: types\n")

    def test_an_error_in_a_line_that_is_right(self) -> None:
        code, output, _ = self.check(
            "2:9: error: other types", "3:1: error: no type", "5:9: error: also other types"
        )
        self.assertEqual(code, 1)
        self.assertEqual(output, f"{self.path}:3: expected: no error; found: no type\n")

    def test_the_first_error_of_a_line_counts(self) -> None:
        code, _, _ = self.check(
            "2:20: error: something else", "2:9: error: other types", "5:9: error: also other types",
            "2:9: note: a note",
        )
        self.assertEqual(code, 0)

    def test_the_group_of_a_message_is_left_out(self) -> None:
        code, _, _ = self.check("2:9: error: other types [#Group]", "5:9: error: also other types")
        self.assertEqual(code, 0)

    def test_a_long_message(self) -> None:
        long = "other " * 20 + "types"
        self.path.write_text(f'// error: {long}\nlet a = 1 == "a"\n')
        code, output, _ = self.check(f"2:9: error: {long}")
        self.assertEqual(code, 1)
        self.assertIn("the message has more than", output)

    def test_an_error_that_takes_long(self) -> None:
        code, output, _ = self.check(
            "2:9: error: other types", "5:9: error: also other types",
            "2:1: warning: expression took 2500ms to type-check (limit: 2000ms)",
        )
        self.assertEqual(code, 1)
        self.assertIn("the compiler takes more than 2000 ms", output)

    def test_other_warnings_are_left_out(self) -> None:
        code, _, _ = self.check(
            "2:9: error: other types", "5:9: error: also other types", "3:5: warning: never used"
        )
        self.assertEqual(code, 0)

    def test_errors_elsewhere(self) -> None:
        code, _, problems = self.check("2:9: error: other types", "5:9: error: also other types", other="no module")
        self.assertEqual(code, 1)
        self.assertIn("no module", problems)
        self.assertIn("the requests do not compile with Amalgam", problems)

    def test_a_compiler_that_fails_without_errors(self) -> None:
        code, _, problems = self.check(returncode=1)
        self.assertEqual(code, 1)
        self.assertIn("the requests do not compile with Amalgam", problems)

    def test_wrong_lines_that_compile(self) -> None:
        code, output, _ = self.check()
        self.assertEqual(code, 1)
        self.assertEqual(len(output.splitlines()), 2)

    def test_amalgam_must_build(self) -> None:
        problems = io.StringIO()
        with mock.patch.object(library, "build", return_value=None), redirect_stderr(problems):
            self.assertEqual(errors.main([]), 1)
        self.assertIn("Amalgam does not build", problems.getvalue())

    def test_the_repository_expects_errors(self) -> None:
        expected = [message for path in library.sources(errors.ERRORS) for message in errors.expectations(path).values()]
        self.assertGreater(len(expected), 20)
        self.assertTrue(all(len(message) <= errors.LONGEST for message in expected))


if __name__ == "__main__":
    unittest.main()
