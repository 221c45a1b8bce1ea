"""The real build in vendor/sqlite: without the trait Encryption, it compiles to the object file of SQLite's own amalgamation
with the repairs of `sqlite.patch`, which every build has.

scripts/proof/encryption runs it. It takes half a minute of processor time: two amalgamation steps, and two compilations at the same time.
"""

from __future__ import annotations

import io
import platform
import shutil
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from pathlib import Path

from support import EngineTest, sha256

from engine import amalgamation, bootstrap, cipher, cures, headers, system
from engine.cache import Cache
from engine.project import HERE
from engine.sources import CACHE, Sources

# The line numbers in SQLite's log messages are the one thing that the patch moves.
FLAGS = ("-O0", "-w", "-D__LINE__=0")


class CodecOffTests(EngineTest):

    def setUp(self) -> None:
        super().setUp()
        self.real = Cache()
        built = HERE.record()
        if not built or not built.is_canonical or not built.cipher:
            self.skipTest("vendor/sqlite has no build from SQLite's tree with the codec: run scripts/bootstrap")
        if not self.real.tree(HERE.lock()).is_dir():
            self.skipTest(f"{self.real.folder} has no source tree of SQLite {built.version}: run scripts/bootstrap")
        self.options = built.options

    @unittest.skipIf(platform.system() == "Darwin", "not tried on macOS")
    def test_the_object_file_is_that_of_sqlites_own_amalgamation(self) -> None:
        stock = self.stock()
        self.assertNotEqual(stock.read_bytes(), (HERE.home / "sqlite3.c").read_bytes())
        with ThreadPoolExecutor() as pool:
            expected, found = pool.map(self.compiled, (stock, HERE.home / "sqlite3.c"))
        self.assertEqual(self.sizes(found), self.sizes(expected))
        self.assertEqual(self.digest(found, ".text"), self.digest(expected, ".text"))
        # The rest of the file says, among other things, which function each call reaches.
        self.assertEqual(sha256(found.read_bytes()), sha256(expected.read_bytes()))

    def test_the_patch_is_proven_again(self) -> None:
        cached = [*self.real.folder.glob(f"*{HERE.lock().cipher.patch[:12]}.patch")]
        if not cached and not (self.real.folder / cipher.origin(HERE.lock()).archive[0]).is_file():
            self.skipTest(f"{self.real.folder} has neither the patch nor the distribution: run scripts/bootstrap")
        run = self.captured(lambda: bootstrap.main(["--cipher", "verify", "--offline"], HERE))
        self.assertEqual(run.code, 0, run.errors)
        self.assertIn("are byte for byte the files in", run.output)

    def stock(self) -> Path:
        """The amalgamation of the cached tree, with the options of the build, and the repairs."""
        with redirect_stderr(io.StringIO()), self.real.exclusive():
            tree = Sources(HERE.lock(), self.real, CACHE).require_tree().folder
            workshop = self.folder / "stock"
            workshop.mkdir()
            products = amalgamation.build(tree, self.options, workshop)
        cures.apply(products, HERE.home)
        return products / "sqlite3.c"

    def compiled(self, source: Path) -> Path:
        """The object file, made with the headers of the build."""
        target = self.folder / source.parent.name / "sqlite3.o"
        target.parent.mkdir(exist_ok=True)
        includes = [word for name in (headers.OPTIONS, headers.PLATFORM) for word in ("-include", HERE.home / name)]
        system.checked([shutil.which("clang") or system.compiler(), *FLAGS, *includes, "-c", source, "-o", target])
        return target

    def sizes(self, file: Path) -> list[str]:
        """The name and the size of each section."""
        return system.checked(["size", "-A", file]).splitlines()[1:]

    def digest(self, file: Path, section: str) -> str:
        """The SHA-256 of a section's bytes."""
        extracted = file.with_suffix(section)
        system.checked(["objcopy", "-O", "binary", "-j", section, file, extracted])
        self.assertGreater(extracted.stat().st_size, 0)
        return sha256(extracted.read_bytes())


if __name__ == "__main__":
    unittest.main()
