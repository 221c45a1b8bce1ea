"""A small world to test in: a source tree with its own manifest, a project that pins it, and a cache.

The tree is built by the same steps as SQLite's: `configure`, `make sqlite3.c OPTS=…`, a C compiler, nm. It only has less in it.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import sys
import tarfile
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "checks")]

from engine import bootstrap, pypi  # noqa: E402
from engine.lock import Lock  # noqa: E402
from engine.project import Project  # noqa: E402
from engine.refusal import Refusal  # noqa: E402

VERSION, FLOOR = "3.53.4", "3.51.3"

CONFIGURE = """#!/bin/sh
tree=$(dirname "$0")
cat > Makefile <<END
sqlite3.c:
\tcp $tree/src/main.c sqlite3.c
\techo '/* \\$(OPTS) */' >> sqlite3.c
\tcp $tree/src/sqlite.h.in sqlite3.h
END
"""

LICENCE = """/*
** SQLCipher
**
** Copyright (c) ZETETIC LLC
**     * Redistributions of source code must retain this.
*/
"""

MAIN_C = LICENCE + """
#define SQLITE_VERSION_NUMBER 3053004
#define SQLITE_SOURCE_ID "2026-07-24 19:02:57 bf7c"
#ifndef SQLITE_MAX_ATTACHED
# define SQLITE_MAX_ATTACHED 10
#endif
#if SQLITE_MAX_ATTACHED > 125
# error SQLITE_MAX_ATTACHED must be between 0 and 125
#endif
int sqlite3_open(void);
int sqlite3_open(void) { return 0; }
#if defined(SQLITE_TEMP_STORE) && SQLITE_TEMP_STORE > 3
# error SQLITE_TEMP_STORE must be between 0 and 3
#endif
#ifdef SQLITE_SOUNDEX
int sqlite3_soundex;
#endif
#ifdef SQLITE_ENABLE_RBU
int sqlite3rbu_open(void);
int sqlite3rbu_open(void) { return 0; }
#endif
#ifdef SQLITE_ENABLE_UPDATE_DELETE_LIMIT
#endif
#ifdef SQLITE_OMIT_QUICKBALANCE
#endif
static int sqlite3_private(void) { return sqlite3_open(); }
int (*sqlite3_pointer)(void) = sqlite3_private;
"""

HEADER = f"""
#define SQLITE_VERSION "{VERSION}"
#define SQLITE_VERSION_NUMBER 3053004
#define SQLITE_SOURCE_ID "2026-07-24 19:02:57 bf7c"
#define SQLITE_OK 0
#define SQLITE_ERROR 1
#define SQLITE_BUSY 5
#define SQLITE_LOCKED 6
#define SQLITE_NOMEM 7
SQLITE_API int sqlite3_open(void);
SQLITE_API const char *sqlite3_soundex(int);
"""

FILES = {
    "VERSION": VERSION + "\n",
    "configure": CONFIGURE,
    "src/main.c": MAIN_C,
    "src/sqlite.h.in": HEADER,
    "doc/a file.txt": "A file with a space in its name, and an old hash.\n",
}

OPTIONS = """
ENABLE_FTS5=         | required | full-text search | FTS5
ENABLE_RTREE         | on       | ranges
ENABLE_GEOPOLY       | on       | polygons | | ENABLE_RTREE
DQS=0                | on       | no double-quoted strings
HAVE_FDATASYNC=1     | platform | faster commits | | on:linux
MAX_ATTACHED=10      | off      | attached databases | | | MaxAttached=125
ENABLE_RBU           | off      | bulk updates | | | RBU
ENABLE_UPDATE_DELETE_LIMIT | off | limits | | tree
ENABLE_ICU           | off      | Unicode | | library:nowhere
RTREE_INT_ONLY       | off      | integers | | ENABLE_RTREE not:ENABLE_GEOPOLY
TEMP_STORE=1         | off      | temporary tables
OMIT_AUTHORIZATION   | refused  | the authorizer is needed | DatabaseRegion
library nowhere | nowhere | nowhere.h | libnowhere-dev
""".replace("ENABLE_FTS5= ", "ENABLE_FTS5 ")


def manifest(files: dict[str, str]) -> str:
    lines = [
        "C Version",
        "D 2026-07-24T19:02:57.525",
        *(card(name, text) for name, text in sorted(files.items())),
        "U drh",
    ]
    return "\n".join(lines) + "\n"


def card(name: str, text: str) -> str:
    old = name.startswith("doc/")
    digest = hashlib.new("sha1" if old else "sha3_256", text.encode()).hexdigest()
    return f"F {name.replace(' ', chr(92) + 's')} {digest}" + (" x" if name == "configure" else "")


def check_in(files: dict[str, str]) -> str:
    return hashlib.sha3_256(manifest(files).encode()).hexdigest()


def write_tree(folder: Path, files: dict[str, str] = FILES) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "manifest").write_text(manifest(files) + "# Remove this line to create a well-formed Fossil manifest.\n")
    (folder / "manifest.tags").write_text("branch trunk\ntag release\n")
    return folder


def tarball(tree: Path, archive: Path) -> Path:
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(tree, arcname="sqlite3-3.53.4")
    return archive


def write_distribution(path: Path, files: dict[str, str]) -> Path:
    """A Python source distribution with these files."""
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


def pypi_origin(distribution: Path, files: dict[str, str]) -> str:
    """The lines of a lock file that pin the distribution."""
    pins = "".join(f"    file {name} {sha256(text.encode())}\n" for name, text in files.items())
    archive = f"{distribution.name} {sha256(distribution.read_bytes())}"
    return f"origin pypi\n    package sqlcipher3==0.6.4\n    archive {archive}\n{pins}"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass
class Run:
    """What a run of a script said."""

    code: int
    output: str
    errors: str


class EngineTest(unittest.TestCase):
    """A folder for each test, with a tree, a project that pins it, and an empty cache."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="amalgam-engine-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tree = write_tree(self.folder / "tree")
        self.project = Project(self.folder / "project")
        self.cache = self.folder / "cache"
        self.write_project()

    def write_project(self, origins: str = "", version: str = VERSION, check_in_hash: str = "") -> None:
        home = self.project.home
        home.mkdir(parents=True, exist_ok=True)
        pinned = check_in_hash or check_in(FILES)
        (home / "sqlite.lock").write_text(
            f"name SQLite\nversion {version}\ncheck-in {pinned}\nfloor {FLOOR}\n{origins}"
        )
        (home / "options").write_text(OPTIONS)

    @property
    def lock(self) -> Lock:
        return self.project.lock()

    def bootstrap(self, *arguments: object) -> Run:
        return self.captured(lambda: bootstrap.main([*map(str, arguments), "--cache", str(self.cache)], self.project))

    def captured(self, script) -> Run:
        output, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(output), redirect_stderr(errors):
            code = script()
        return Run(code, output.getvalue(), errors.getvalue())

    def built(self, *arguments: object) -> Run:
        """A run from the tree that has to succeed."""
        run = self.bootstrap("--origin", self.tree, *arguments)
        self.assertEqual(run.code, 0, run.errors)
        return run

    def with_pip(self, *arguments: object, delivers: Path | None = None) -> Run:
        """A run on a machine where pip delivers this file, or nothing."""
        script = (
            f'for word; do [ "$last" = --dest ] && cp {delivers} "$word"; last=$word; done; true'
            if delivers
            else "exit 1"
        )
        command(self.folder / "tools", "pip", f'[ "$1" = --version ] && exit 0\n{script}\n')
        with mock.patch.object(pypi, "pip", lambda *words: [str(self.folder / "tools/pip"), *map(str, words)]):
            return self.bootstrap(*arguments)

    def refused(self, run: Run, *words: str) -> None:
        """The run was refused, said all the words, and left no work in progress behind."""
        self.assertEqual(run.code, 1, run.output)
        for word in words:
            self.assertIn(word, run.errors)
        self.assertEqual(self.leftovers(), [])

    def leftovers(self) -> list[Path]:
        return [path for folder in (self.project.home, self.cache) for path in work_in_progress(folder)]

    def state(self) -> dict[str, str]:
        """Every file of the project that a build could change, and its content."""
        files = [path for path in self.project.root.rglob("*") if path.is_file() and not path.name.startswith(".")]
        return {str(path.relative_to(self.project.root)): path.read_text() for path in files}

    def header(self, name: str) -> str:
        return (self.project.home / name).read_text()

    def record(self) -> dict[str, object]:
        return json.loads(self.header("build.json"))

    def assert_refuses(self, words: str, action) -> Refusal:
        with self.assertRaises(Refusal) as caught:
            action()
        self.assertIn(words, "\n".join(caught.exception.lines()))
        return caught.exception


def work_in_progress(folder: Path) -> list[Path]:
    return [path for path in folder.glob(".*") if path.name != ".lock"]


def command(folder: Path, name: str, script: str) -> None:
    """A program that stands in for one of the machine's."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
