"""Which code of documentation comments is compiled, and how."""

from __future__ import annotations

import unittest
from pathlib import Path

import support
from documentation import examples
from documentation.examples import HEAD, Example


class ExampleTests(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = support.ROOT / "Tests/EngineScripts"

    def read(self, source: str) -> list[Example]:
        path = self.folder / "Example.swift.tmp"
        path.write_text(source)
        self.addCleanup(path.unlink, missing_ok=True)
        return list(examples.read(path))

    def test_blocks_of_swift_are_read(self) -> None:
        found = self.read("/// Inserts.\n///\n/// ```swift\n/// try player.insert(db)\n///     x\n/// ```\nfunc f() {}\n")
        self.assertEqual([(it.line, it.code) for it in found], [(4, "try player.insert(db)\n    x")])

    def test_other_blocks_are_not_read(self) -> None:
        self.assertEqual(self.read("/// ```sql\n/// SELECT 1\n/// ```\n// ```swift\n// x\n// ```\n"), [])

    def test_the_code_keeps_its_place_in_the_file_that_is_compiled(self) -> None:
        for code in ["try player.insert(db)", "extension Player {}", "import Combine\ntry player.insert(db)"]:
            with self.subTest(code):
                lines = Example(Path("Player.swift"), 1, code).source(7).splitlines()
                self.assertEqual(lines[HEAD + code.count("\n")], code.splitlines()[-1])

    def test_statements_are_the_body_of_a_function(self) -> None:
        source = Example(Path("Player.swift"), 1, "try player.insert(db)").source(7)
        self.assertIn("func example7(_ names: Names) throws {", source)

    def test_asynchronous_code_is_the_body_of_an_asynchronous_function(self) -> None:
        source = Example(Path("Player.swift"), 1, "try await dbQueue.write { db in }").source(7)
        self.assertIn("func example7(_ names: Names) async throws {", source)

    def test_declarations_that_a_function_cannot_contain_are_a_file(self) -> None:
        source = Example(Path("Player.swift"), 1, "extension Player {}").source(7)
        self.assertNotIn("func example", source)

    def test_publishers_are_those_of_open_combine(self) -> None:
        source = Example(Path("Player.swift"), 1, "import Combine\nplayers.sink { _ in }").source(7)
        self.assertIn("import OpenCombine", source.splitlines()[0])


class StepTests(unittest.TestCase):
    ARTICLE = """
## Before

```swift
ignored
```

## Step 1: a schema

```swift
struct Note {
    var text: String
}
```

## Step 2: a column more

```swift
/// A note.
struct Note {
    var text: String
    var isDone = false
}

extension Note {
    var title: String { text }
}
```

## See also
"""

    def test_the_code_of_a_step_replaces_declarations_of_the_same_name(self) -> None:
        found = dict(examples.steps(self.ARTICLE))
        self.assertEqual(list(found), [1, 2])
        self.assertEqual(found[1], "struct Note {\n    var text: String\n}")
        self.assertEqual(found[2].count("struct Note"), 1)
        self.assertIn("isDone", found[2])

    def test_code_after_the_last_brace_is_compiled(self) -> None:
        article = "## Step 1\n\n```swift\nstruct Note {\n}\nlet limit = 10\n```\n"
        self.assertEqual(dict(examples.steps(article)), {1: "struct Note {\n}\nlet limit = 10"})

    def test_extensions_are_added(self) -> None:
        code = "```swift\nextension Note {{\n    var title{}: Int {{ 1 }}\n}}\n```\n"
        article = "## Step 1\n\n" + code.format("A") + "\n## Step 2\n\n" + code.format("B")
        self.assertEqual(dict(examples.steps(article))[2].count("extension Note"), 2)


if __name__ == "__main__":
    unittest.main()
