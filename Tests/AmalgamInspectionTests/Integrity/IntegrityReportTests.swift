import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Reports of what is damaged")
struct IntegrityReportTests {
    private let folder = Folder()
    private var path: String { folder.path("app.sqlite") }

    private func makeQueue(_ sql: String) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
        return queue
    }

    private func makeReport(_ queue: DatabaseQueue) throws -> IntegrityReport {
        try queue.inDatabase { db in try db.integrityReport() }
    }

    /// Runs statements while the schema lacks some of its rows.
    private func withoutSchema(of names: [String], _ queue: DatabaseQueue, _ sql: String) throws {
        try queue.inDatabase { db in
            let condition = "name IN (\(names.map { "'\($0)'" }.joined(separator: ", ")))"
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    CREATE TEMP TABLE hidden AS SELECT * FROM main.sqlite_schema WHERE \(condition);
                    DELETE FROM main.sqlite_schema WHERE \(condition);
                    PRAGMA writable_schema = RESET;
                    """)
            try db.execute(sql: sql)
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    INSERT INTO main.sqlite_schema SELECT * FROM hidden;
                    PRAGMA writable_schema = RESET;
                    DROP TABLE temp.hidden;
                    """)
        }
    }

    @Test("An intact database")
    func intact() throws {
        let report = try makeReport(makeQueue("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)"))
        #expect(report.isIntact)
        #expect(!report.needsRecovery)
        #expect(report.repairStatements == [])
        #expect(report.description == "The database is intact.")
    }

    @Test("An index that lacks a row, and its statement repairs it")
    func index() throws {
        let queue = try makeQueue(
            """
            CREATE TABLE player (name, score);
            CREATE INDEX "player name" ON player (name); CREATE INDEX other ON player (score);
            INSERT INTO player VALUES ('Anna', 1);
            """)
        try withoutSchema(of: ["player name"], queue, "INSERT INTO player VALUES ('Ben', 2)")
        let report = try makeReport(queue)
        #expect(report.problems.map(\.subject) == [.index("player name", table: "player")])
        #expect(report.repairStatements == [#"REINDEX "player name""#])
        #expect(!report.needsRecovery)
        #expect(
            report.description == """
                The index player name doesn't match the rows of player: REINDEX "player name" builds it again.
                No content is lost. Run REINDEX "player name", then check again.
                """)
        try queue.inDatabase { db in try report.repairStatements.forEach { try db.execute(sql: $0) } }
        #expect(try makeReport(queue).isIntact)
    }

    @Test("Two rows with a value that must be unique")
    func unique() throws {
        let queue = try makeQueue("CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a); INSERT INTO t VALUES (1)")
        try withoutSchema(of: ["i"], queue, "INSERT INTO t VALUES (1)")
        // The new row isn't in the index.
        let report = try makeReport(queue)
        #expect(report.problems.contains { $0.subject == .index("i", table: "t") })
    }

    @Test("Values that violate a constraint")
    func rows() throws {
        let queue = try makeQueue("CREATE TABLE t (a, b); INSERT INTO t VALUES (NULL, 'x'), (1, 2)")
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = 'CREATE TABLE t (a NOT NULL, b CHECK (b <> 2))' WHERE name = 't';
                    PRAGMA writable_schema = RESET;
                    """)
        }
        let report = try makeReport(queue)
        #expect(report.problems.map(\.subject) == [.rows(table: "t")])
        #expect(report.problems.map(\.remedy) == [.rows])
        #expect(report.problems.first?.messages.count == 2)
        #expect(report.repairStatements == [])
        #expect(!report.needsRecovery)
        #expect(report.description.hasSuffix("No page is damaged. Correct the rows, then check again."))
    }

    @Test("No statement repairs the file if one of the problems needs more")
    func severalProblems() throws {
        let queue = try makeQueue(
            """
            CREATE TABLE player (name); CREATE INDEX player_name ON player (name);
            CREATE TABLE t (a); INSERT INTO t VALUES (NULL);
            """)
        try withoutSchema(of: ["player_name"], queue, "INSERT INTO player VALUES ('Ben')")
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = 'CREATE TABLE t (a NOT NULL)' WHERE name = 't';
                    PRAGMA writable_schema = RESET;
                    """)
        }
        let report = try makeReport(queue)
        #expect(report.problems.contains { $0.remedy == .statement(#"REINDEX "player_name""#) })
        #expect(report.problems.contains { $0.subject == .rows(table: "t") && $0.remedy == .rows })
        #expect(report.repairStatements == [])
    }

    @Test("A full-text index that doesn't match its content")
    func fullText() throws {
        let queue = try makeQueue("CREATE VIRTUAL TABLE f USING fts5 (x); INSERT INTO f VALUES ('a word')")
        try queue.inDatabase { db in try db.execute(sql: "UPDATE f_content SET c0 = 'other'") }
        let report = try makeReport(queue)
        #expect(report.problems.map(\.subject) == [.fullTextIndex("f")])
        #expect(report.repairStatements == [#"INSERT INTO "f"("f") VALUES ('rebuild')"#])
        try queue.inDatabase { db in try report.repairStatements.forEach { try db.execute(sql: $0) } }
        #expect(try makeReport(queue).isIntact)
    }

    @Test("A full-text index of another table, and one that stores no content")
    func externalContent() throws {
        let queue = try makeQueue(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, x);
            CREATE VIRTUAL TABLE f USING fts5 (x, content='t', content_rowid='id');
            CREATE VIRTUAL TABLE g USING fts5 (x, content='');
            INSERT INTO g (rowid, x) VALUES (1, 'a word');
            INSERT INTO t VALUES (1, 'a word');
            """)
        #expect(try makeReport(queue).problems.map(\.subject) == [.fullTextIndex("f")])
        #expect(try makeReport(queue).repairStatements == [#"INSERT INTO "f"("f") VALUES ('rebuild')"#])
        try queue.inDatabase { db in
            try db.execute(sql: #"INSERT INTO "f"("f") VALUES ('rebuild')"#)
            try db.execute(sql: "UPDATE g_data SET block = x'00' WHERE id > 10")
        }
        let report = try makeReport(queue)
        #expect(report.problems.map(\.subject) == [.fullTextIndex("g")])
        #expect(report.needsRecovery)
    }

    @Test("Pages that are damaged need a recovery")
    func pages() throws {
        let queue = try makeQueue(
            """
            CREATE TABLE t (a);
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 5000)
            INSERT INTO t SELECT 'value ' || n FROM number;
            """)
        let page = try queue.read { db in try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema")! }
        try queue.close()
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        for index in (page * 4096)..<(page * 4096 + 4096) { bytes[index] = 0x77 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let report = try makeReport(DatabaseQueue(path: path))
        #expect(report.needsRecovery)
        #expect(report.repairStatements == [])
        #expect(report.problems.contains { $0.subject == .table("t") })
        #expect(report.description.contains("DatabaseRecovery(of: path).recover(into: newPath)"))
    }

    @Test("Pages that nothing uses are removed by VACUUM")
    func unusedPages() throws {
        let queue = try makeQueue("CREATE TABLE t (a); CREATE TABLE u (a); INSERT INTO u VALUES (1)")
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'u';
                    PRAGMA writable_schema = RESET;
                    """)
        }
        let report = try makeReport(queue)
        #expect(report.problems.map(\.subject) == [.unusedPages])
        #expect(report.repairStatements == ["VACUUM"])
        try queue.inDatabase { db in try db.execute(sql: "VACUUM") }
        #expect(try makeReport(queue).isIntact)
    }

    @Test("A schema that can't be read")
    func schema() throws {
        let queue = try makeQueue("CREATE TABLE t (a)")
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE garbage'")
            try? db.execute(sql: "PRAGMA writable_schema = RESET")
            let report = try db.integrityReport()
            #expect(report.problems.map(\.subject) == [.schema])
            #expect(report.needsRecovery)
            #expect(report.description.hasPrefix("The schema can't be read: save what can be read in a new file. "))
        }
    }

    @Test("Misuse throws")
    func misuse() throws {
        let queue = try makeQueue("CREATE TABLE t (a)")
        expectCode(.SQLITE_MISUSE) { try queue.inDatabase { db in try db.integrityReport(limit: 0) } }
        expectCode(.SQLITE_ERROR) { try queue.inDatabase { db in try db.integrityReport(in: "none") } }
    }
}
