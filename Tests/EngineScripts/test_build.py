"""A build from start to end: what it writes, when it does nothing, and what is left when it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest
from pathlib import Path

from support import FILES, ROOT, EngineTest, check_in, work_in_progress

from engine import headers, symbols, system
from engine.headers import MODULE_MAP_MARK


class BuildTests(EngineTest):

    def test_a_build_writes_the_complete_set(self) -> None:
        self.built()
        names = {path.name for path in self.project.home.iterdir() if not path.name.startswith(".")}
        self.assertEqual(
            names,
            {
                "sqlite.lock",
                "options",
                "sqlite3.c",
                "sqlite3.h",
                "choice",
                "build.json",
                "amalgam_options.h",
                "amalgam_platform.h",
                "amalgam_symbols.h",
                "amalgam_build.h",
            },
        )
        self.assertEqual(self.leftovers(), [])

    def test_the_amalgamation_step_gets_the_options(self) -> None:
        self.built("--with", "MAX_ATTACHED=125")
        self.assertIn("-DSQLITE_MAX_ATTACHED=125", self.header("sqlite3.c"))

    def test_the_symbols_are_those_of_the_object_with_exactly_these_options(self) -> None:
        self.built()
        self.assertIn("#pragma redefine_extname sqlite3_open amalgam_sqlite3_open", self.header("amalgam_symbols.h"))
        self.assertNotIn("sqlite3_private", self.header("amalgam_symbols.h"))
        self.assertEqual(self.record()["symbols"], 3)
        self.built("--with", "SOUNDEX")
        self.assertEqual(self.record()["symbols"], 4)

    def test_a_declared_function_that_is_left_out_is_sealed_too(self) -> None:
        self.built()
        self.assertIn(
            "#pragma redefine_extname sqlite3_soundex amalgam_sqlite3_soundex", self.header("amalgam_symbols.h")
        )

    def test_functions_for_the_hook_that_sqlite_has_once_are_mapped_to_ours(self) -> None:
        header = headers.symbols(["sqlite3_open", "sqlite3session_create"], "0" * 64)
        self.assertIn("#pragma redefine_extname sqlite3_open amalgam_sqlite3_open\n", header)
        self.assertIn(
            "#ifdef AMALGAM_COMPILES_SQLITE\n"
            "#pragma redefine_extname sqlite3session_create amalgam_sqlite3session_create\n"
            "#else\n"
            "#pragma redefine_extname sqlite3session_create amalgam_shared_session_create\n"
            "#endif\n",
            header,
        )

    def test_the_headers_seal_the_object(self) -> None:
        self.built()
        compiled = self.compile("amalgam_options.h", "amalgam_symbols.h", "sqlite3.c", "amalgam_build.h")
        self.assertEqual(symbols.foreign(symbols.of_object(compiled)), [])

    def test_the_same_options_on_the_command_line_do_not_warn(self) -> None:
        self.built()
        self.compile("amalgam_options.h", flags=["-DSQLITE_DQS=0", "-DSQLITE_ENABLE_FTS5", "-Werror"])

    def test_the_record_tells_what_was_built(self) -> None:
        self.built("--without", "ENABLE_GEOPOLY")
        record = self.record()
        self.assertEqual(record["check_in"], check_in(FILES))
        self.assertEqual(record["origin"], "tree, given by the user")
        self.assertEqual(record["verification"], f"check-in hash and {len(FILES)} files verified")
        self.assertEqual(record["chosen"], ["-ENABLE_GEOPOLY"])
        self.assertTrue(record["is_canonical"])
        self.assertIn("#define AMALGAM_CUSTOM_OPTIONS 1", self.header("amalgam_build.h"))

    def test_nothing_of_this_machine_is_in_the_files(self) -> None:
        self.built()
        for name, text in self.state().items():
            self.assertNotIn(str(self.folder), text, name)

    def test_options_that_do_not_compile_change_nothing(self) -> None:
        self.built()
        before = self.state()
        self.refused(self.bootstrap("--with", "MAX_ATTACHED=126"), "does not compile", "must be between 0 and 125")
        self.assertEqual(self.state(), before)

    def test_options_that_leave_out_a_function_that_swift_calls_are_refused(self) -> None:
        source = self.project.root / "Sources/AmalgamCore/Words.swift"
        source.parent.mkdir(parents=True)
        source.write_text("let x = sqlite3_soundex(1) + sqlite3_open() // sqlite3_unknown_type")
        self.refused(self.bootstrap("--origin", self.tree), "leave out sqlite3_soundex", "AmalgamCore/Words.swift")
        self.built("--with", "SOUNDEX")

    def test_calls_that_ask_for_their_option_are_not_missed(self) -> None:
        source = self.project.root / "Sources/CAmalgam/shims/words.h"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("#ifdef SQLITE_ENABLE_X\nsqlite3_soundex();\n#else\n0;\n#endif\n")
        self.built("--origin", self.tree)
        source.write_text("#ifdef SQLITE_ENABLE_X\n#if 1\n#endif\n#endif\nsqlite3_soundex();\n")
        self.refused(self.bootstrap("--origin", self.tree, "--with", "MAX_ATTACHED=9"), "leave out sqlite3_soundex")

    def test_a_missing_library_is_refused_with_its_package(self) -> None:
        self.built()
        before = self.state()
        run = self.bootstrap("--with", "ENABLE_ICU", "--offline")
        self.refused(run, "libnowhere-dev")
        self.assertEqual(self.state(), before)

    def test_a_library_is_linked_by_a_module_map_that_goes_away_again(self) -> None:
        lines = self.project.home.joinpath("options").read_text().replace("| nowhere | nowhere.h |", "| m | math.h |")
        self.project.home.joinpath("options").write_text(lines)
        self.built("--with", "ENABLE_FTS5", "--with", "ENABLE_ICU")
        self.assertIn('link "m"', self.project.module_map.read_text())
        self.built("--default")
        self.assertFalse(self.project.module_map.exists())

    def test_a_header_that_this_origin_does_not_have_goes_away(self) -> None:
        (self.project.home / "sqlite3ext.h").write_text("of an earlier build")
        self.built()
        self.assertFalse((self.project.home / "sqlite3ext.h").exists())

    def test_a_module_map_of_somebody_else_stays(self) -> None:
        self.project.module_map.parent.mkdir(parents=True)
        self.project.module_map.write_text("module CAmalgam {}")
        self.built()
        self.assertNotIn(MODULE_MAP_MARK, self.project.module_map.read_text())

    def compile(self, *names: str, flags: list[str] = []) -> Path:
        source = self.folder / "unit.c"
        source.write_text("".join(f'#include "{self.project.home / name}"\n' for name in names))
        system.checked([system.compiler(), *flags, "-c", source, "-o", source.with_suffix(".o")])
        return source.with_suffix(".o")


class AgainTests(EngineTest):
    """The second run with the same choice does nothing; anything that changed makes it work again."""

    def test_the_same_choice_again_does_nothing(self) -> None:
        self.built()
        before = {path: path.stat().st_mtime_ns for path in self.project.home.glob("*")}
        run = self.bootstrap()
        self.assertIn("nothing to do", run.output)
        self.assertEqual(len(run.output.splitlines()), 1)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in self.project.home.glob("*")})

    def test_a_run_without_options_keeps_the_choice_made_last(self) -> None:
        self.built("--with", "SOUNDEX")
        self.assertIn("nothing to do", self.bootstrap().output)
        self.assertIn("SQLITE_SOUNDEX", self.header("amalgam_options.h"))

    def test_default_goes_back(self) -> None:
        self.built("--with", "SOUNDEX")
        self.assertNotIn("nothing to do", self.bootstrap("--default").output)
        self.assertNotIn("SQLITE_SOUNDEX", self.header("amalgam_options.h"))
        self.assertIn("#define AMALGAM_CUSTOM_OPTIONS 0", self.header("amalgam_build.h"))

    def test_a_choice_is_counted_from_the_default_options(self) -> None:
        self.built("--with", "SOUNDEX")
        self.built("--with", "MAX_ATTACHED=20")
        self.assertNotIn("SQLITE_SOUNDEX", self.header("amalgam_options.h"))

    def test_a_damaged_file_is_built_again(self) -> None:
        self.built()
        good = self.header("sqlite3.c")
        (self.project.home / "sqlite3.c").write_text("int evil;")
        self.assertNotIn("nothing to do", self.bootstrap().output)
        self.assertEqual(self.header("sqlite3.c"), good)

    def test_a_missing_file_is_built_again(self) -> None:
        self.built()
        (self.project.home / "amalgam_symbols.h").unlink()
        self.assertEqual(self.bootstrap().code, 0)
        self.assertIn("redefine_extname", self.header("amalgam_symbols.h"))

    def test_another_lock_is_built_again(self) -> None:
        self.built()
        self.write_project(check_in_hash="0" * 64)
        self.refused(self.bootstrap("--offline"), "No origin delivered")


class InterruptionTests(EngineTest):
    """A run that ends early leaves what was there before, or what comes after it: never a mixture."""

    def test_a_run_that_is_killed_while_it_builds_changes_nothing(self) -> None:
        self.built()
        before = self.state()
        process = self.start(slow_make=True)
        self.wait_for("Making the amalgamation", process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertEqual(self.state(), before)
        self.assertIn("nothing to do", self.bootstrap().output)
        self.built("--with", "SOUNDEX")
        self.assertEqual(self.leftovers(), [])

    def test_a_run_that_is_stopped_cleans_up_behind_itself(self) -> None:
        self.built()
        before = self.state()
        for stop in (signal.SIGTERM, signal.SIGINT):
            process = self.start(slow_make=True)
            self.wait_for("Making the amalgamation", process)
            process.send_signal(stop)
            self.assertNotEqual(process.wait(), 0)
            self.assertEqual(self.state(), before)
            self.assertEqual(self.leftovers(), [])

    def test_a_run_that_is_killed_while_it_installs_is_finished_by_the_next(self) -> None:
        """Killed after every possible number of files; `finished` is the number that there are."""
        finished = 0
        while True:
            self.built("--default")
            process = self.start("--with", "SOUNDEX", dies_after=finished)
            if process.wait() == 0:
                break
            finished += 1
            self.bootstrap()
            self.assertIn("nothing to do", self.bootstrap("--with", "SOUNDEX").output)
            self.assertEqual(work_in_progress(self.project.home), [])
        self.assertEqual(finished, len(self.record()["files"]) + 1)

    def test_two_runs_at_once_wait_for_each_other(self) -> None:
        self.built()
        processes = [self.start("--with", "SOUNDEX") for _ in range(3)]
        self.assertEqual([process.wait() for process in processes], [0, 0, 0])
        self.assertIn("nothing to do", self.bootstrap("--with", "SOUNDEX").output)

    def test_a_mixture_of_two_sets_does_not_compile(self) -> None:
        self.built()
        old = self.header("amalgam_options.h")
        self.built("--with", "SOUNDEX")
        (self.project.home / "amalgam_options.h").write_text(old)
        source = self.folder / "unit.c"
        names = ("amalgam_options.h", "amalgam_symbols.h", "sqlite3.c", "amalgam_build.h")
        source.write_text("".join(f'#include "{self.project.home / name}"\n' for name in names))
        self.assert_refuses(
            "run scripts/bootstrap", lambda: system.checked([system.compiler(), "-fsyntax-only", source])
        )

    def start(self, *arguments: str, slow_make: bool = False, dies_after: int | None = None) -> subprocess.Popen:
        """A run in a process of its own, so that it can be killed."""
        script = textwrap.dedent(f"""
            import os, sys
            from pathlib import Path
            from engine import bootstrap
            from engine.project import Project

            moved, replace = 0, Path.replace

            def dying_replace(self, target):
                global moved
                if moved == {dies_after}:
                    os._exit(9)
                moved += 1
                return replace(self, target)

            Path.replace = dying_replace
            sys.exit(bootstrap.main({[*arguments, "--cache", str(self.cache)]!r}, Project(Path({str(self.project.root)!r}))))
        """)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
        if slow_make:
            tools = self.folder / "tools"
            tools.mkdir(exist_ok=True)
            (tools / "make").write_text("#!/bin/sh\nexec sleep 20\n")
            (tools / "make").chmod(0o755)
            environment["PATH"] = f"{tools}:{environment['PATH']}"
            script = script.replace("bootstrap.main([", "bootstrap.main(['--with', 'SOUNDEX', ")
        return subprocess.Popen(
            [sys.executable, "-c", script],
            env=environment,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if slow_make else subprocess.DEVNULL,
        )

    def wait_for(self, words: str, process: subprocess.Popen) -> None:
        for line in process.stderr:
            if words in line:
                time.sleep(0.2)
                return
        self.fail(f"the run ended before it said {words!r}")


class CheckTests(EngineTest):

    def test_check_tells_what_is_built_and_verifies_it(self) -> None:
        self.built("--with", "SOUNDEX")
        run = self.bootstrap("--check")
        self.assertEqual(run.code, 0, run.errors)
        for words in (check_in(FILES), "given by the user", "+SOUNDEX", "all as they were built", "verified again"):
            self.assertIn(words, run.output)

    def test_check_without_a_build_is_refused(self) -> None:
        self.refused(self.bootstrap("--check"), "not built yet", "Run scripts/bootstrap")

    def test_check_names_a_damaged_file(self) -> None:
        self.built()
        (self.project.home / "sqlite3.h").write_text("")
        self.refused(self.bootstrap("--check"), "vendor/sqlite/sqlite3.h is not as it was built")

    def test_check_notices_changed_inputs(self) -> None:
        self.built()
        options = self.project.home / "options"
        options.write_text(options.read_text().replace("DQS=0", "DQS=1"))
        self.refused(self.bootstrap("--check"), "have changed since it was built")

    def test_check_verifies_the_cached_tree_again(self) -> None:
        self.built()
        (self.cache / self.lock.entry / "tree/src/main.c").write_text("int evil;")
        self.refused(self.bootstrap("--check"), "src/main.c", "tampered with")


class ListTests(EngineTest):

    def test_list_shows_every_option_with_its_state_and_reason(self) -> None:
        self.built("--with", "MAX_ATTACHED=125", "--with", "SOUNDEX", "--without", "ENABLE_GEOPOLY")
        lines = self.bootstrap("--list").output.splitlines()
        self.assertIn(["ENABLE_FTS5", "required", "full-text", "search", "[FTS5]"], [line.split() for line in lines])
        described = "MAX_ATTACHED=125 on, chosen attached databases [trait MaxAttached: 125]"
        self.assertIn(described.split(), [line.split() for line in lines])
        self.assertIn(["ENABLE_GEOPOLY", "off,", "chosen", "polygons"], [line.split() for line in lines])
        self.assertIn(["SOUNDEX", "on,", "chosen"], [line.split() for line in lines])
        self.assertLessEqual(max(map(len, lines)), 120)


if __name__ == "__main__":
    unittest.main()
