extension ConnectionUse {
    /// The SQL of uses that run one statement.
    var sql: String? { dataSQL ?? callbackSQL ?? schemaSQL }

    private var callbackSQL: String? {
        switch self {
        case .selectFunction: "SELECT f(a), b FROM t"
        case .updateFunction: "UPDATE t SET a = f(a)"
        case .insertFunction: "INSERT INTO u (n) SELECT f(a) FROM t"
        case .deleteFunction: "DELETE FROM child WHERE f(id) > 2"
        case .aggregate: "SELECT total(a) FROM t GROUP BY b"
        case .window: "SELECT moving(a) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t"
        case .sort: "SELECT b FROM t ORDER BY b COLLATE staged"
        case .insertCollated: "INSERT OR IGNORE INTO names VALUES ('x'), ('a'), ('b')"
        case .insertDocument: "INSERT INTO doc (body) VALUES ('red green blue')"
        case .searchDocuments: "SELECT hits(doc) FROM doc WHERE doc MATCH 'red OR one'"
        case .rebuildDocuments: "INSERT INTO doc (doc) VALUES ('rebuild')"
        case .selectTable: "SELECT value FROM vt"
        case .joinTable: "SELECT f(value) FROM t JOIN vt ON vt.rowid = t.id"
        case .insertTable: "INSERT INTO vt VALUES (7)"
        case .updateTable: "UPDATE vt SET value = value + 1"
        case .deleteTable: "DELETE FROM vt WHERE rowid = 2"
        default: nil
        }
    }

    private var dataSQL: String? {
        switch self {
        case .update: "UPDATE t SET a = a + 10, b = b || '!'"
        case .delete: "DELETE FROM t WHERE id = 1"
        case .truncate: "DELETE FROM u"
        case .replace: "REPLACE INTO t (id, a, b) VALUES (1, 5, 'x'), (9, 9, 'y')"
        case .cascade: "DELETE FROM t"
        case .insertReturning: "INSERT INTO u (n) VALUES (1), (2) RETURNING id"
        case .upsert: "INSERT INTO t (id, a, b) VALUES (1, 1, 'u') ON CONFLICT (id) DO UPDATE SET a = f(a)"
        case .failHalfway: "INSERT INTO u (id, n) VALUES (50, 1), (51, 2), (50, 3)"
        default: nil
        }
    }

    private var schemaSQL: String? {
        switch self {
        case .indexCollated: "CREATE INDEX IF NOT EXISTS t_staged ON t (b COLLATE staged)"
        case .alter: "ALTER TABLE t ADD COLUMN extra"
        case .createTable: "CREATE TABLE IF NOT EXISTS made (x)"
        case .dropTable: "DROP TABLE IF EXISTS spare2"
        case .vacuum: "VACUUM"
        case .recursion:
            "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT MAX(i) FROM n"
        default: nil
        }
    }
}
