"""Release builds print the message of fatalError, and not the message of precondition."""

from __future__ import annotations

import re
import unittest

from support import ROOT

SILENT = re.compile(r"\b(precondition(Failure)?|assert(ionFailure)?)\(")


class TrapTests(unittest.TestCase):
    def test_misuse_ends_the_process_with_a_message(self) -> None:
        silent = []
        for path in sorted((ROOT / "Sources").rglob("*.swift")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if SILENT.search(line.partition("//")[0]):
                    silent.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
        self.assertEqual(silent, [], "use require(_:_:) or fatalError: release builds print their message")


if __name__ == "__main__":
    unittest.main()
