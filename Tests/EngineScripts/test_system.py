"""What a machine lacks: installed where that is possible, and otherwise asked for by the exact command."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from unittest import mock

from support import ROOT, EngineTest, command

from engine import system
from engine.system import Tool

TOOL = Tool(("frobnicate", "frob"), "frobnicator")


class InstallTests(EngineTest):

    def setUp(self) -> None:
        super().setUp()
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        for patch in (
            mock.patch.dict(os.environ, PATH=f"{self.tools}:/usr/bin:/bin"),
            mock.patch.object(system, "may_install", True),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def apt(self, script: str) -> None:
        command(self.tools, "apt-get", f'echo "$@" >> {self.folder}/asked\n{script}\n')

    def asked(self) -> str:
        return (self.folder / "asked").read_text() if (self.folder / "asked").exists() else ""

    def require(self, user: int = 0) -> None:
        with mock.patch("os.geteuid", lambda: user):
            self.captured(lambda: system.require([TOOL]))

    def test_any_of_the_commands_will_do(self) -> None:
        command(self.tools, "frob", "")
        self.require()
        self.assertEqual(system.path_of(TOOL), str(self.tools / "frob"))

    def test_root_installs_the_package(self) -> None:
        self.apt(f"cp /bin/true {self.tools}/frob")
        self.require()
        self.assertIn("-qq install -y --no-install-recommends frobnicator", self.asked())

    def test_the_package_lists_are_renewed_when_the_first_try_fails(self) -> None:
        self.apt(f'case "$2" in update) touch {self.folder}/renewed;; install) [ -e {self.folder}/renewed ];; esac')
        self.require()
        self.assertEqual([line.split()[1] for line in self.asked().splitlines()], ["install", "update", "install"])

    def test_what_can_not_be_installed_is_asked_for(self) -> None:
        self.apt("exit 100")
        self.assert_refuses("Run: sudo apt-get install frobnicator", self.require)

    def test_a_user_without_rights_is_told_the_command(self) -> None:
        self.apt("")
        command(self.tools, "sudo", "exit 1\n")
        self.assert_refuses("Run: sudo apt-get install frobnicator", lambda: self.require(user=1000))
        self.assertEqual(self.asked(), "")

    def test_a_user_who_may_use_sudo_installs(self) -> None:
        self.apt("")
        command(self.tools, "sudo", '[ "$1" = -n ] && shift\nexec "$@"\n')
        self.require(user=1000)
        self.assertIn("frobnicator", self.asked())

    def test_offline_installs_nothing(self) -> None:
        self.apt("")
        with mock.patch.object(system, "may_install", False):
            self.assert_refuses("Run: sudo apt-get install frobnicator", self.require)
        self.assertEqual(self.asked(), "")

    def test_a_mac_is_told_its_own_command(self) -> None:
        with mock.patch("platform.system", lambda: "Darwin"), mock.patch("shutil.which", lambda _: None):
            self.assert_refuses("xcode-select --install", self.require)


class EntryTests(EngineTest):
    """The shell scripts of the engine, up to the point where Python takes over."""

    def run_script(self, name: str, path: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [shutil.which("bash"), ROOT / "scripts" / name],
            env={**os.environ, "PATH": path},
            text=True,
            capture_output=True,
        )

    def test_a_machine_without_python_is_told_what_to_install(self) -> None:
        for tool in ("dirname", "id"):
            (self.folder / tool).symlink_to(shutil.which(tool))
        run = self.run_script("bootstrap", path=str(self.folder))
        self.assertEqual(run.returncode, 1)
        self.assertIn("sudo apt-get install python3", run.stderr)

    def test_a_machine_without_python_installs_it_where_it_can(self) -> None:
        for tool in ("dirname", "id", "env"):
            (self.folder / tool).symlink_to(shutil.which(tool))
        command(self.folder, "apt-get", f'echo "$@" > {self.folder}/asked\n')
        command(self.folder, "sudo", '[ "$1" = -n ] && shift\n[ "$1" = true ] && exit 0\nexec "$@"\n')
        self.run_script("bootstrap", path=str(self.folder))
        self.assertIn("install", (self.folder / "asked").read_text())


if __name__ == "__main__":
    unittest.main()
