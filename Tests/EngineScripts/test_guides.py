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

    # A page declares the connections that its code uses.

    def show(self, *parts: str) -> list[Path]:
        """Updates a page whose blocks are these parts of a test, with a line of words before each block."""
        names = [f"part{index}" for index in range(len(parts))]
        self.test.write_text("".join(f"// guide: {name}\n{part}\n// end\n" for name, part in zip(names, parts)))
        return self.update("".join(f"Words\n<!-- Tests/Records.swift: {name} -->\n```swift\n```\n" for name in names))

    def assert_refused(self, message: str, *parts: str) -> None:
        with self.assertRaisesRegex(guides.GuideError, message):
            self.show(*parts)

    def test_a_connection_that_no_block_declares_is_refused(self) -> None:
        self.assert_refused(
            r"Records.md:5: declare dbQueue in a block of this page before this use: `let dbQueue = try DatabaseQueue\(\)`",
            "let x = 1\ntry dbQueue.write { db in }",
        )
        self.assert_refused(r"Records.md:4: declare dbPool .*: `let dbPool = try DatabasePool", "try f(dbPool)")
        self.assert_refused(r"Records.md:4: declare dbQueue .*\nRecords.md:5: declare dbPool ", "f(dbQueue)\nf(dbPool)")

    def test_a_connection_that_is_declared_later_is_refused(self) -> None:
        self.assert_refused("Records.md:4: declare dbQueue", "try dbQueue.close()", "let dbQueue = try DatabaseQueue()")
        self.assert_refused("Records.md:4: declare dbQueue", "let dbQueue = dbQueue")

    def test_an_earlier_block_declares_a_connection(self) -> None:
        self.show("let dbQueue = try DatabaseQueue()", 'let x = "}"  // }', "try dbQueue.write { db in }")
        self.show("let dbPool = try DatabasePool(\n    path: path)\nif true {\n    try dbPool.close()\n}")
        self.show("if let dbQueue = make() { dbQueue.close() }")

    def test_a_declaration_counts_in_its_scope_only(self) -> None:
        self.assert_refused("Records.md:11: declare dbPool", "func f() {\n    let dbPool = make()\n}", "dbPool.close()")
        self.assert_refused("Records.md:11: declare dbPool", "func f(dbPool: DatabasePool) {\n    run()\n}", "dbPool.close()")
        self.assert_refused("Records.md:11: declare dbQueue", "each { dbQueue in\n    dbQueue.close()\n}", "f(dbQueue)")

    def test_a_parameter_declares_a_connection(self) -> None:
        self.show("func close(_ dbQueue: DatabaseQueue, then run: () -> Void) throws {\n    try dbQueue.close()\n}")
        self.show("init<T>(dbPool: DatabasePool, with t: T) {\n    self.dbPool = dbPool\n}")
        self.show("run { () in x() }")
        self.show("try queues.forEach { dbQueue in try dbQueue.close() }")
        self.show("f { [x] (count: Int, dbPool: DatabasePool) async throws -> Void in\n    try dbPool.close()\n}")

    def test_members_labels_and_comments_are_not_uses(self) -> None:
        self.show("try app.dbQueue.close()  // as dbQueue\nApp(dbPool: pool)\nlet path = \\App.dbPool")
        self.assert_refused("Records.md:4: declare dbQueue", "App(dbQueue: dbQueue)")

    def test_other_code_blocks_neither_use_nor_declare_connections(self) -> None:
        self.test.write_text("// guide: x\nx()\n// end\n")
        self.update("<!-- Tests/Records.swift: x -->\n```swift\n```\n\n```\ndbQueue.close()\n```\n")
        self.test.write_text("// guide: x\ndbQueue.close()\n// end\n")
        with self.assertRaisesRegex(guides.GuideError, "Records.md:7: declare dbQueue"):
            self.update("```\nlet dbQueue = x\n```\n\n<!-- Tests/Records.swift: x -->\n```swift\n```\n")


if __name__ == "__main__":
    unittest.main()
