"""The search for source: the order of the origins, the cache, working offline, and what is said when nothing answers."""

from __future__ import annotations

import io
import os
import tarfile
import threading
import unittest
import zipfile
from contextlib import redirect_stderr
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from unittest import mock

from support import FILES, VERSION, EngineTest, command, pypi_origin, tarball, write_distribution

from engine import archive, debian, lock, pypi, system, website
from engine.cache import Cache
from engine.files import digest
from engine.refusal import Unavailable
from engine.sources import Source, Sources

AMALGAMATION = {
    "sqlcipher3-0.6.4/vendor/sqlite3.c": FILES["src/main.c"],
    "sqlcipher3-0.6.4/vendor/sqlite3.h": FILES["src/sqlite.h.in"],
}


class CacheTests(EngineTest):

    def test_a_verified_tree_is_kept_and_used_offline(self) -> None:
        self.built()
        self.assertEqual(self.bootstrap("--offline", "--with", "SOUNDEX").code, 0)
        self.assertEqual(self.record()["origin"], "tree, given by the user")

    def test_a_tree_from_an_archive_is_kept_too(self) -> None:
        self.bootstrap("--origin", tarball(self.tree, self.folder / "sqlite3.tar.xz"))
        self.assertEqual(self.bootstrap("--offline", "--with", "SOUNDEX").code, 0)
        self.assertEqual(self.record()["origin"], "sqlite3.tar.xz, given by the user")

    def test_a_damaged_tree_is_dropped_from_the_cache(self) -> None:
        self.built()
        (self.cache / self.lock.entry / "tree/src/main.c").write_text("int evil;")
        self.refused(self.bootstrap("--offline", "--with", "SOUNDEX"), "src/main.c", "tampered with")
        self.assertFalse((self.cache / self.lock.entry).exists())

    def test_a_refused_tree_is_not_kept(self) -> None:
        (self.tree / "src/main.c").write_text("int evil;")
        self.bootstrap("--origin", self.tree)
        self.assertFalse((self.cache / self.lock.entry).exists())

    def test_what_a_killed_run_left_is_swept_away(self) -> None:
        (self.cache / ".partial-dead").mkdir(parents=True)
        (self.project.home / ".incoming-dead").mkdir(parents=True)
        self.built()
        self.assertEqual(self.leftovers(), [])

    def test_source_prints_the_path_of_the_verified_tree(self) -> None:
        run = self.bootstrap("--source", "--origin", self.tree)
        self.assertEqual(Path(run.output.strip()), self.cache / self.lock.entry / "tree")
        self.assertEqual(self.bootstrap("--source", "--offline").output, run.output)

    def test_offline_and_empty_says_what_to_do(self) -> None:
        self.refused(
            self.bootstrap("--offline"),
            "No origin delivered SQLite 3.53.4",
            "cache: no SQLite",
            "not asked, because of --offline",
            "--origin PATH",
        )
        self.assertFalse((self.project.home / "sqlite3.c").exists())

    def test_a_path_that_is_not_there_is_refused(self) -> None:
        self.refused(self.bootstrap("--origin", self.folder / "nowhere"), "There is no")


class ArchiveTests(EngineTest):

    def test_zip_and_tar_are_unpacked(self) -> None:
        zipped = self.folder / "source.zip"
        with zipfile.ZipFile(zipped, "w") as file:
            file.writestr("sqlite-src/VERSION", "3.53.4")
        for number, source in enumerate((zipped, tarball(self.tree, self.folder / "source.tar.xz"))):
            archive.unpack(source, self.folder / f"unpacked{number}")
            self.assertEqual(len(list((self.folder / f"unpacked{number}").glob("*/VERSION"))), 1)

    def test_a_path_out_of_the_folder_is_refused(self) -> None:
        for name in ("../evil", "/tmp/evil", "a/../../evil"):
            hostile = self.folder / "hostile.tar"
            with tarfile.open(hostile, "w") as tar:
                tar.addfile(tarfile.TarInfo(name), io.BytesIO())
            self.assert_refuses("hostile", lambda: archive.unpack(hostile, self.folder / "out"))

    def test_an_archive_that_is_cut_short_is_refused(self) -> None:
        whole = tarball(self.tree, self.folder / "source.tar.xz")
        whole.write_bytes(whole.read_bytes()[:200])
        self.refused(self.bootstrap("--origin", whole), "can't be unpacked")

    def test_something_else_is_refused(self) -> None:
        page = self.folder / "source.zip"
        page.write_text("<html>not found</html>")
        self.refused(self.bootstrap("--origin", page), "can't be unpacked")


