import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Statements that a database access leaves before their last row: they end with the access.
@Suite(.watchdog)
struct ActiveStatementTests {
    /// The ways to leave a statement that reads.
    enum Reading: String, CaseIterable, Sendable {
        case cursor, cursorOfCachedStatement, cursorOfFullTextTable, stepInC, nestedCursors

        /// Returns an object that retains the statement.
        func leave(_ db: Database) throws -> [AnyObject] {
            let sql = "SELECT * FROM player"
            switch self {
            case .cursor:
                let rows = try Row.fetchCursor(db, sql: sql)
                _ = try rows.next()
                return [rows]
            case .cursorOfCachedStatement:
                let rows = try Row.fetchCursor(db.cachedStatement(sql: sql))
                _ = try rows.next()
                return [rows]
            case .cursorOfFullTextTable:
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM word, player WHERE word MATCH 'a*'")
                _ = try rows.next()
                return [rows]
            case .stepInC:
                sqlite3_step(try db.cachedStatement(sql: sql).sqliteStatement)
                return []
            case .nestedCursors:
                return try (1...3).map { _ in
                    let rows = try Row.fetchCursor(db, sql: sql)
                    _ = try rows.next()
                    return rows
                }
            }
        }
    }

    private static func fill(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE word USING fts5(text);
                INSERT INTO word VALUES ('a'), ('ab'), ('b');
                INSERT INTO player (name) VALUES ('Anna'), ('Bo'), ('Chloe');
                """)
    }

    private var oneReader: Configuration { .tested { $0.maximumReaderCount = 1 } }

    @Test("the next read of the connection sees the last commit", arguments: Store.allCases, Reading.allCases)
    func reads(store: Store, reading: Reading) throws {
        try store.withWriter(oneReader) { writer in
            try writer.write(Self.fill)
            var kept: [AnyObject] = []
            for count in 4...6 {
                try writer.read { kept += try reading.leave($0) }
                try writer.unsafeRead { kept += try reading.leave($0) }
                try writer.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Dan')") }
                #expect(try writer.read { try $0.playerCount() } == count)
                #expect(try writer.unsafeRead { try $0.playerCount() } == count)
                writer.unsafeReentrantWrite { db in db.sqliteConnection.map(expectNoBusyStatement) }
            }
            kept = []
        }
    }

    @Test("the reads of tasks see it, too", arguments: Reading.allCases)
    func readsOfTasks(reading: Reading) async throws {
        try await withPool(oneReader) { pool, _ in
            try await pool.write { try Self.fill($0) }
            try await pool.read { db in _ = try reading.leave(db) }
            try await pool.write { try $0.execute(sql: "DELETE FROM player") }
            #expect(try await pool.read { try $0.playerCount() } == 0)
        }
    }

    @Test("checkpoints aren't blocked by a cursor of an earlier read")
    func checkpoints() throws {
        try withPool(oneReader) { pool, _ in
            try pool.write(Self.fill)
            var rows: RowCursor?
            try pool.read { db in
                rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                _ = try rows?.next()
            }
            try pool.write { try $0.execute(sql: "DELETE FROM player") }
            let result = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            #expect(result.walFrameCount == 0)
            rows = nil
        }
    }

    @Test("a snapshot stays the same", arguments: Reading.allCases)
    func snapshots(reading: Reading) throws {
        try withPool { pool, _ in
            try pool.write(Self.fill)
            let snapshot = try pool.makeSnapshot()
            let kept = try snapshot.read { try reading.leave($0) }
            try pool.write { try $0.execute(sql: "DELETE FROM player") }
            #expect(try snapshot.read { try $0.playerCount() } == 3)
            withExtendedLifetime(kept) {}
        }
    }

    // MARK: Statements that write

    private static let update = "UPDATE player SET name = 'x' RETURNING id"

    @Test("a statement with RETURNING is committed at the end of the access", arguments: Store.allCases)
    func returning(store: Store) throws {
        try store.withWriter { writer in
            try writer.write(Self.fill)
            var ids: AnyObject?
            try writer.writeWithoutTransaction { db in
                let cursor = try Int.fetchCursor(db, sql: Self.update)
                #expect(try cursor.next() == 1)
                ids = cursor
                // Not yet: the statement may return further rows.
                #expect(db.transactionState() == .write)
            }
            try writer.writeWithoutTransaction { db in
                #expect(db.transactionState() == Database.TransactionState.none)
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Dan')")
            }
            try writer.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Eve')") }
            let names = try writer.read { try String.fetchAll($0, sql: "SELECT name FROM player ORDER BY id") }
            #expect(names == ["x", "x", "x", "Dan", "Eve"])
            withExtendedLifetime(ids) {}
        }
    }

    /// The commit fails: a row refers to a missing row. The cursor is used in the access, and retained after it.
    private static func violate(_ db: Database) throws -> AnyObject {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS goal (
                  id INTEGER PRIMARY KEY, player REFERENCES player DEFERRABLE INITIALLY DEFERRED)
                """)
        let cursor = try Int.fetchCursor(db, sql: "INSERT INTO goal VALUES (1, 99), (2, 99) RETURNING id")
        #expect(try cursor.next() == 1)
        return cursor
    }

    @Test("the access throws the error of this commit", arguments: Store.allCases)
    func failingCommit(store: Store) async throws {
        try await store.withWriter { writer in
            try databaseError(.SQLITE_CONSTRAINT) {
                _ = try writer.barrierWriteWithoutTransaction { try Self.violate($0) }
            }
            await #expect(throws: DatabaseError.self) {
                try await writer.writeWithoutTransaction { db in
                    nonisolated(unsafe) let cursor = try Self.violate(db)
                    db.afterNextTransaction { _ in withExtendedLifetime(cursor) {} }
                }
            }
            try await writer.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Dan')") }
            #expect(try await writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM goal") } == 0)
            #expect(try await writer.read { try $0.playerCount() } == 1)
        }
    }

    @Test("an observer of this commit that leaves statements and transactions doesn't disturb later accesses")
    func observers() throws {
        final class Observer: TransactionObserver {
            var kept: [AnyObject] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidRollback(_ db: Database) {}
            func databaseDidCommit(_ db: Database) {
                guard let cursor = try? Int.fetchCursor(db, sql: ActiveStatementTests.update) else { return }
                _ = try? cursor.next()
                kept.append(cursor)
            }
        }
        try withPool { pool, _ in
            try pool.write(Self.fill)
            let observer = Observer()
            pool.add(transactionObserver: observer)
            try pool.writeWithoutTransaction { db in
                let cursor = try Int.fetchCursor(db, sql: Self.update)
                _ = try cursor.next()
                observer.kept.append(cursor)
            }
            pool.remove(transactionObserver: observer)
            #expect(observer.kept.count == 2)
            try pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Dan')") }
            #expect(try pool.read { try $0.playerCount() } == 4)
            observer.kept = []
        }
    }
}
