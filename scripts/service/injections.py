"""Attempts to inject SQL, FTS5 syntax, HTML, headers and paths. Prints what each of them got."""

from __future__ import annotations

import http.client
import json
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from service.program import DOCUMENTS, Service, serve

HTML = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
SELECT_HTML = "SELECT '" + HTML.replace("'", "''") + "'"
CONDITION = "' OR 1=1 --"
FACET = 'facet.x") OR 1=1 --'
JSON_PATH = 'facet.$[#-1]."x'
QUOTE = "\"\u0301 autofocus onfocus=alert(1) x=\""

# name, method, path, body, headers, expected statuses
ATTEMPTS: list[tuple[str, str, str, str | None, dict[str, str], set[int]]] = [
    *[
        (f"SQL in the search: {text}", "GET", f"/api/search?q={quote(text)}", None, {}, {200})
        for text in ["' OR 1=1 --", "'; DROP TABLE document; --", "\" UNION SELECT * FROM setting --", "%' ESCAPE '%"]
    ],
    *[
        (f"FTS5 syntax: {text}", "GET", f"/api/search?q={quote(text)}", None, {}, {200})
        for text in ["NEAR(", "{title body}:", "a AND OR NOT", "^", "\"", "- - -", "(" * 300, "rank : bm25(1)", "*"]
    ],
    ("SQL in the order", "GET", "/api/search?sort=title;DROP%20TABLE%20document", None, {}, {200}),
    ("SQL in the name of a facet", "GET", f"/api/search?{quote(FACET)}=1", None, {}, {200}),
    ("SQL in the value of a facet", "GET", f"/api/search?facet.kind={quote(CONDITION)}", None, {}, {200}),
    ("JSON path in the name of a facet", "GET", f"/api/context?{quote(JSON_PATH)}=1", None, {}, {200}),
    ("an invalid cursor", "GET", "/api/search?q=a&after=AAAA", None, {}, {400}),
    ("a huge count", "GET", "/api/search?count=99999999999999999999", None, {}, {400}),
    ("SQL as an identifier", "GET", "/documents/1%20OR%201=1", None, {}, {404}),
    ("SQL as a moment", "GET", f"/documents/1?at={quote(CONDITION)}", None, {}, {400}),
    ("HTML in the search", "GET", f"/?q={quote(HTML)}", None, {}, {200}),
    ("a quotation mark with a combining mark", "GET", f"/?q={quote(QUOTE)}", None, {}, {200}),
    ("HTML in the name of a facet", "GET", f"/?{quote('facet.' + HTML)}={quote(HTML)}", None, {}, {200}),
    ("HTML in a query", "GET", f"/query?sql={quote(SELECT_HTML)}", None, {}, {200}),
    ("HTML in a path", "GET", "/" + quote(HTML), None, {}, {404}),
    ("a header in the search", "GET", "/?q=%0d%0aSet-Cookie:%20x=y", None, {}, {200}),
    ("a header in a path", "GET", "/documents/1%0d%0aX-Injected:%20y", None, {}, {404}),
    ("a path out of the static files", "GET", "/static/../../../etc/passwd", None, {}, {404}),
    ("an encoded path out of them", "GET", "/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd", None, {}, {404}),
    ("a null byte", "GET", "/static/style.css%00.js", None, {}, {404}),
    ("another host", "GET", "/", None, {"Host": "evil.example"}, {421}),
    ("a form of another site", "POST", "/documents/1/edit", "version=1&title=x", {"Cookie": "visitor=x"}, {403}),
    ("a form as text of another site", "POST", "/api/documents/1/undo", "{}", {"Content-Type": "text/plain"}, {415}),
    ("a question before a foreign request", "OPTIONS", "/api/documents/1", None, {"Origin": "https://evil.example"}, {404, 405}),
    ("a large body", "PATCH", "/api/documents/1", "{" + " " * (9 << 20), {"Content-Type": "application/json"}, {413}),
    *[
        (f"in the sandbox: {sql}", "GET", f"/api/query?sql={quote(sql)}", None, {}, {400, 403, 422})
        for sql in [
            "ATTACH '/etc/passwd' AS p", "PRAGMA journal_mode = DELETE", "SELECT load_extension('x')", "VACUUM INTO '/tmp/x'",
            "DELETE FROM document", "SELECT * FROM setting", "SELECT 1; DROP TABLE document", "SELECT writefile('/tmp/x', 'x')",
            "SELECT randomblob(999999999)", "SELECT * FROM pragma_database_list", "SELECT fts5(1), edit('x')",
            "INSERT INTO documentText (documentText) VALUES ('rebuild')",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n",
        ]
    ],
]


def main(program: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        service = serve(program, folder, DOCUMENTS, "--requests-per-minute", "0")
        before = service.get("/api/query?sql=" + quote("SELECT sum(length(body)), count(*) FROM document"))["rows"]
        failures = [attempt[0] for attempt in ATTEMPTS if not try_one(service, *attempt)]
        after = service.get("/api/query?sql=" + quote("SELECT sum(length(body)), count(*) FROM document"))["rows"]
        service.stop()
        assert before == after, f"documents have changed: {before}, {after}"
        assert not failures, failures


def try_one(
    service: Service, name: str, method: str, path: str, body: str | None, headers: dict[str, str], expected: set[int],
) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for header, value in headers.items():
        connection.putheader(header, value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders()
    if body is not None:
        try:
            connection.send(body.encode())
        except (BrokenPipeError, ConnectionResetError):
            pass  # The service has refused the rest.
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
    is_page = answer.headers.get("Content-Type", "").startswith("text/html")
    is_injected = is_page and any(attack in text for attack in ("<script>alert", "<img src=x", "\" autofocus onfocus", "\"\u0301"))
    names = {header.lower() for header in answer.headers}
    is_injected = is_injected or "x-injected" in names or "x=y" in (answer.headers.get("Set-Cookie") or "")
    is_right = answer.status in expected and not is_injected
    print(f"  {'ok ' if is_right else 'BAD'} {answer.status} {name[:90]}", flush=True)
    return is_right


if __name__ == "__main__":
    main(sys.argv[1])
