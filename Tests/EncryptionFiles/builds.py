"""Builds that use SQLCipher's file format: Amalgam, two Python wheels and Debian's package. All of them write and read
the same content."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Protocol, Sequence

sqlcipher: Any = None
apsw: Any = None
with suppress(ImportError):
    sqlcipher = importlib.import_module("sqlcipher3.dbapi2")
with suppress(ImportError):
    # The wheel apsw has the same module, without encryption.
    module = importlib.import_module("apsw")
    apsw = module if hasattr(module, "mc_version") else None

CREATION = [
    "CREATE TABLE t(a TEXT)",
    """
    INSERT INTO t
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        SELECT 'row ' || i FROM n
    """,
    "PRAGMA user_version = 7",
]
FULL_TEXT_CREATION = ["CREATE VIRTUAL TABLE search USING fts5(a)", "INSERT INTO search SELECT a FROM t"]

# In the rows of the content, and in no encrypted file.
NEEDLES = (b"row 1999", b"CREATE TABLE", b"SQLite format 3")


@dataclass(frozen=True)
class Content:
    """What a build reads in a file. There is no full-text table in the files of builds without FTS5."""

    rows: int = 2000
    last: str = "row 999"
    matches: int | None = 1
    version: int = 7
    integrity: str = "ok"


@dataclass(frozen=True)
class Key:
    """A pass phrase; or the hexadecimal digits of a raw key, with or without a salt."""

    passphrase: str = ""
    raw: str = ""

    @property
    def argument(self) -> str:
        """For Tests/CipherTool."""
        return f"raw:{self.raw}" if self.raw else self.passphrase

    @property
    def sql(self) -> str:
        """For PRAGMA key."""
        return f'"x\'{self.raw}\'"' if self.raw else quoted(self.passphrase)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Refused(Exception):
    """A build could not use a file."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code} {message}")
        self.code = code
        self.message = message


def files_of(path: Path) -> list[Path]:
    """The database file, and the journal and the WAL next to it. The WAL index has no content."""
    return [file for suffix in ("", "-journal", "-wal") if (file := Path(f"{path}{suffix}")).exists()]


