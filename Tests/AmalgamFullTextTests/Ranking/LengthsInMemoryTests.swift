import Amalgam
import AmalgamCore
import CAmalgam
import ChildProcesses
import Foundation
import TestSupport
import Testing

/// The lengths of rows, in memory.
@Suite("Lengths in memory")
struct LengthsInMemoryTests {
    private func create(_ db: Database) throws {
        try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title)")
        for number in 1...500 {
            try db.execute(
                sql: "INSERT INTO document VALUES (?)", arguments: ["a" + String(repeating: " b", count: number % 50)])
        }
    }

    /// The best rows, after a check of all of them.
    @discardableResult
    private func search(_ db: Database) throws -> [Int] {
        let sql = "SELECT rowid FROM document WHERE document MATCH 'a' ORDER BY"
        let rowIDs = try Int.fetchAll(db, sql: "\(sql) rank, rowid")
        expectEqual(rowIDs, try Int.fetchAll(db, sql: "\(sql) bm25(document), +rowid"))
        return Array(rowIDs.prefix(3))
    }

    @Test("warmUp reads them, and tells their size")
    func warmUp() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write(create)
        let lengths = try dbQueue.read { db in try FTS5Index("document").warmUp(db) }
        #expect(lengths.rowCount == 500)
        #expect(lengths.byteCount < 5 * 500)
        _ = try dbQueue.read { db in
            expectCode(.SQLITE_ERROR) { try FTS5Index("nothing").warmUp(db) }
        }
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE other (title TEXT)")
            expectFailure(.SQLITE_ERROR, "no such FTS5 table: other") { _ = try FTS5Index("other").warmUp(db) }
        }
    }

    @Test("Rowids that are far apart, and rowids with gaps", arguments: [1_000_000_007, 3, 1] as [Int64])
    func farApart(distance: Int64) throws {
        try DatabaseKind.pool.run { db in
            try db.inTransaction {
                try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title)")
                for number in 0..<4000 as Range<Int64> {
                    try db.execute(
                        sql: "INSERT INTO document(rowid, title) VALUES (?, ?)",
                        arguments: [(number - 2000) * distance, "a" + String(repeating: " b", count: Int(number) % 50)])
                }
                return .commit
            }
            let lengths = try FTS5Index("document").warmUp(db)
            #expect(lengths.rowCount == 4000)
            #expect(lengths.byteCount < (distance == 1 ? 3 : distance == 3 ? 5 : 11) * 4000)
            for _ in 0..<3 { try search(db) }
            for query in ["a", "b", "a OR b", "a AND b", "(a OR c) AND (b OR c)", "a*", "b NOT c"] {
                for condition in [
                    "true", "rowid < \(-70 * distance)", "rowid = \(distance)", "rowid > \(distance + 1)",
                ] {
                    try checkRanks(db, "document", query, "\(query), \(condition)", condition: condition, limit: 30)
                }
            }
            try db.execute(sql: "DELETE FROM document WHERE rowid % 5 = 0")
            for _ in 0..<3 { try search(db) }
        }
    }

    /// The counts of `warmUp` are those of the table.
    private func expectCounts(_ db: Database, _ comment: Comment) throws {
        let rowCount = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM document")!
        let lengths = try FTS5Index("document").warmUp(db)
        #expect(lengths.rowCount == rowCount, comment)
        #expect(lengths.byteCount >= 2 * rowCount && lengths.byteCount < 12 * rowCount + 2000, comment)
    }

    /// How often a search finds out whether it has to end: once for each 4,096 rows and windows that it looks at.
    private func checkCount(_ db: Database) throws -> Int {
        var count = 0
        db.setProgressHandler(every: 1_000_000) {
            count += 1
            return true
        }
        defer { db.setProgressHandler(nil) }
        _ = try Int.fetchAll(db, sql: "SELECT rowid FROM document WHERE document MATCH 'a' ORDER BY rank LIMIT 10")
        return count
    }

    /// A database in memory, one without a WAL file, and a transaction: a connection adds its writes to the lengths.
    @Test(
        "Writes change the counts, and a search looks at as many windows as before", arguments: DatabaseKind.allCases,
        [1, 7_919_000_000_007] as [Int64])
    func writes(kind: DatabaseKind, distance: Int64) throws {
        try kind.run { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title)")
            try expectCounts(db, "the empty table")
            try db.execute(
                sql: """
                    WITH number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 20000)
                    INSERT INTO document(rowid, title)
                    SELECT i * ?, 'a' || substr(' b b b b b b b b', 1, 2 * (i % 8)) FROM number
                    """, arguments: [distance])
            try expectCounts(db, "the filled table")
            let checks = try checkCount(db)
            // Without windows, there are twice as many.
            #expect(checks >= 4)
            let writes = [
                "INSERT INTO document(rowid, title) VALUES (-5, 'a')", "INSERT INTO document(title) VALUES ('a')",
                "UPDATE document SET title = 'a b c' WHERE rowid = \(10_000 * distance)",
            ]
            for isInTransaction in [true, false] {
                if isInTransaction { try db.beginTransaction() }
                for write in writes {
                    try db.execute(sql: write)
                    try expectCounts(db, "\(write)")
                    #expect(try checkCount(db) <= checks + 1, "\(write)")
                    try checkRanks(db, "document", "a OR b", "\(write)", limit: 100)
                }
                if isInTransaction { try db.rollback() }
                try expectCounts(db, "the end")
                #expect(try checkCount(db) <= checks + 1)
            }
            for write in ["DELETE FROM document WHERE rowid <= \(distance)", "DELETE FROM document"] {
                try db.execute(sql: write)
                try expectCounts(db, "\(write)")
                try checkRanks(db, "document", "a OR b", "\(write)", limit: 100)
            }
        }
    }

    /// How often FTS5 has read the length of one row, with a statement that it holds prepared.
    private func lookupCount(_ db: Database) -> Int {
        var count = 0
        var statement: OpaquePointer?
        while let next = sqlite3_next_stmt(db.sqliteConnection, statement) {
            statement = next
            let sql = sqlite3_sql(next).map { String(cString: $0) } ?? ""
            guard sql.hasPrefix("SELECT sz"), sql.contains("document_docsize' WHERE id=?") else { continue }
            count += Int(sqlite3_stmt_status(next, SQLITE_STMTSTATUS_RUN, 0))
        }
        return count
    }

    @Test(
        "Each search of a transaction reads the lengths that were written since the last one",
        arguments: DatabaseKind.allCases)
    func searchesBetweenWrites(kind: DatabaseKind) throws {
        try kind.run { db in
            try create(db)
            try FTS5Index("document").warmUp(db)
            let before = lookupCount(db)
            try db.inTransaction {
                for _ in 0..<500 {
                    try db.execute(sql: "INSERT INTO document VALUES ('a b')")
                    let sql = "SELECT rowid FROM document WHERE document MATCH 'a' ORDER BY rank LIMIT 3"
                    expectEqual(try Int.fetchAll(db, sql: sql), [50, 100, 150])
                }
                return .commit
            }
            let count = lookupCount(db) - before
            #expect(count >= 500 && count <= 600)
            try search(db)
        }
    }

    @Test("Many commits between two searches")
    func manyCommits() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(create)
            _ = try pool.read { db in try search(db) }
            for number in 1...150 {
                try pool.write { db in
                    try db.execute(sql: "INSERT INTO document VALUES ('a b')")
                    try db.execute(sql: "UPDATE document SET title = 'a' WHERE rowid = ?", arguments: [number])
                }
            }
            _ = try pool.read { db in try search(db) }
            expectEqual(try pool.read { db in amalgam_ranked_load_count(db.sqliteConnection, "document") }, 1)
        }
    }

    @Test("The connections of a pool share them, and a write changes those of its rows only")
    func pool() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(create)
            try pool.read { db in _ = try search(db) }
            try pool.write { db in _ = try search(db) }
            let snapshot = try pool.makeSnapshot()
            for number in 1...20 {
                try pool.write { db in
                    try db.execute(sql: "INSERT INTO document VALUES ('a')")
                    try db.execute(sql: "UPDATE document SET title = 'a b' WHERE rowid = ?", arguments: [number])
                    try db.execute(sql: "DELETE FROM document WHERE rowid = ?", arguments: [100 + number])
                    try search(db)
                }
                try pool.write { db in try db.execute(sql: "CREATE TABLE t\(number) (x)") }
                _ = try pool.read { db in try search(db) }
                _ = try snapshot.read { db in try search(db) }
            }
            expectEqual(try pool.read { db in amalgam_ranked_load_count(db.sqliteConnection, "document") }, 1)
        }
    }

    @Test("A new WAL file that connections of the process begin doesn't make them be read again")
    func newWALFiles() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(create)
            try pool.read { db in _ = try search(db) }
            for number in 1...8 {
                let mode = number % 2 == 0 ? "TRUNCATE" : "RESTART"
                for row in 1...10 where number != 5 {
                    try pool.write { db in
                        try db.execute(sql: "INSERT INTO document VALUES ('a')")
                        try db.execute(
                            sql: "UPDATE document SET title = 'a b b' WHERE rowid = ?", arguments: [number * row])
                    }
                }
                try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(\(mode))") }
                if number % 3 == 0 { _ = try pool.read { db in try search(db) } }
                try pool.write { db in
                    try db.execute(sql: "DELETE FROM document WHERE rowid = ?", arguments: [100 + number])
                }
                _ = try pool.read { db in try search(db) }
            }
            expectEqual(try pool.read { db in amalgam_ranked_load_count(db.sqliteConnection, "document") }, 1)
        }
    }

    @Test("A reader at the end of the WAL file before, and readers of the new one")
    func endOfTheWALFileBefore() throws {
        let folder = Folder()
        let (writer, reader) = try (DatabaseQueue(path: folder.path("t")), DatabaseQueue(path: folder.path("t")))
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try create(db)
            try db.execute(sql: "PRAGMA wal_checkpoint(FULL)")
        }
        for number in 1...6 {
            try reader.writeWithoutTransaction { old in
                // The whole WAL file has been copied: the transaction doesn't keep others from beginning a new one.
                try old.execute(sql: "BEGIN")
                let before = try search(old)
                let after = try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "UPDATE document SET title = 'a' WHERE rowid = ?", arguments: [100 - number])
                    return try search(db)
                }
                #expect(before != after)
                expectEqual(try search(old), before)
                try old.execute(sql: "COMMIT")
                expectEqual(try search(old), after)
            }
            try writer.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(FULL)") }
        }
        expectEqual(
            reader.writeWithoutTransaction { db in amalgam_ranked_load_count(db.sqliteConnection, "document") }, 1)
        try reader.close()
        try writer.close()
    }

    @Test("A transaction that is rolled back, to its start or a savepoint", arguments: DatabaseKind.allCases)
    func rollbacks(kind: DatabaseKind) throws {
        try kind.run { db in
            try create(db)
            let before = try search(db)
            try db.inTransaction {
                try db.execute(sql: "UPDATE document SET title = 'a b c d' WHERE rowid < 100")
                let changed = try search(db)
                #expect(changed != before)
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM document WHERE rowid % 2 = 0; INSERT INTO document VALUES ('a')")
                    try search(db)
                    return .rollback
                }
                expectEqual(try search(db), changed)
                return .rollback
            }
            expectEqual(try search(db), before)
        }
    }

    @Test("Commands that change all rows", arguments: DatabaseKind.allCases)
    func commands(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE source (id INTEGER PRIMARY KEY, title TEXT);
                    CREATE VIRTUAL TABLE document USING fts5(title, content='source', content_rowid='id');
                    INSERT INTO source VALUES (1, 'a'), (2, 'a b'), (3, 'a b c');
                    INSERT INTO document(document) VALUES ('rebuild')
                    """)
            expectEqual(try search(db), [1, 2, 3])
            // The sizes of the table stay the same.
            try db.execute(sql: "UPDATE source SET title = iif(id = 1, 'a b c', 'a') WHERE id <> 2")
            try db.execute(sql: "INSERT INTO document(document) VALUES ('rebuild')")
            expectEqual(try search(db), [3, 2, 1])
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO document(document) VALUES ('delete-all')")
                expectEqual(try search(db), [])
                try db.execute(sql: "INSERT INTO document(rowid, title) VALUES (5, 'a'), (4, 'a b')")
                expectEqual(try search(db), [5, 4])
                return .rollback
            }
            expectEqual(try search(db), [3, 2, 1])
            try db.execute(sql: "INSERT INTO document(document, rowid, title) VALUES ('delete', 3, 'a')")
            expectEqual(try search(db), [2, 1])
            try db.execute(sql: "INSERT INTO document(document, rank) VALUES ('merge', 500)")
            expectEqual(try search(db), [2, 1])
        }
    }

    @Test("Commits of another connection, and checkpoints", arguments: ["WAL", "DELETE"])
    func otherConnections(mode: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("documents.sqlite").path
            let (first, second) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
            try first.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = \(mode)")
                try create(db)
                try search(db)
            }
            for number in 1...12 {
                let (writer, reader) = number % 2 == 0 ? (first, second) : (second, first)
                try writer.write { db in
                    try db.execute(sql: "UPDATE document SET title = 'a b b' WHERE rowid = ?", arguments: [number])
                    try db.execute(sql: "UPDATE document SET title = 'a' WHERE rowid = ?", arguments: [490 - number])
                    try search(db)
                }
                if number % 4 == 0 {
                    try writer.writeWithoutTransaction { db in
                        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                        if number == 8 { try db.execute(sql: "VACUUM") }
                    }
                }
                _ = try reader.read { db in try search(db) }
            }
            try second.close()
            try first.close()
        }
    }

    @Test("Commits of another process")
    func otherProcess() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(create)
            _ = try pool.read { db in try search(db) }
            let process = try ChildProcess("amalgam-external-writer", [pool.path])
            for number in 1...5 {
                try process.say("UPDATE document SET title = 'a' WHERE rowid = \(number * 7)")
                #expect(process.readLine() == "ok")
                _ = try pool.read { db in try search(db) }
                try pool.write { db in
                    try db.execute(sql: "DELETE FROM document WHERE rowid = \(number)")
                    try search(db)
                }
                _ = try pool.read { db in try search(db) }
            }
            process.kill()
            _ = process.wait()
        }
    }

    @Test("Readers search while a connection writes")
    func readersAndWriter() async throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.url.appendingPathComponent("documents.sqlite").path)
        try await pool.write { db in try create(db) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...60 {
                    try await pool.write { db in
                        try db.execute(
                            sql: "UPDATE document SET title = 'a b' WHERE rowid = ?", arguments: [number * 3])
                        try search(db)
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 1...60 { try await pool.read { db in _ = try search(db) } }
                }
            }
            try await group.waitForAll()
        }
        try pool.close()
    }
}
