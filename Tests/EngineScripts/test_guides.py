"""The code of a guide is copied from its test, and a page without a test is refused."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  (finds the packages of scripts/)
from documentation import guides

TEST = """
@Test func inserting() throws {
    try dbQueue.write { db in
        // guide: insert
        try player.insert(db)
        if true {
            print("done")
        }
        // end
        #expect(true)
    }
}
"""


class GuideTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "Tests").mkdir()
        (self.root / "pages").mkdir()
        self.page = self.root / "pages/Records.md"
        self.test = self.root / "Tests/Records.swift"
        self.test.write_text(TEST)

    def update(self, page: str, writes: bool = True) -> list[Path]:
        self.page.write_text(page)
        return guides.update([self.page], self.root, writes=writes)

    def test_code_is_copied_without_its_indentation(self) -> None:
        outdated = self.update("Insert:\n\n<!-- Tests/Records.swift: insert -->\n```swift\n```\n")
        self.assertEqual(outdated, [self.page])
        self.assertEqual(
            self.page.read_text(),
            "Insert:\n\n<!-- Tests/Records.swift: insert -->\n```swift\n"
            'try player.insert(db)\nif true {\n    print("done")\n}\n```\n',
        )
        self.assertEqual(guides.update([self.page], self.root, writes=True), [])

    def test_a_page_that_differs_is_left_alone_by_the_check(self) -> None:
        page = "<!-- Tests/Records.swift: insert -->\n```swift\nold()\n```\n"
        self.assertEqual(self.update(page, writes=False), [self.page])
        self.assertEqual(self.page.read_text(), page)

    def test_parts_of_one_name_follow_each_other(self) -> None:
        self.test.write_text(
            "    // guide: a\n    for it in all {\n        // end\n        hidden()\n        // guide: a\n    }\n    // end\n"
        )
        self.update("<!-- Tests/Records.swift: a -->\n```swift\n```\n")
        self.assertIn("```swift\nfor it in all {\n}\n```", self.page.read_text())

    def test_swift_without_a_test_is_refused(self) -> None:
        with self.assertRaisesRegex(guides.GuideError, "Records.md:3: name the part of a test"):
            self.update("Insert:\n\n```swift\nplayer.insert(db)\n```\n")

    def test_an_unknown_part_is_refused(self) -> None:
        with self.assertRaisesRegex(guides.GuideError, "has no part 'delete'"):
            self.update("<!-- Tests/Records.swift: delete -->\n```swift\n```\n")

    def test_an_unknown_file_is_refused(self) -> None:
        with self.assertRaisesRegex(guides.GuideError, "there is no file"):
            self.update("<!-- Tests/Other.swift: insert -->\n```swift\n```\n")

    def test_a_part_that_no_page_shows_is_refused(self) -> None:
        self.test.write_text(TEST + "// guide: unused\nx()\n// end\n")
        with self.assertRaisesRegex(guides.GuideError, "'unused', but no page shows it"):
            self.update("<!-- Tests/Records.swift: insert -->\n```swift\n```\n")

    def test_other_code_blocks_are_left_alone(self) -> None:
        self.assertEqual(
            self.update("<!-- Tests/Records.swift: insert -->\n```swift\n```\n\n```sql\nSELECT 1\n```\n"), [self.page]
        )
        self.assertIn("```sql\nSELECT 1\n```", self.page.read_text())


if __name__ == "__main__":
    unittest.main()