class Amalgam:
    """The build under test. Each call is a process."""

    name = "Amalgam"

    def __init__(self, tool: Path) -> None:
        self.tool = tool

    def run(self, command: str, path: Path, key: Key, *arguments: object) -> str:
        words = [str(word) for word in (self.tool, command, path, key.argument, *arguments)]
        finished = subprocess.run(words, text=True, stdin=subprocess.DEVNULL, capture_output=True)
        if finished.returncode != 0:
            code, _, message = finished.stderr.strip().partition(" ")
            raise Refused(int(code) if code.isdigit() else finished.returncode, message)
        return finished.stdout

    def create(self, path: Path, key: Key, wal: bool, pragmas: Sequence[str] = ()) -> None:
        self.run("create" if wal else "create-rollback", path, key, *pragmas)

    def read(self, path: Path, key: Key, pragmas: Sequence[str] = ()) -> Content:
        return Content(**{"matches": None, **json.loads(self.run("read", path, key, *pragmas))})

    @contextmanager
    def waiting(self, command: str, path: Path, key: Key) -> Iterator[subprocess.Popen[str]]:
        """A process that has changed the database, and has it open until the end of the context or its own."""
        words = [str(word) for word in (self.tool, command, path, key.argument)]
        with subprocess.Popen(words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            if process.stdout is None or process.stdout.readline() != "ready\n":
                raise Refused(process.wait(), f"{command} has failed.")
            yield process

    def kill_while_waiting(self, command: str, path: Path, key: Key) -> None:
        with self.waiting(command, path, key) as process:
            process.kill()


class Connection(Protocol):

    def execute(self, sql: str) -> Any: ...

    def close(self) -> None: ...


class Build:
    """Another build, in this process. `version` is that of SQLCipher's file format."""

    name = ""

    def open(self, path: Path) -> Connection:
        raise NotImplementedError

    def set_up(self, key: Key, version: int) -> list[str]:
        """The pragmas that open a file."""
        raise NotImplementedError

    def code(self, error: Exception) -> int | None:
        """SQLite's result code, if the error is of this build."""
        raise NotImplementedError

    @contextmanager
    def connected(
        self, path: Path, key: Key, version: int = 4, pragmas: Sequence[str] = ()
    ) -> Iterator[Connection]:
        try:
            with closing(self.open(path)) as connection:
                for sql in (*self.set_up(key, version), *pragmas):
                    connection.execute(sql).fetchall()
                yield connection
        except Exception as error:
            code = self.code(error)
            if code is None:
                raise
            raise Refused(code, str(error)) from error

    def create(self, path: Path, key: Key, wal: bool, version: int = 4, pragmas: Sequence[str] = ()) -> None:
        with self.connected(path, key, version, pragmas) as connection:
            for sql in (f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}", *CREATION, *FULL_TEXT_CREATION):
                connection.execute(sql).fetchall()

    def read(self, path: Path, key: Key, version: int = 4, pragmas: Sequence[str] = ()) -> Content:
        with self.connected(path, key, version, pragmas) as connection:
            return content(connection)

    def write(self, path: Path, key: Key, version: int = 4) -> None:
        with self.connected(path, key, version) as connection:
            add_row(connection)


def content(connection: Connection) -> Content:
    rows, last = connection.execute("SELECT count(*), max(a) FROM t").fetchall()[0]
    return Content(
        rows,
        last,
        connection.execute("SELECT count(*) FROM search WHERE search MATCH '1999'").fetchall()[0][0],
        connection.execute("PRAGMA user_version").fetchall()[0][0],
        "\n".join(line for line, in connection.execute("PRAGMA integrity_check").fetchall()),
    )


def add_row(connection: Connection) -> None:
    connection.execute("INSERT INTO t VALUES ('row of another build')").fetchall()


class SQLCipherWheel(Build):
    """SQLCipher, compiled by the authors of a Python module with their own OpenSSL."""

    name = "the wheel sqlcipher3"

    def open(self, path: Path) -> Connection:
        return sqlcipher.connect(str(path), isolation_level=None)

    def set_up(self, key: Key, version: int) -> list[str]:
        compatibility = [] if version == 4 else [f"PRAGMA cipher_compatibility = {version}"]
        return ["PRAGMA cipher_log_level = NONE", f"PRAGMA key = {key.sql}", *compatibility]

    def code(self, error: Exception) -> int | None:
        return error.sqlite_errorcode if isinstance(error, sqlcipher.Error) else None


class MultipleCiphersWheel(Build):
    """SQLite3 Multiple Ciphers, which implements SQLCipher's file format with other code."""

    name = "the wheel apsw-sqlite3mc"

    def open(self, path: Path) -> Connection:
        return apsw.Connection(str(path))

    def set_up(self, key: Key, version: int) -> list[str]:
        return ["PRAGMA cipher = 'sqlcipher'", f"PRAGMA legacy = {version}", f"PRAGMA key = {key.sql}"]

    def code(self, error: Exception) -> int | None:
        return error.result if isinstance(error, apsw.Error) else None


class DebianCommand:
    """Debian's command line of SQLCipher, without FTS5. Each call is a process."""

    command = "sqlcipher"

    def version(self) -> str:
        """Empty if the command isn't there."""
        return self.shell(":memory:", "PRAGMA cipher_version") if shutil.which(self.command) else ""

    def run(self, path: Path, key: Key, *statements: str) -> list[str]:
        return self.shell(str(path), f"PRAGMA key = {key.sql}", *statements).splitlines()

    def shell(self, path: str, *statements: str) -> str:
        text = "".join(f"{statement};\n" for statement in statements)
        finished = subprocess.run(
            [self.command, "-batch", "-bail", path], input=text, text=True, encoding="utf-8", capture_output=True
        )
        if finished.returncode != 0 or finished.stderr:
            raise Refused(finished.returncode, finished.stderr.strip())
        return finished.stdout.strip()

    def create(self, path: Path, key: Key, wal: bool) -> None:
        self.run(path, key, f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}", *CREATION)

    def read(self, path: Path, key: Key) -> Content:
        rows, last, version, *integrity = self.run(
            path, key, "SELECT count(*) FROM t", "SELECT max(a) FROM t", "PRAGMA user_version", "PRAGMA integrity_check"
        )
        return Content(int(rows), last, None, int(version), "\n".join(integrity))
