"""Patches: made, read and applied, and what is refused because it doesn't fit."""

from __future__ import annotations

import shutil
import subprocess
import unittest

from support import EngineTest

from engine import patch
from engine.patch import Hunk

NUMBERS = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = NUMBERS.replace("line 5\n", "line five\n").replace("line 30\n", "line 30\nline 30½\n").replace("line 38\n", "")


def applied(before: str, after: str, to: str) -> str:
    """The third string with the difference between the first two."""
    parsed = patch.parse(patch.difference({"a.c": before}, {"a.c": after}))
    return patch.apply({"a.c": to}, parsed, "Test")["a.c"]


class DifferenceTests(EngineTest):

    def test_a_difference_is_a_unified_diff(self) -> None:
        self.assertEqual(
            patch.difference({"a.c": "1\n2\n3\n4\n5\n"}, {"a.c": "1\n2\n3\nfour\n5\n"}),
            "--- a/a.c\n+++ b/a.c\n@@ -1,5 +1,5 @@\n 1\n 2\n 3\n-4\n+four\n 5\n",
        )

    def test_equal_files_have_no_difference(self) -> None:
        self.assertEqual(patch.difference({"a.c": NUMBERS}, {"a.c": NUMBERS}), "")

    def test_the_files_are_sorted_by_name(self) -> None:
        made = patch.difference({"b.h": "1\n", "a.c": "1\n"}, {"b.h": "2\n", "a.c": "2\n"})
        self.assertEqual(list(patch.parse(made)), ["a.c", "b.h"])

    def test_a_difference_applied_makes_the_other_file(self) -> None:
        ends = ["", "1\n", "1", "1\n2\n", "1\n2", "2", "\n", "\n\n1", NUMBERS, CHANGED, CHANGED + "end", NUMBERS[:-1]]
        for before in ends:
            for after in ends:
                self.assertEqual(applied(before, after, before), after, (before, after))

    def test_only_a_line_feed_ends_a_line(self) -> None:
        before, after = "1\f2\n3\v4\r5\u20286\x1e7\n", "1\f2\n3\v4\r5\u20286\x1e8\n"
        made = patch.difference({"a.c": before}, {"a.c": after})
        self.assertEqual(patch.parse(made)["a.c"][0].before, ("1\f2\n", "3\v4\r5\u20286\x1e7\n"))
        self.assertEqual(applied(before, after, before), after)

    @unittest.skipUnless(shutil.which("patch") and shutil.which("diff"), "diff and patch are not there")
    def test_diff_and_patch_of_the_system_agree(self) -> None:
        pairs = [(NUMBERS, CHANGED), (NUMBERS[:-1], CHANGED), (NUMBERS, CHANGED[:-1])]
        for number, (before, after) in enumerate(pairs):
            folder = self.folder / str(number)
            for side, text in (("a", before), ("b", after)):
                (folder / side).mkdir(parents=True)
                (folder / side / "a.c").write_text(text)
            for context in ("-u", "-U0", "-U1"):
                theirs = subprocess.run(["diff", context, "a/a.c", "b/a.c"], cwd=folder, capture_output=True, text=True)
                result = patch.apply({"a.c": before}, patch.parse(theirs.stdout), "Test")
                self.assertEqual(result["a.c"], after, context)
            ours = patch.difference({"a.c": before}, {"a.c": after})
            subprocess.run(["patch", "-s", "-F0", "-p1"], cwd=folder / "a", input=ours, text=True, check=True)
            self.assertEqual((folder / "a/a.c").read_text(), after)


class ParseTests(EngineTest):

    def test_hunks_are_in_order_with_the_lines_of_both_sides(self) -> None:
        text = "--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,3 @@ int f()\n 1\n+1½\n 2\n@@ -9 +10,0 @@\n-9\n"
        text += "--- a/b.h\n+++ b/b.h\n@@ -3 +3 @@\n-x\n+y\n"
        self.assertEqual(
            patch.parse(text),
            {
                "a.c": [Hunk(1, ("1\n", "2\n"), ("1\n", "1½\n", "2\n")), Hunk(9, ("9\n",), ())],
                "b.h": [Hunk(3, ("x\n",), ("y\n",))],
            },
        )

    def test_text_before_the_first_file_is_a_comment(self) -> None:
        made = patch.difference({"a.c": NUMBERS}, {"a.c": CHANGED})
        comment = "Cures of\n\n1. a failure\n+ plus\n- minus\n\\ backslash\n@@ -1 +1 @@\n\n"
        self.assertEqual(patch.parse(comment + made), patch.parse(made))

    def test_lines_that_look_like_headers_are_lines_of_their_hunk(self) -> None:
        before, after = "-- a/x\n@@ -1 +1 @@\n\\ No\n", "++ b/x\n@@ -1 +1 @@\n\\ No\n"
        self.assertEqual(applied(before, after, before), after)

    def test_an_empty_line_may_have_lost_its_space(self) -> None:
        text = "--- a/a.c\n+++ b/a.c\n@@ -1,3 +1,3 @@\n 1\n\n-3\n+three\n"
        self.assertEqual(patch.apply({"a.c": "1\n\n3\n"}, patch.parse(text), "Test")["a.c"], "1\n\nthree\n")

    def test_a_patch_that_is_cut_short_is_refused(self) -> None:
        made = patch.difference({"a.c": NUMBERS}, {"a.c": CHANGED})
        cut = "".join(made.splitlines(keepends=True)[:-2])
        self.assert_refuses("The patch of a.c is damaged: its hunk at line 35", lambda: patch.parse(cut))

    def test_a_hunk_that_is_longer_than_it_says_is_refused(self) -> None:
        text = "--- a/a.c\n+++ b/a.c\n@@ -1,1 +1,2 @@\n 1\n 2\n"
        self.assert_refuses("isn't as long as it says", lambda: patch.parse(text))


