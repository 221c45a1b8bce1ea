"""The scripts of the repository, and their descriptions."""

from __future__ import annotations

import os
import subprocess
import unittest
from pathlib import Path

from support import ROOT


def scripts_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK))


def all_scripts() -> list[str]:
    folders = [ROOT / "scripts", ROOT / "scripts/checks", ROOT / "scripts/proof"]
    return [str(path.relative_to(ROOT)) for folder in folders for path in scripts_in(folder)]


def run(*arguments: object, folder: Path = ROOT) -> subprocess.CompletedProcess:
    return subprocess.run([str(it) for it in arguments], cwd=folder, text=True, capture_output=True)


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


if __name__ == "__main__":
    unittest.main()
