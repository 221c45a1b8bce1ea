import AmalgamCore
import AmalgamInspection
import AmalgamRecords
import AmalgamSandbox

/// What the targets of files do with a file.
enum DamagedDatabase {
    static let pageSize = 512

    /// What SQLite writes to the headers of the files.
    static let preparations = [
        "PRAGMA page_size = 512;", "PRAGMA page_size = 512; PRAGMA auto_vacuum = INCREMENTAL;",
        "PRAGMA page_size = 512; PRAGMA encoding = 'UTF-16le';",
    ]

    /// Tables of all kinds, with freed pages.
    static let schema = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE, c UNIQUE, d AS (b || c));
        CREATE INDEX ab ON a(b, length(c)) WHERE c > 3;
        CREATE TABLE w (k TEXT, l, v, PRIMARY KEY (k, l)) WITHOUT ROWID;
        CREATE TABLE s (id INTEGER PRIMARY KEY AUTOINCREMENT, n INT NOT NULL, r REAL CHECK (r < 100)) STRICT;
        CREATE TABLE c (aId REFERENCES a(id) ON DELETE CASCADE, j);
        CREATE VIEW v AS SELECT a.b, s.r FROM a LEFT JOIN s USING (id);
        CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO c VALUES (NEW.id, json_array(NEW.b)); END;
        CREATE VIRTUAL TABLE f USING fts5(x);
        CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30)
            INSERT INTO a(id, b, c) SELECT i, 'text' || i, zeroblob(i * 40) || i FROM n;
        INSERT INTO w SELECT b, id, c FROM a WHERE id < 20;
        INSERT INTO s(n, r) SELECT id, id / 2.0 FROM a;
        INSERT INTO f SELECT b FROM a;
        INSERT INTO r SELECT id, id, id + 1 FROM a;
        DELETE FROM a WHERE id BETWEEN 10 AND 20;
        """

    static func withLimits(_ db: Database, _ body: () throws -> Void) throws {
        let limits = ExecutionLimits(time: .seconds(20), instructions: 5_000_000, memory: 128 << 20)
        try db.withLimits(limits, body)
    }

    static func readSchema(_ db: Database) {
        _ = try? db.schemaObjects(in: "main")
        for name in tables(db) {
            _ = try? db.columns(in: name)
            _ = try? db.primaryKey(name)
            _ = try? db.indexes(on: name)
            _ = try? db.foreignKeys(on: name)
        }
        _ = try? db.checkForeignKeys()
    }

    /// Runs a statement in a sandbox that reads everything.
    static func runUntrusted(_ sql: String, _ db: Database) {
        var sandbox = Sandbox.readOnly
        sandbox.limits = .none
        sandbox.maximumRowCount = 1_000
        _ = try? db.sandboxed(sandbox) { try Row.fetchAll(db, sql: sql) }
    }

    /// The rows of all tables by the names of the tables; nil if one of them can't be read.
    static func rows(_ db: Database) -> [String: [String]]? {
        var rows: [String: [String]] = [:]
        for name in tables(db) {
            let sql = "SELECT * FROM \(name.quotedDatabaseIdentifier) LIMIT 1000"
            guard let table = try? Row.fetchAll(db, sql: sql).map(\.debugDescription) else { return nil }
            rows[name] = table
        }
        return rows
    }

    static func write(_ db: Database) {
        for name in tables(db) {
            let table = name.quotedDatabaseIdentifier
            run("INSERT INTO \(table) DEFAULT VALUES", db)
            run("DELETE FROM \(table) WHERE rowid % 2", db)
        }
        for sql in [
            "UPDATE a SET b = b || 'x', c = c + 1", "UPDATE w SET v = 1", "DELETE FROM a WHERE id > 3",
            "INSERT INTO a(b, c) VALUES ('new', 'new')", "PRAGMA incremental_vacuum", "REINDEX", "ANALYZE",
            "INSERT INTO f(f) VALUES ('optimize')", "SELECT * FROM v, w", "ALTER TABLE a RENAME COLUMN b TO e",
            "ALTER TABLE w DROP COLUMN v", "DROP TABLE c",
        ] {
            run(sql, db)
        }
    }

    private static func run(_ sql: String, _ db: Database) { _ = try? Row.fetchAll(db, sql: sql) }

    /// The first tables of the file, without its schema, which has the numbers of pages.
    private static func tables(_ db: Database) -> [String] {
        let tables = (try? db.tables(in: "main")) ?? []
        return Array(tables.map(\.name).filter { $0 != "sqlite_schema" }.sorted().prefix(20))
    }
}
