import Amalgam
import Foundation
import Testing

/// A table with one row, read by a queue, a pool or a snapshot.
private enum Reader: String, CaseIterable, Sendable {
    case queue, pool, snapshot

    func make(_ folder: URL) throws -> any DatabaseReader {
        if self == .queue { return try filled(DatabaseQueue()) }
        let pool = try filled(DatabasePool(path: folder.appendingPathComponent("db.sqlite").path))
        return self == .pool ? pool : try pool.makeSnapshot()
    }

    private func filled<Writer: DatabaseWriter>(_ writer: Writer) throws -> Writer {
        try writer.write { db in
            try db.execute(
                sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (1, 'Anna')")
        }
        return writer
    }
}

@Suite("Dumps of readers")
struct ReaderDumpTests {
    @Test("a reader dumps what its database does", arguments: Reader.allCases)
    fileprivate func readers(_ kind: Reader) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let reader = try kind.make(folder)
        let schema = "sqlite_master\nCREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);\n"
        let texts = [
            try text { try reader.dumpSQL("SELECT name FROM player WHERE id = \(1)", to: $0) },
            try text { try reader.dumpRequest(Table("player").all(), format: .quote(), to: $0) },
            try text { try reader.dumpTables(["player"], tableHeader: .always, stableOrder: true, to: $0) },
            try text { try reader.dumpSchema(to: $0) },
            try text { try reader.dumpContent(format: .json(), to: $0) },
        ]
        #expect(
            texts == [
                "Anna\n", "1,'Anna'\n", "player\n1|Anna\n", schema,
                schema + "\nplayer\n[{\"id\":1,\"name\":\"Anna\"}]\n",
            ])
        try reader.close()
    }

    @Test("inside of an access of the same queue")
    func insideOfAnAccess() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player (name TEXT); INSERT INTO player VALUES ('Anna')")
            let dump = try text { try dbQueue.dumpTables(["player"], to: $0) }
            #expect(dump == "Anna\n")
        }
    }

    /// The tables of modules and collations that aren't registered have a line with the error. The other tables follow.
    @Test("a table that cannot be read is no obstacle", arguments: [true, false])
    func unreadableTables(json: Bool) throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE a (x); CREATE TABLE c (x PRIMARY KEY COLLATE NOCASE); CREATE TABLE z (x)")
            for table in ["a", "c", "z"] { try db.execute(sql: "INSERT INTO \(table) VALUES (1)") }
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
                      VALUES ('table', 'm', 'm', 0, 'CREATE VIRTUAL TABLE m USING spatial()');
                    UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'foreign_names');
                    PRAGMA writable_schema = RESET;
                    """)
        }
        let dump = try text { stream in
            if json {
                try dbQueue.dumpContent(format: .json(), to: stream)
            } else {
                try dbQueue.dumpContent(to: stream)
            }
        }
        let row = json ? #"[{"x":1}]"# : "1"
        #expect(
            dump.hasSuffix(
                """
                a
                \(row)

                c
                -- no such collation sequence: foreign_names

                m
                -- no such module: spatial

                z
                \(row)

                """), "\(dump)")
    }

    @Test("an interruption ends the dump")
    func interruption() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (x);
                    INSERT INTO a
                      WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 5000) SELECT x FROM n
                    """)
            let limits = ExecutionLimits(time: .zero)
            let error = #expect(throws: DatabaseError.self) {
                try db.withLimits(limits) { try db.dumpContent(to: Text()) }
            }
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
        }
    }
}