class ApplyTests(EngineTest):

    def test_hunks_may_have_moved(self) -> None:
        for before, after in (("added\n" * 300, ""), ("", "added\n" * 300), ("added\n" * 10, "added\n" * 500)):
            moved = before + NUMBERS.replace("line 20\n", "line 20\n" + after)
            expected = before + CHANGED.replace("line 20\n", "line 20\n" + after)
            self.assertEqual(applied(NUMBERS, CHANGED, moved), expected)

    def test_lines_that_are_missing_above_move_hunks_too(self) -> None:
        shorter = NUMBERS[NUMBERS.index("line 2\n") :].replace("line 15\nline 16\n", "")
        expected = CHANGED[CHANGED.index("line 2\n") :].replace("line 15\nline 16\n", "")
        self.assertEqual(applied(NUMBERS, CHANGED, shorter), expected)

    def test_a_hunk_is_applied_at_the_nearest_place_where_it_fits(self) -> None:
        block = "{\n  return;\n}\n"
        before = block + NUMBERS + block + NUMBERS + block
        after = block + NUMBERS + block.replace(";", " 1;") + NUMBERS + block
        self.assertEqual(applied(before, after, "moved\n" + before), "moved\n" + after)

    def test_a_hunk_is_expected_as_far_away_as_the_one_before_it_moved(self) -> None:
        """Without it, the second hunk would find the nearer copy of its lines."""
        twin = "{\n  return;\n}\n"
        far = "".join(f"far {number}\n" for number in range(30))
        first, second = "@@ -1 +1 @@\n-line 1\n+first\n", "@@ -41,3 +41,3 @@\n {\n-  return;\n+  1;\n }\n"
        parsed = patch.parse("--- a/a.c\n+++ b/a.c\n" + first + second)
        moved = far + NUMBERS.replace("line 12\n", "line 12\n" + twin) + twin
        result = patch.apply({"a.c": moved}, parsed, "Test")["a.c"]
        self.assertTrue(result.endswith("line 40\n{\n  1;\n}\n"), result[-60:])

    def test_a_hunk_that_moved_too_far_is_refused(self) -> None:
        far = "added\n" * (patch.REACH + 100)
        self.assert_refuses("near line 2", lambda: applied(NUMBERS, CHANGED, far + NUMBERS))

    def test_a_hunk_that_does_not_fit_is_refused_with_file_line_and_text(self) -> None:
        refusal = self.assert_refuses(
            "Test: a.c differs from what the patch expects near line 28.",
            lambda: applied(NUMBERS, CHANGED, NUMBERS.replace("line 29\n", "line 29 \n")),
        )
        self.assertEqual(refusal.why, "line 28\nline 29\nline 30\n")
        self.assertIn("--cipher none", refusal.next)

    def test_a_file_that_ends_differently_does_not_fit(self) -> None:
        self.assert_refuses("near line", lambda: applied("1\n2", "1\n3", "1\n2\n"))
        self.assert_refuses("near line", lambda: applied("1\n2\n", "1\n3\n", "1\n2"))

    def test_a_patch_is_not_applied_twice(self) -> None:
        self.assert_refuses("near line 2", lambda: applied(NUMBERS, CHANGED, CHANGED))

    def test_the_order_of_hunks_is_that_of_the_file(self) -> None:
        """A hunk is not applied above the one before it, although its lines are there."""
        parsed = {"a.c": [Hunk(30, ("line 30\n",), ("thirty\n",)), Hunk(31, ("line 5\n",), ("five\n",))]}
        self.assert_refuses("near line 31", lambda: patch.apply({"a.c": NUMBERS}, parsed, "Test"))

    def test_hunks_that_touch_are_both_applied(self) -> None:
        parsed = {"a.c": [Hunk(1, ("1\n",), ("one\n",)), Hunk(2, ("2\n",), ()), Hunk(3, ("3\n",), ("three\n",))]}
        self.assertEqual(patch.apply({"a.c": "1\n2\n3\n"}, parsed, "Test")["a.c"], "one\nthree\n")

    def test_only_wanted_hunks_are_applied(self) -> None:
        parsed = patch.parse(patch.difference({"a.c": NUMBERS}, {"a.c": CHANGED}))
        result = patch.apply({"a.c": NUMBERS}, parsed, "Test", lambda hunk: "line 5\n" not in hunk.before)
        self.assertEqual(result["a.c"], CHANGED.replace("line five\n", "line 5\n"))

    def test_files_without_a_hunk_stay_as_they_are(self) -> None:
        made = patch.parse(patch.difference({"a.c": NUMBERS}, {"a.c": CHANGED}))
        self.assertEqual(patch.apply({"a.c": NUMBERS, "b.h": "b"}, made, "Test"), {"a.c": CHANGED, "b.h": "b"})

    def test_a_patch_of_a_file_that_is_not_there_is_refused(self) -> None:
        made = patch.parse(patch.difference({"c.c": NUMBERS}, {"c.c": CHANGED}))
        self.assert_refuses("Test changes c.c, which is not there", lambda: patch.apply({"a.c": ""}, made, "Test"))


if __name__ == "__main__":
    unittest.main()
