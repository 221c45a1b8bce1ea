import AmalgamBackup
import AmalgamConcurrency
import AmalgamCore
import AmalgamFullText
import AmalgamQuery
import AmalgamRecords
import Foundation

/// Shadow tables of FTS5, FTS4 and FTS3 that other programs have written.
///
/// The first byte selects a table, the second one the number of changes. A change has a shadow table, a row, a column, the kind of
/// the value and its bytes. Then all statements of full text run, each with rows or an error. If FTS5 can rebuild the index, its
/// check finds no error afterwards.
struct FullTextFuzz: FuzzRun {
    private struct Base {
        var content: Data
        /// The shadow tables and their columns.
        var columns: [(table: String, column: String)]
        var version: Int
        /// Whether the index can be rebuilt of the table's own content.
        var canBeRebuilt: Bool
    }

    private static let modules = [
        "fts5(x, y)", "fts5(x, y, content='')", "fts5(x, y, content='', contentless_delete=1)",
        "fts5(x, y, prefix='1 2')", "fts5(x, y, columnsize=0)", "fts5(x, y, detail=column)", "fts5(x, y, detail=none)",
        "fts5(x, y, tokenize=trigram)", "fts4(x, y)", "fts4(x, y, prefix='1', order=desc)", "fts3(x, y)",
    ]

    private static let queries = ["a", "a OR b", "a AND b", "w*", "a NOT b", "\"a b\"", "x : a", "w3", "NEAR(a b)"]

    private let bases: [Base]

    init() throws { bases = try Self.modules.map(Self.makeBase) }

    private static func makeBase(_ module: String) throws -> Base {
        try DatabaseQueue().writeWithoutTransaction { db in
            let version = module.hasPrefix("fts5") ? 5 : 4
            try db.execute(sql: "PRAGMA page_size = 1024; CREATE VIRTUAL TABLE t USING \(module)")
            if version == 5 { try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('pgsz', 64), ('automerge', 2)") }
            for id in 1...60 {
                try db.execute(
                    sql: "INSERT INTO t(rowid, x, y) VALUES (?, ?, ?)",
                    arguments: [id, "a " + String(repeating: "b ", count: id % 5), "w\(id) c"])
            }
            if version == 5 { try db.execute(sql: "CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)") }
            let shadows = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE name LIKE 't\\_%' ESCAPE '\\' ORDER BY name")
            let columns = try shadows.flatMap { table in
                try db.columns(in: table).map { (table: table, column: $0.name) }
            }
            return Base(
                content: try db.serialize(), columns: columns, version: version,
                canBeRebuilt: version == 5 && !module.contains("content="))
        }
    }

    func run(_ input: FuzzInput) throws {
        var input = input
        let base = input.element(of: bases)
        let database = try DatabaseQueue()
        try database.writeWithoutTransaction { db in
            try db.deserialize(base.content)
            for _ in 0..<input.number(below: 8) { change(db, base, &input) }
            try db.withLimits(ExecutionLimits(time: .seconds(20), instructions: 20_000_000, memory: 128 << 20)) {
                search(db, base)
                write(db)
                search(db, base)
                if base.canBeRebuilt { try rebuild(db) }
            }
        }
        try database.close()
    }

    private func change(_ db: Database, _ base: Base, _ input: inout FuzzInput) {
        let (table, column) = input.element(of: base.columns)
        let row = input.number(below: 40)
        let kind = input.number(below: 5)
        let bytes = input.countedBytes()
        let value: DatabaseValue =
            switch kind {
            case 0: .null
            case 1: Int64(bytes.reduce(0) { $0 << 8 | UInt64($1) } & 0x7FFF_FFFF_FFFF_FFFF).databaseValue
            case 2: String(decoding: bytes, as: UTF8.self).databaseValue
            default: Data(bytes).databaseValue
            }
        let name = table.quotedDatabaseIdentifier
        // Tables WITHOUT ROWID have a key in their first columns.
        let key = table.hasSuffix("_idx") || table.hasSuffix("_config") ? column.quotedDatabaseIdentifier : "rowid"
        let target = "\(key) = (SELECT \(key) FROM \(name) LIMIT 1 OFFSET ?2)"
        if kind == 4 {
            try? db.execute(
                sql: "DELETE FROM \(name) WHERE ?1 IS NOT NULL AND \(target)", arguments: [value, row])
        } else {
            try? db.execute(
                sql: "UPDATE \(name) SET \(column.quotedDatabaseIdentifier) = ?1 WHERE \(target)",
                arguments: [value, row])
        }
    }

    private func search(_ db: Database, _ base: Base) {
        let results =
            base.version == 5
            ? [
                "rowid, rank, highlight(t, 0, '[', ']'), snippet(t, -1, '[', ']', '…', 5)", "count(*)",
                "bm25(t, 2.0, 1.0)",
            ]
            : ["docid, snippet(t)", "offsets(t)", "hex(matchinfo(t, 'pcnalsxyb'))"]
        for query in Self.queries {
            for result in results {
                rows(db, "SELECT \(result) FROM t WHERE t MATCH '\(query)' LIMIT 100")
            }
        }
        rows(db, "SELECT * FROM t")
        guard base.version == 5 else { return rows(db, "INSERT INTO t(t) VALUES ('integrity-check')") }
        rows(db, "SELECT rowid FROM t WHERE t MATCH 'a OR w3' ORDER BY rank LIMIT 5")
        rows(db, "SELECT * FROM v LIMIT 500")
        rows(db, "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
        let marked = FTS5.markedSnippet(Column("x"), tokenCount: 8)
        _ = try? Table("t").matching(FTS5Query("a")).select(marked, as: String.self).fetchAll(db)
        _ = try? FTS5Index("t").warmUp(db)
    }

    private func write(_ db: Database) {
        for sql in [
            "INSERT INTO t(rowid, x, y) VALUES (1000, 'a b', 'w3')", "UPDATE t SET x = 'b' WHERE rowid = 5",
            "DELETE FROM t WHERE rowid = 7", "INSERT INTO t(t) VALUES ('optimize')",
            "INSERT INTO t(t, rank) VALUES ('merge', 50)",
        ] {
            rows(db, sql)
        }
    }

    private func rebuild(_ db: Database) throws {
        guard (try? db.execute(sql: "INSERT INTO t(t) VALUES ('rebuild')")) != nil else { return }
        do {
            try db.execute(sql: "INSERT INTO t(t) VALUES ('integrity-check')")
        } catch let error as DatabaseError where error.exceededLimit == nil && error.resultCode == .SQLITE_CORRUPT {
            throw BrokenPromise(description: "the check finds an error after the index was rebuilt: \(error)")
        } catch {
            return
        }
    }

    private func rows(_ db: Database, _ sql: String) { _ = try? Row.fetchAll(db, sql: sql) }
}
