"""Kills the service while documents are edited. No acknowledged edit may be lost, and the audit log must be complete."""

from __future__ import annotations

import http.client
import json
import random
import sqlite3
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

from service.program import Service, write

EDITORS = 4


class Editor(threading.Thread):
    """Edits one document again and again, and remembers the last acknowledged edit and the one on its way."""

    def __init__(self, port: int, document: dict) -> None:
        super().__init__(daemon=True)
        self.port = port
        self.id = document["id"]
        self.acknowledged = (document["version"], document["title"])
        self.sent = self.acknowledged
        self.count = 0

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            while True:
                version = self.acknowledged[0]
                self.sent = (version + 1, f"title {self.id} {version + 1} {random.random()}")
                body = json.dumps({"version": version, "title": self.sent[1], "actor": "editor", "reason": str(version)})
                connection.request("PATCH", f"/api/documents/{self.id}", body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                saved = json.loads(answer.read())
                assert answer.status == 200, saved
                self.acknowledged = (saved["version"], saved["title"])
                self.count += 1
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass  # The service was killed.


def check(service: Service, editors: list[Editor]) -> None:
    for editor in editors:
        document = service.get(f"/api/documents/{editor.id}")
        state = (document["version"], document["title"])
        assert state in (editor.acknowledged, editor.sent), f"lost: {state} isn't {editor.acknowledged} or {editor.sent}"


LOG = """
    SELECT id, title, version, count(key), sum(before <> old), sum(actor <> 'editor'), max(new) FILTER (WHERE is_last)
    FROM document JOIN revision ON documentID = document.id LEFT JOIN (
        SELECT key, actor, changes ->> '$.title[0]' AS old, changes ->> '$.title[1]' AS new,
            lag(changes ->> '$.title[1]') OVER (PARTITION BY key ORDER BY id) AS before,
            lead(id) OVER (PARTITION BY key ORDER BY id) IS NULL AS is_last
        FROM amalgam_audit
    ) ON key = document.id
    GROUP BY document.id
"""


def check_log(service: Service) -> int:
    """The changes of each document follow each other, one for each version."""
    count = 0
    for identifier, title, version, entries, gaps, strangers, last in service.get("/api/query?sql=" + quote(LOG))["rows"]:
        assert entries == version - 1, f"document {identifier} has version {version} and {entries} entries"
        assert not gaps and not strangers, f"document {identifier} has gaps in its log"
        assert last is None or last == title, f"document {identifier} is {title}, and {last} in its log"
        count += entries
    return count


def check_file(path: Path) -> None:
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def main(program: str, kills: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, {f"{n}.txt": f"document {n} about otters" for n in range(EDITORS)})
        service = Service(program, folder, "--requests-per-minute", "0")
        editors: list[Editor] = []
        for _ in range(kills):
            service.start()
            service.wait_for_index()
            check(service, editors)
            hits = service.get("/api/search")["hits"]
            editors = [Editor(service.port, service.get(f"/api/documents/{hit['id']}")) for hit in hits]
            assert len(editors) == EDITORS
            for editor in editors:
                editor.start()
            time.sleep(random.uniform(0.05, 0.4))
            service.kill()
            for editor in editors:
                editor.join()
        service.start()
        check(service, editors)
        entries = check_log(service)
        service.stop()
        check_file(folder / "service.sqlite")
        print(f"  {kills} kills, {entries} edits in the log, none lost")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
