"""The scripts of the repository: their descriptions, and how steps and results are reported."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

from support import ROOT, EngineTest, command

# What scripts/proof/all runs with --long only.
LONG = {"busy", "random"}


def scripts_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK))


def all_scripts() -> list[str]:
    folders = [ROOT / "scripts" / name for name in ("", "checks", "proof", "replication")]
    return [str(path.relative_to(ROOT)) for folder in folders for path in scripts_in(folder)]


def allow_interruption() -> None:
    """Jobs in the background ignore SIGINT, and bash can't trap a signal that its parent ignores."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(*arguments: object, folder: Path = ROOT) -> subprocess.CompletedProcess:
    command = [str(it) for it in arguments]
    return subprocess.run(command, cwd=folder, text=True, capture_output=True, preexec_fn=allow_interruption)


class DescriptionTests(unittest.TestCase):

    def test_every_script_explains_itself(self) -> None:
        for script in all_scripts():
            with self.subTest(script):
                explained = run(ROOT / script, "--help", folder=Path("/"))
                self.assertEqual(explained.returncode, 0, explained.stderr)
                self.assertIn(f"usage: {script}", explained.stdout)

    def test_help_has_a_sentence_for_every_script(self) -> None:
        lines = [line.split(maxsplit=1) for line in run("scripts/help").stdout.splitlines()]
        described = {line[0]: line[1] for line in lines if line and line[0].startswith("scripts/")}
        self.assertEqual(sorted(described), sorted(all_scripts()))
        for script, sentence in described.items():
            self.assertRegex(sentence, r"^[A-Z].+ .+\.$", script)


class StepTests(EngineTest):

    def steps(self, script: str) -> subprocess.CompletedProcess:
        return run("bash", "-c", f"set -euo pipefail; source {ROOT}/scripts/steps.sh; {script}", folder=self.folder)

    def test_every_step_is_in_the_table(self) -> None:
        finished = self.steps("step First; true; step 'The second'; true; end_step")
        self.assertEqual(finished.returncode, 0, finished.stderr)
        table = finished.stdout.partition("== Steps\n")[2]
        self.assertRegex(table, r"^passed +\d+ s  First\npassed +\d+ s  The second\nin all +\d+ s\n$")

    def test_the_end_of_a_step_prints_its_time(self) -> None:
        finished = self.steps("step First; sleep 1.1; step Second; end_step")
        self.assertRegex(finished.stdout, r"== passed after [1-9] s: First\n\n== Second\n")

    def test_a_failed_step_ends_the_script_and_the_table(self) -> None:
        failed = self.steps("step First; step Second; (exit 3); step Third; end_step")
        self.assertEqual(failed.returncode, 3)
        table = failed.stdout.partition("== Steps\n")[2]
        self.assertRegex(table, r"^passed +\d+ s  First\nfailed +\d+ s  Second\nin all +\d+ s\n$")

    def test_a_terminated_step_has_failed(self) -> None:
        terminated = self.steps("step First; kill -TERM $$; sleep 5; end_step")
        self.assertEqual(terminated.returncode, -15)
        self.assertRegex(terminated.stdout, r"failed +\d+ s  First")


class ProofTests(EngineTest):
    """scripts/proof/all, among scripts that do nothing but note how they were called."""

    def setUp(self) -> None:
        super().setUp()
        self.names = [path.name for path in scripts_in(ROOT / "scripts/proof") if path.name != "all"]
        self.proof = self.folder / "scripts/proof"
        self.proof.mkdir(parents=True)
        shutil.copy(ROOT / "scripts/steps.sh", self.folder / "scripts")
        shutil.copy(ROOT / "scripts/proof/all", self.proof)
        command(self.folder / "scripts", "bootstrap", "")
        for name in self.names:
            self.script(name)

    def script(self, name: str, end: str = "exit 0") -> None:
        command(self.proof, name, f'echo "{name} $*" >> {self.folder}/called\n{end}\n')

    def prove(self, *arguments: str) -> subprocess.CompletedProcess:
        return run(self.proof / "all", *arguments, folder=Path("/"))

    def called(self) -> list[str]:
        return (self.folder / "called").read_text().splitlines()

    def test_every_script_runs(self) -> None:
        proven = self.prove("--long")
        self.assertEqual(proven.returncode, 0, proven.stderr)
        self.assertEqual({line.split()[0] for line in self.called()}, set(self.names))

    def test_two_scripts_are_for_long_runs(self) -> None:
        self.prove()
        self.assertEqual(set(self.names) - {line.split()[0] for line in self.called()}, LONG)

    def test_it_goes_on_after_a_failure(self) -> None:
        self.script("kill-test", "exit 2")
        self.script("soak", "exit 1")
        proven = self.prove()
        self.assertEqual(proven.returncode, 1)
        self.assertEqual({line.split()[0] for line in self.called()}, set(self.names) - LONG)
        table = proven.stdout.partition("#### Steps\n")[2].splitlines()
        self.assertEqual(len(table), len(self.called()) + 1)
        failed = [line.split("/")[-1] for line in table if line.startswith("failed")]
        self.assertEqual(failed, ["kill-test", "soak --minutes 5"])

    def test_the_minutes_are_those_of_soak(self) -> None:
        self.prove("--minutes", "2")
        self.assertIn("soak --minutes 2", self.called())

    def test_the_fuzzers_have_ten_minutes_each_in_a_long_run(self) -> None:
        self.prove()
        self.assertIn("fuzz --seconds 30", self.called())
        self.prove("--long")
        self.assertIn("fuzz --seconds 600", self.called())

    def test_an_interruption_ends_the_run(self) -> None:
        self.script("sqlite-tests", "trap 'exit 1' INT; kill -INT $PPID; exit 1")
        proven = self.prove()
        self.assertEqual(proven.returncode, 130)
        self.assertEqual(self.called()[-1], "sqlite-tests ")
        self.assertRegex(proven.stdout, r"failed +\d+ s  scripts/proof/sqlite-tests\nin all")


if __name__ == "__main__":
    unittest.main()
