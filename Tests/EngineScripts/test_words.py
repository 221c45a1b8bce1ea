"""The check of words counts turns of phrase, and finds documentation comments that say too little."""

from __future__ import annotations

import io
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import support  # noqa: F401  (finds the packages of scripts/)
from wording import words


class WordTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "Player.swift")

    def check(self, source: str, *options: str) -> tuple[int, str, str]:
        self.path.write_text(source)
        output, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(output), redirect_stderr(errors):
            code = words.main([*options, str(self.path)])
        return code, output.getvalue(), errors.getvalue()

    def test_plain_words_pass(self) -> None:
        code, output, errors = self.check("/// A player.\nstruct Player {}\n")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("given: 0.0 per 1,000 of 1 lines", output)

    def test_turns_are_counted_in_comments_only(self) -> None:
        source = '// Nobody hears of it.\nlet nobody = "somebody" // `nobody`\n'
        code, output, errors = self.check(source, "--show")
        self.assertEqual(code, 1)
        self.assertIn("given: 2000.0 per 1,000 of 1 lines", output)
        self.assertIn(f"{self.path}:1: hear, tell", output)
        self.assertIn("more than 8", errors)

    def test_code_in_a_comment_is_left_out(self) -> None:
        code, _, errors = self.check("// The column `texts` holds `a text`.\n")
        self.assertEqual((code, errors), (0, ""))

    def test_the_type_of_sqlite_is_left_out(self) -> None:
        code, _, errors = self.check("// A TEXT value.\n")
        self.assertEqual((code, errors), (0, ""))

    def test_code_in_a_document_is_left_out(self) -> None:
        self.path = self.path.with_suffix(".md")
        code, output, _ = self.check("A page.\n\n```sql\n-- another one\n```\n")
        self.assertEqual(code, 0)
        self.assertIn("of 1 lines", output)

    def test_block_comments_are_read_to_their_end(self) -> None:
        _, output, _ = self.check("/*\n** One\n** two\n*/\nint x;\n")
        self.assertIn("of 4 lines", output)

    def test_documentation_that_is_only_code(self) -> None:
        code, _, errors = self.check("/// `SQLITE_INSERT`\ncase insert\n")
        self.assertEqual(code, 1)
        self.assertIn(":2: the documentation is only code: `SQLITE_INSERT`", errors)

    def test_the_spelling_of_throws(self) -> None:
        code, _, errors = self.check("/// Closes.\n///\n/// - throws: an error.\npublic func close() throws\n")
        self.assertEqual(code, 1)
        self.assertIn('"- throws:" is written "- Throws:"', errors)

    def test_a_public_function_says_that_it_throws(self) -> None:
        for declaration in [
            "public func close() throws {",
            "public func close(\n    now: Bool\n) throws -> Int {",
            "@inlinable\npublic static func close() async throws {",
            "public init(path: String) throws {",
            "public convenience init() throws(CancellationError) {",
        ]:
            with self.subTest(declaration):
                code, _, errors = self.check(f"/// Closes the connection.\n{declaration}\n")
                self.assertEqual(code, 1)
                self.assertIn("the function throws, and its documentation doesn't say so", errors)

    def test_functions_that_need_no_such_line(self) -> None:
        for declaration in [
            "public func close() {",
            "func close() throws {",
            "public func read(_ body: () throws -> Void) rethrows {",
            "public func read(_ body: () throws -> Void) {",
            "public var handler: () throws -> Void {",
        ]:
            with self.subTest(declaration):
                code, _, errors = self.check(f"/// Closes the connection.\n{declaration}\n")
                self.assertEqual((code, errors), (0, ""))

    def test_the_discussion_may_say_it(self) -> None:
        code, _, _ = self.check("/// Closes the connection. Throws `SQLITE_BUSY`.\npublic func close() throws {\n")
        self.assertEqual(code, 0)

    def test_a_function_without_documentation_inherits_it(self) -> None:
        code, _, _ = self.check("public func close() throws {\n")
        self.assertEqual(code, 0)


if __name__ == "__main__":
    unittest.main()
