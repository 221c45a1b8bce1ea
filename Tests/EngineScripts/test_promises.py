"""The table of promises and the mutations refer to tests and lines that exist, and a mutation changes one line."""

from __future__ import annotations

import io
import os
import re
import subprocess
import tempfile
import textwrap
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from support import ROOT, command  # noqa: F401  (finds the packages of scripts/)
from promises import check, mutate, mutations, suites
from promises.mutations import MutationError

SOURCE = """\
struct Counter {
    func first() {
        count += 1
    }

    func second() {
        count += 1
        count *= 2
    }
}
"""
TEST = """\
@Suite struct CounterTests {
    @Test(arguments: [1, 2])
    func counts(_ number: Int) {
    }

    private func helper() {
    }
}
"""
MUTATION = """\
# The counter doubles.

mutation: half
file:     Sources/Module/Counter.swift
line:     count *= 2
becomes:  count *= 1
test:     ModuleTests/CounterTests/counts
"""
TABLE = """\
| stated in | promise | limits | test | mutation |
| --- | --- | --- | --- | --- |
| [README] | `a \\| b` is counted. | | `ModuleTests/CounterTests/counts` | `half` |

[README]: ../README.md
"""


class PromiseTest(unittest.TestCase):
    """A package with one source, one test, one promise and one mutation."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("README.md", "")
        self.write("Sources/Module/Counter.swift", SOURCE)
        self.write("Tests/ModuleTests/CounterTests.swift", TEST)
        self.write("Tests/Mutations/Module.txt", MUTATION)
        self.write("docs/reliability.md", TABLE)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class CheckTests(PromiseTest):
    def check(self) -> tuple[int, str]:
        suites.tests.cache_clear()
        errors = io.StringIO()
        with redirect_stdout(io.StringIO()), redirect_stderr(errors):
            return check.check(self.root), errors.getvalue()

    def expect(self, problem: str) -> None:
        code, errors = self.check()
        self.assertEqual(code, 1)
        self.assertIn(problem, errors)

    def test_a_promise_with_its_test_and_its_mutation(self) -> None:
        self.assertEqual(self.check(), (0, ""))

    def test_a_table_is_needed(self) -> None:
        self.write("docs/reliability.md", "# Promises\n")
        self.expect("has no table")

    def test_a_test_that_does_not_exist(self) -> None:
        self.write("Tests/ModuleTests/CounterTests.swift", TEST.replace("counts", "adds"))
        self.expect("half: there is no test ModuleTests/CounterTests/counts")

    def test_a_function_that_is_not_a_test(self) -> None:
        self.write("Tests/Mutations/Module.txt", MUTATION.replace("counts", "helper"))
        self.expect("half: there is no test ModuleTests/CounterTests/helper")

    def test_two_tests_of_one_name(self) -> None:
        self.write("Tests/ModuleTests/MoreTests.swift", TEST.replace("@Suite struct", "extension"))
        self.expect("half: there are 2 tests ModuleTests/CounterTests/counts")

    def test_a_line_that_does_not_exist(self) -> None:
        self.write("Sources/Module/Counter.swift", SOURCE.replace("*= 2", "*= 3"))
        self.expect("half: Sources/Module/Counter.swift doesn't have the line: count *= 2")

    def test_a_line_that_exists_twice(self) -> None:
        self.write("Tests/Mutations/Module.txt", MUTATION.replace("line:     count *= 2", "line:     count += 1"))
        self.expect("half: Sources/Module/Counter.swift has 2 times the line: count += 1")

    def test_a_file_that_does_not_exist(self) -> None:
        self.write("Tests/Mutations/Module.txt", MUTATION.replace("Counter.swift", "Adder.swift"))
        self.expect("half: there is no file Sources/Module/Adder.swift")

    def test_a_mutation_that_does_not_exist(self) -> None:
        self.write("docs/reliability.md", TABLE.replace("`half`", "`third`"))
        self.expect("docs/reliability.md:3: there is no mutation third")

    def test_a_mutation_without_a_promise(self) -> None:
        self.write("Tests/Mutations/More.txt", MUTATION.replace("half", "third"))
        self.expect("0 promises of docs/reliability.md name the mutation third, and not one")

    def test_a_mutation_that_runs_another_test(self) -> None:
        self.write("docs/reliability.md", TABLE.replace("counts", "adds"))
        self.expect("docs/reliability.md:3: the mutation half doesn't run ModuleTests/CounterTests/adds")

    def test_a_page_that_does_not_exist(self) -> None:
        self.write("docs/reliability.md", TABLE.replace("../README.md", "../LICENSE"))
        self.expect("there is no file ../LICENSE")

    def test_a_cell_that_is_missing(self) -> None:
        self.write("docs/reliability.md", TABLE.replace("| `half` |", "|"))
        self.expect("docs/reliability.md:3: a row has 5 cells")

    def test_the_table_of_the_repository(self) -> None:
        suites.tests.cache_clear()
        output, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(output), redirect_stderr(errors):
            code = check.check(ROOT)
        self.assertEqual((code, errors.getvalue()), (0, ""))


class MutationTests(unittest.TestCase):
    def mutation(self, **values: str) -> mutations.Mutation:
        text = MUTATION
        for key, value in values.items():
            if re.search(rf"^{key}:", text, re.MULTILINE):
                text = re.sub(rf"^{key}:.*$", lambda _: f"{key}: {value}", text, flags=re.MULTILINE)
            else:
                text += f"{key}: {value}\n"
        return next(mutations.parse(text, "Module.txt"))

    def test_one_line_changes_and_keeps_its_indentation(self) -> None:
        self.assertEqual(self.mutation().applied(SOURCE), SOURCE.replace("        count *= 2", "        count *= 1"))

    def test_a_line_is_removed(self) -> None:
        self.assertEqual(self.mutation(becomes="").applied(SOURCE), SOURCE.replace("        count *= 2\n", ""))

    def test_the_first_line_behind_another_one(self) -> None:
        found = self.mutation(line="count += 1", becomes="count += 2", after="func second() {")
        self.assertEqual(found.applied(SOURCE), SOURCE.replace("+= 1\n        count *=", "+= 2\n        count *="))

    def test_a_line_behind_that_is_missing(self) -> None:
        with self.assertRaisesRegex(MutationError, "doesn't have the line behind"):
            self.mutation(line="func first() {", after="func second() {").applied(SOURCE)

    def test_values_may_have_colons(self) -> None:
        self.assertEqual(self.mutation(line="case .a: b(c: d)").line, "case .a: b(c: d)")

    def test_what_cannot_be_read(self) -> None:
        wrong = {
            "the mutation that ends here has no test": MUTATION.replace("test: ", "# "),
            "a line begins with one of": MUTATION.replace("becomes", "then"),
            "has a second `line`": MUTATION + "line: x\n",
            "the line stays what it is": MUTATION.replace("*= 1", "*= 2"),
            "isn't a source file of the library": MUTATION.replace("Sources", "Tests"),
        }
        for problem, text in wrong.items():
            with self.subTest(problem), self.assertRaisesRegex(MutationError, problem):
                list(mutations.parse(text, "Module.txt"))

    def test_the_filter_is_of_whole_names(self) -> None:
        pattern = suites.pattern(["A/SuiteTests/one", "A/SuiteTests/two", "B/SuiteTests/one"])
        for found in ("A.SuiteTests/one()", "A.SuiteTests/two(_:)", "B.SuiteTests/one()"):
            self.assertRegex(found, pattern)
        for other in ("A.SuiteTests/oneMore()", "AB.SuiteTests/one()", "B.SuiteTests/two()", "A.MoreSuiteTests/one()"):
            self.assertNotRegex(other, pattern)


class MutateTests(PromiseTest):
    """scripts/proof/mutate with a `swift` that compiles nothing, and whose only test fails if a line of the source is missing."""

    SWIFT = """\
        echo "$*" >> "$CALLS"
        case "$1" in
        build) ! grep -q syntax Sources/Module/Counter.swift ;;
        test)
            echo 'Test run started.'
            grep -q 'count [*]= 2' Sources/Module/Counter.swift || exit 1
            echo 'Test run with 1 test in 1 suite passed after 0.1 seconds.' ;;
        esac
        """

    def setUp(self) -> None:
        super().setUp()
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        self.write(".gitignore", ".build*/\n")
        programs = self.root / ".build-programs"
        command(programs, "swift", textwrap.dedent(self.SWIFT))
        path = f"{programs}:{os.environ['PATH']}"
        self.calls = programs / "calls"
        for patch in (
            mock.patch.dict(os.environ, {"PATH": path, "CALLS": str(self.calls)}),
            mock.patch.object(mutate, "ROOT", self.root),
            mock.patch.object(mutate, "prepare_sources"),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def mutate(self, *arguments: str) -> tuple[int, str]:
        output = io.StringIO()
        with redirect_stdout(output), redirect_stderr(output):
            code = mutate.main(list(arguments))
        return code, output.getvalue()

    def test_a_mutation_turns_its_test_red(self) -> None:
        code, output = self.mutate("--all")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"\nred +0 s +0 s  half\n1 of 1 mutations turned their tests red\.\n$")
        self.assertEqual([line.split()[0] for line in self.calls.read_text().splitlines()], ["build", "test"] * 2)

    def test_the_copy_is_what_it_was(self) -> None:
        self.mutate("--all")
        copied = self.root / mutate.SCRATCH / "tree/Sources/Module/Counter.swift"
        self.assertEqual(copied.read_text(), SOURCE)

    def test_a_mutation_whose_test_passes(self) -> None:
        self.write("Tests/Mutations/Module.txt", MUTATION.replace("*= 2", "+= 1\nafter: func second() {").replace("*= 1", "+= 3"))
        code, output = self.mutate("--all")
        self.assertEqual(code, 1)
        self.assertIn("half: a test passes without the promise: ModuleTests/CounterTests/counts", output)

    def test_a_mutation_that_does_not_compile(self) -> None:
        self.write("Tests/Mutations/Module.txt", MUTATION.replace("*= 1", "syntax"))
        code, output = self.mutate("--only", "half")
        self.assertEqual(code, 1)
        self.assertIn("half: Sources/Module/Counter.swift doesn't compile with the change", output)

    def test_the_unchanged_package_has_to_pass(self) -> None:
        self.write(".build-programs/swift", "#!/bin/sh\n[ $1 = build ]\n")
        code, output = self.mutate("--all")
        self.assertEqual(code, 1)
        self.assertIn("tests of the unchanged package fail", output)

    def test_all_named_tests_have_to_run(self) -> None:
        self.write("Tests/Mutations/Module.txt", MUTATION + "test: ModuleTests/CounterTests/adds\n")
        code, output = self.mutate("--all")
        self.assertEqual(code, 1)
        self.assertIn("1 tests have run, and not 2", output)

    def test_changes_of_the_working_tree_are_copied(self) -> None:
        self.mutate("--all")
        self.write("Sources/Module/Other.swift", "// New\n")
        (self.root / "Tests/ModuleTests/CounterTests.swift").unlink()
        self.mutate("--all")
        tree = self.root / mutate.SCRATCH / "tree"
        self.assertEqual((tree / "Sources/Module/Other.swift").read_text(), "// New\n")
        self.assertFalse((tree / "Tests/ModuleTests/CounterTests.swift").exists())

    def test_a_seed_repeats_the_choice(self) -> None:
        many = [MUTATION.replace("half", f"number-{number}") for number in range(40)]
        self.write("Tests/Mutations/Module.txt", "\n".join(many))
        chosen = [self.mutate("--list", "--random", "8", "--seed", str(seed))[1] for seed in (1, 1, 2)]
        self.assertEqual(chosen[0], chosen[1])
        self.assertNotEqual(chosen[0], chosen[2])
        self.assertEqual(len(chosen[0].splitlines()), 9)

    def test_an_unknown_mutation(self) -> None:
        code, output = self.mutate("--only", "third")
        self.assertEqual(code, 1)
        self.assertIn("there is no mutation third", output)


if __name__ == "__main__":
    unittest.main()