class Site(BaseHTTPRequestHandler):
    """A web site with one archive, which may break off in the middle."""

    body = b""
    length: int | None = None

    def do_GET(self) -> None:
        self.send_response(200 if self.body else 404)
        self.send_header("Content-Length", str(self.length or len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


class WebsiteTests(EngineTest):

    def setUp(self) -> None:
        super().setUp()
        Site.body, Site.length = tarball(self.tree, self.folder / "sqlite-src.tar.xz").read_bytes(), None
        self.server = HTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.write_project(f"origin sqlite.org\n    url http://127.0.0.1:{self.server.server_port}/sqlite-src.tar.xz\n")

    def test_the_source_is_downloaded_verified_and_kept(self) -> None:
        self.assertEqual(self.bootstrap().code, 0)
        self.assertEqual(self.record()["origin"], "sqlite.org sqlite-src.tar.xz")
        self.server.shutdown()
        self.assertEqual(self.bootstrap("--offline", "--with", "SOUNDEX").code, 0)

    def test_a_search_downloads_a_tree_once(self) -> None:
        store = Cache(self.cache)
        with store.exclusive(), redirect_stderr(io.StringIO()):
            sources = Sources(self.lock, store, "sqlite.org")
            with mock.patch.object(website, "download", wraps=website.download) as download:
                first = sources.obtain(self.folder / "unpacked")
                self.assertEqual(sources.require_tree(), first)
        self.assertEqual(download.call_count, 1)

    def test_an_interrupted_download_leaves_nothing(self) -> None:
        Site.length = len(Site.body) + 1000
        self.refused(self.bootstrap(), "No origin delivered", "sqlite.org: ")
        self.assertEqual([path.name for path in self.cache.iterdir()], [".lock"])

    def test_a_site_without_the_file_is_a_reason_to_go_on(self) -> None:
        Site.body = b""
        self.refused(self.bootstrap(), "No origin delivered", "Not Found")

    def test_a_site_that_delivers_something_else_is_a_reason_to_go_on(self) -> None:
        (self.tree / "src/main.c").write_text("int evil;")
        Site.body = tarball(self.tree, self.folder / "evil.tar.xz").read_bytes()
        self.refused(self.bootstrap(), "No origin delivered", "src/main.c")
        self.refused(self.bootstrap("--origin", "sqlite.org"), "src/main.c", "tampered with")

    def test_offline_does_not_ask(self) -> None:
        with mock.patch.object(website, "download", side_effect=AssertionError):
            self.refused(self.bootstrap("--offline"), "not asked, because of --offline")


class DebianTests(EngineTest):

    def setUp(self) -> None:
        super().setUp()
        os_release = self.folder / "os-release"
        os_release.write_text('NAME="Debian"\nVERSION_CODENAME=bookworm\n')
        self.machine("sources.list", "deb http://mirror.test/debian bookworm main\n")
        tools = self.folder / "tools"
        command(
            tools,
            "apt-cache",
            'case "$*" in *testing*) echo "Version: 3.53.4-1";; *) echo "Version: 3.54.0-1";; esac\n',
        )
        archived = tarball(self.tree, self.folder / "sqlite3_3.53.4.orig.tar.xz")
        download = f"cat sources/*.list > {self.folder}/lists; cp {archived} ."
        command(tools, "apt-get", f'case "$*" in *testing*--download-only*) {download};; esac\n')
        for patch in (
            mock.patch.object(debian, "OS_RELEASE", os_release),
            mock.patch.object(debian, "APT", self.folder / "apt"),
            mock.patch.dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def machine(self, name: str, text: str) -> None:
        """A source list of the machine."""
        path = self.folder / "apt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_mirrors_are_read_from_one_line_lists(self) -> None:
        line = "deb [signed-by=/keys/d.gpg arch=amd64] http://mirror.test/debian bookworm main contrib\n"
        self.machine("sources.list", "# a comment\n#deb http://other.test/debian bookworm main\n" + line)
        written = "deb-src [signed-by=/keys/d.gpg arch=amd64] http://mirror.test/debian @suite@ main\n"
        self.assertEqual(debian.source_lists(), {"sources.list": written})

    def test_mirrors_are_read_from_deb822_files(self) -> None:
        (self.folder / "apt/sources.list").unlink()
        text = """
Types: deb
# a comment
URIs: http://mirror.test/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Enabled: no
Types: deb
URIs: http://other.test/debian
Suites: bookworm
Components: main
"""
        self.machine("sources.list.d/debian.sources", text)
        written = text.partition("\nEnabled")[0].strip() + "\n\n"
        for old, new in {"deb\n": "deb-src\n", "bookworm bookworm-updates": "@suite@", "main contrib": "main"}.items():
            written = written.replace(old, new)
        self.assertEqual(debian.source_lists(), {"debian.sources": written})

    def test_the_mirror_is_the_one_of_the_machines_own_suite(self) -> None:
        self.machine("sources.list", "deb http://security.test/debian bookworm-security main\n")
        self.machine("sources.list.d/a.list", "deb http://tools.test/apt stable main\n")
        self.assertRaises(Unavailable, debian.source_lists)
        self.machine("sources.list.d/b.list", "deb http://mirror.test/debian bookworm main\n")
        self.assertEqual(debian.source_lists(), {"b.list": "deb-src http://mirror.test/debian @suite@ main\n"})

    def test_any_debian_revision_of_the_version_will_do(self) -> None:
        for version in ("3.53.4-2", "3.53.4+ds-1", "3.53.4-1ubuntu1", "1:3.53.4-1"):
            self.assertEqual(debian.matching_version(f"Package: sqlite3\nVersion: {version}\n", VERSION), version)
        for version in ("3.53.40-1", "3.53.3-1", "13.53.4-1"):
            self.assertIsNone(debian.matching_version(f"Version: {version}\n", VERSION))

    def test_the_tarball_is_fetched_from_the_first_suite_that_has_the_version(self) -> None:
        self.write_project("origin debian\n    package sqlite3\n    suite sid\n    suite testing\n")
        run = self.bootstrap()
        self.assertEqual(run.code, 0, run.errors)
        self.assertEqual(self.record()["origin"], "Debian source package sqlite3_3.53.4.orig.tar.xz")
        asked = [line.split()[3] for line in run.errors.splitlines() if "Asking Debian" in line]
        self.assertEqual(asked, ["sid", "testing"])
        self.assertIn("deb-src http://mirror.test/debian testing main", (self.folder / "lists").read_text())

    def test_each_suite_says_why_it_did_not_deliver(self) -> None:
        self.write_project("origin debian\n    package sqlite3\n    suite sid\n")
        reasons = [f"{suite}: has sqlite3 3.54.0-1, not 3.53.4" for suite in ("sid", "bookworm")]
        self.refused(self.bootstrap(), "debian: ", *reasons)


class PyPITests(EngineTest):

    def setUp(self) -> None:
        super().setUp()
        self.distribution = self.write_distribution(AMALGAMATION)
        self.pin(self.distribution, AMALGAMATION)

    def write_distribution(self, files: dict[str, str]) -> Path:
        return write_distribution(self.folder / "sqlcipher3-0.6.4.tar.gz", files)

    def pin(self, distribution: Path, files: dict[str, str]) -> None:
        self.write_project(pypi_origin(distribution, files))

    def test_the_default_options_build_from_the_amalgamation(self) -> None:
        run = self.with_pip(delivers=self.distribution)
        self.assertEqual(run.code, 0, run.errors)
        record = self.record()
        self.assertEqual(record["origin"], "Python source distribution sqlcipher3-0.6.4.tar.gz")
        self.assertEqual(record["verification"], "archive pinned by SHA-256")
        self.assertFalse(record["is_canonical"])
        self.assertNotIn("vendor/sqlite/sqlite3ext.h", record["files"])

    def test_it_is_kept_and_used_offline(self) -> None:
        self.with_pip(delivers=self.distribution)
        self.assertEqual(self.bootstrap("--offline", "--with", "SOUNDEX").code, 0)

    def test_a_damaged_archive_in_the_cache_is_fetched_again(self) -> None:
        self.with_pip(delivers=self.distribution)
        (self.cache / self.distribution.name).write_text("damaged")
        self.refused(self.bootstrap("--offline", "--with", "SOUNDEX"), "No origin delivered")
        self.assertEqual(self.with_pip("--with", "SOUNDEX", delivers=self.distribution).code, 0)

    def test_options_that_need_the_tree_are_refused(self) -> None:
        run = self.with_pip("--with", "ENABLE_UPDATE_DELETE_LIMIT", delivers=self.distribution)
        self.refused(
            run, "ENABLE_UPDATE_DELETE_LIMIT needs SQLite's canonical source tree", "pypi: holds the amalgamation only"
        )

    def test_source_is_refused(self) -> None:
        self.with_pip(delivers=self.distribution)
        self.refused(
            self.bootstrap("--source", "--offline"), "No origin delivered", "pypi: holds the amalgamation only"
        )

    def test_another_archive_is_refused(self) -> None:
        pinned = self.distribution.rename(self.folder / "pinned")
        other = self.write_distribution({**AMALGAMATION, "sqlcipher3-0.6.4/setup.py": "evil"})
        self.refused(self.with_pip("--origin", "pypi", delivers=other), "sqlcipher3-0.6.4.tar.gz was tampered with")
        self.assertFalse((self.cache / other.name).exists())
        self.assertTrue(pinned.exists())

    def test_another_file_in_the_archive_is_refused(self) -> None:
        evil = {**AMALGAMATION, "sqlcipher3-0.6.4/vendor/sqlite3.c": "int evil;"}
        self.pin(self.write_distribution(evil), AMALGAMATION)
        run = self.with_pip("--origin", "pypi", delivers=self.distribution)
        self.refused(run, "sqlcipher3-0.6.4/vendor/sqlite3.c was tampered with")

    def test_pip_that_does_not_deliver_is_a_reason(self) -> None:
        self.refused(self.with_pip(), "No origin delivered", "pypi: pip could not download it")

    def test_pip_never_runs_the_packages_own_code(self) -> None:
        backend = pypi.backend_folder("sqlcipher3", "0.6.4", self.folder)
        output = system.checked(
            [
                "env",
                f"PYTHONPATH={backend}",
                "python3",
                "-c",
                "import setuptools.build_meta as b; print(b.prepare_metadata_for_build_wheel('.'))",
            ],
            self.folder,
        )
        self.assertEqual(output.strip(), "sqlcipher3-0.6.4.dist-info")


class OrderTests(EngineTest):

    def test_every_origin_that_was_tried_is_named(self) -> None:
        self.write_project(
            "origin debian\n    package sqlite3\norigin sqlite.org\n    url http://127.0.0.1:9/source.zip\norigin pypi\n"
            "    package nothing==1\n    archive nothing.tar.gz 00\n"
        )
        with (
            mock.patch.object(debian, "APT", self.folder / "nowhere"),
            mock.patch.object(pypi, "require_pip", side_effect=Unavailable("no network")),
        ):
            self.refused(self.bootstrap(), "cache: ", "debian: ", "sqlite.org: ", "pypi: no network")


class OtherSourceTests(EngineTest):
    """Another pinned source than SQLite: a lock file without a check-in, whose archives are pinned by their SHA-256."""

    def setUp(self) -> None:
        super().setUp()
        self.archived = tarball(self.tree, self.folder / "stems_2.0.orig.tar.xz")
        site = HTTPServer(("127.0.0.1", 0), Site)
        Site.body, Site.length = self.archived.read_bytes(), None
        threading.Thread(target=site.serve_forever, daemon=True).start()
        self.addCleanup(site.server_close)
        self.addCleanup(site.shutdown)
        self.url = f"http://127.0.0.1:{site.server_port}/stems.tar.xz"

    def obtain(self, folder: str, sha256: str, where: str = "auto", files: str = "") -> Source:
        path = self.folder / "stems.lock"
        pins = f"    archive stems-2.0.tar.xz {sha256}\n{files}"
        path.write_text(f"name Stems\nversion 2.0\norigin sqlite.org\n    url {self.url}\n{pins}")
        store = Cache(self.cache)
        with store.exclusive(), redirect_stderr(io.StringIO()):
            return Sources(lock.read(path), store, where).obtain(self.folder / folder)

    def test_it_is_fetched_verified_unpacked_and_kept(self) -> None:
        found = self.obtain("first", digest(self.archived))
        self.assertEqual((found.origin, found.is_canonical), ("sqlite.org stems-2.0.tar.xz", False))
        self.assertEqual((self.folder / "first/sqlite3-3.53.4/VERSION").read_text(), FILES["VERSION"])
        Site.body = b""
        self.assertEqual(self.obtain("second", digest(self.archived), where="cache").origin, found.origin)
        self.assertTrue((self.folder / "second/sqlite3-3.53.4/VERSION").is_file())

    def test_single_files_are_taken_out_of_it(self) -> None:
        (self.folder / "files").mkdir()
        pin = f"    file sqlite3-3.53.4/VERSION {digest(self.tree / 'VERSION')}\n"
        self.obtain("files", digest(self.archived), files=pin)
        self.assertEqual([path.name for path in (self.folder / "files").iterdir()], ["VERSION"])

    def test_another_archive_is_refused(self) -> None:
        words = "No origin delivered Stems 2.0"
        refusal = self.assert_refuses(words, lambda: self.obtain("first", digest(self.tree / "VERSION")))
        self.assertIn("stems-2.0.tar.xz was tampered with", refusal.why)
        self.assertFalse((self.cache / "stems-2.0.tar.xz").exists())


if __name__ == "__main__":
    unittest.main()
