import Amalgam
import AmalgamConcurrency
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// The log contains exactly the changes that aren't undone.
@Suite struct TransactionTests {
    @Test(arguments: Store.allCases)
    func rollbacks(store: Store) throws {
        try store.audit("player") { db in
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player")
                try expectEqual(db.log.count, 3)
                return .rollback
            }
            try expectEqual(db.log, [])
        }
    }

    @Test(arguments: Store.allCases)
    func savepoints(store: Store) throws {
        try store.audit("player") { db in
            try db.inTransaction {
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                    return .rollback
                }
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
                    try db.inSavepoint {
                        try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1")
                        return .rollback
                    }
                    try db.execute(sql: "UPDATE player SET score = 4 WHERE id = 1")
                    return .commit
                }
                return .commit
            }
            try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 2)", "UPDATE player 1 (score: 2 -> 4)"])
            let transactions = try Set(AuditLog.Entry.fetchAll(db).map(\.transactionID))
            #expect(transactions.count == 1)
        }
    }

    @Test(arguments: Store.allCases)
    func plainSQL(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(
                sql: """
                    SAVEPOINT a;
                    UPDATE player SET score = 1 WHERE id = 1;
                    SAVEPOINT b;
                    UPDATE player SET score = 2 WHERE id = 1;
                    ROLLBACK TO b;
                    RELEASE a;
                    BEGIN;
                    UPDATE player SET score = 3 WHERE id = 1;
                    COMMIT;
                    BEGIN;
                    UPDATE player SET score = 4 WHERE id = 1;
                    ROLLBACK;
                    """)
            try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 1)", "UPDATE player 1 (score: 1 -> 3)"])
        }
    }

    /// A statement outside of a transaction and its entries are one transaction: another connection sees both, or none.
    @Test func autocommit() throws {
        try Store.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.writeWithoutTransaction { db in
                try db.createTeams()
                try db.audit("player")
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                #expect(!db.isInsideTransaction)
            }
            let count = try pool.read { db in try AuditLog.Entry.fetchCount(db) }
            #expect(count == 1)
        }
    }

    @Test(arguments: Store.allCases)
    func statementsThatFail(store: Store) throws {
        try store.audit("player") { db in
            // The second row violates UNIQUE: SQLite undoes the first one.
            for isInTransaction in [false, true] {
                if isInTransaction { try db.beginTransaction() }
                expectCode(.SQLITE_CONSTRAINT) { try db.execute(sql: "UPDATE player SET name = 'Xavier'") }
                #expect(db.isInsideTransaction == isInTransaction)
                if isInTransaction { try db.commit() }
            }
            try expectEqual(db.log, [])
        }
    }

    /// With `ON CONFLICT FAIL`, changes before the conflict stay.
    @Test(arguments: Store.allCases)
    func statementsThatFailHalfway(store: Store) throws {
        try store.audit("player") { db in
            for isInTransaction in [false, true] {
                let entries = try db.logged {
                    if isInTransaction { try db.beginTransaction() }
                    expectCode(.SQLITE_CONSTRAINT) {
                        try db.execute(sql: "UPDATE OR FAIL player SET name = 'Xavier\(isInTransaction)'")
                    }
                    if isInTransaction { try db.commit() }
                }
                #expect(entries.count == 1)
                try expectEqual(
                    String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 1"), "Xavier\(isInTransaction)")
            }
        }
    }

    /// A function fails at the second row of a statement that can't violate a constraint: SQLite has no statement
    /// journal for it, and the first row stays changed in a transaction.
    @Test(arguments: Store.allCases)
    func functionsThatFail(store: Store) throws {
        try store.audit("player") { db in
            db.add(
                function: DatabaseFunction("picky", argumentCount: 1) { values in
                    if values[0] == 2.databaseValue { throw DatabaseError(message: "not this one") }
                    return 0
                })
            for isInTransaction in [false, true] {
                if isInTransaction { try db.beginTransaction() }
                _ = expectCode(.SQLITE_ERROR) { try db.execute(sql: "UPDATE player SET score = picky(id)") }
                if isInTransaction { try db.commit() }
                // The log contains the rows that were changed.
                let changed = try Int.fetchOne(db, sql: "SELECT count(*) FROM player WHERE score = 0")
                try expectEqual(db.log.count, changed)
            }
        }
    }

    @Test(arguments: Store.allCases)
    func onConflictRollback(store: Store) throws {
        try store.audit("player") { db in
            for isInTransaction in [false, true] {
                if isInTransaction { try db.beginTransaction() }
                if isInTransaction { try db.execute(sql: "DELETE FROM player WHERE id = 3") }
                expectCode(.SQLITE_CONSTRAINT) { try db.execute(sql: "UPDATE OR ROLLBACK player SET name = 'X'") }
                #expect(!db.isInsideTransaction)
            }
            try expectEqual(db.log, [])
            // Later changes are logged.
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 1)"])
        }
    }

    @Test(arguments: Store.allCases)
    func onConflictIgnore(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "UPDATE OR IGNORE player SET name = 'X'")
            try expectEqual(db.log, [#"UPDATE player 1 (name: "Anna" -> "X")"#])
        }
    }

    @Test(arguments: Store.allCases)
    func interrupts(store: Store) throws {
        try store.audit("player") { db in
            nonisolated(unsafe) let connection = db.sqliteConnection
            db.add(
                function: DatabaseFunction("stop", argumentCount: 1) { values in
                    if values[0] == 2.databaseValue { sqlite3_interrupt(connection) }
                    return 0
                })
            for isInTransaction in [false, true] {
                if isInTransaction { try db.beginTransaction() }
                expectCode(.SQLITE_INTERRUPT) { try db.execute(sql: "UPDATE player SET score = stop(id)") }
                if isInTransaction { try db.rollback() }
                #expect(!db.isInsideTransaction)
            }
            try expectEqual(db.log, [])
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM player WHERE score = 0"), 0)
        }
    }

    @Test(arguments: Store.allCases)
    func observersThatRefuse(store: Store) throws {
        struct Refusal: Error {}
        final class Guard: TransactionObserver {
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() throws { throw Refusal() }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try store.audit("player") { db in
            let observer = Guard()
            db.add(transactionObserver: observer)
            #expect(throws: Refusal.self) { try db.execute(sql: "UPDATE player SET score = 1") }
            #expect(throws: Refusal.self) {
                try db.inTransaction {
                    try db.execute(sql: "UPDATE player SET score = 1")
                    return .commit
                }
            }
            db.remove(transactionObserver: observer)
            try expectEqual(db.log, [])
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = 1"), 10)
        }
    }

    /// A change that can't be recorded is undone.
    @Test(arguments: Store.allCases)
    func entriesThatCannotBeStored(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
            try db.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON amalgam_audit_change BEGIN
                      SELECT RAISE(ABORT, 'the log is full');
                    END
                    """)
            for isInTransaction in [false, true] {
                if isInTransaction { try db.beginTransaction() }
                let error = expectCode(.SQLITE_CONSTRAINT) { try db.execute(sql: "UPDATE player SET score = 1") }
                #expect(error?.message == "the log is full")
                // Only the statement is undone.
                #expect(db.isInsideTransaction == isInTransaction)
                if isInTransaction { try db.commit() }
            }
            expectCode(.SQLITE_CONSTRAINT) {
                try String.fetchAll(db, sql: "UPDATE player SET score = 1 RETURNING name")
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = 1"), 11)
            try expectEqual(db.log.count, 1)
        }
    }

    @Test(arguments: Store.allCases)
    func blobWritesThatCannotBeStored(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(
                sql: """
                    UPDATE player SET score = x'0001' WHERE id = 1;
                    CREATE TRIGGER full BEFORE INSERT ON amalgam_audit_change BEGIN
                      SELECT RAISE(ABORT, 'the log is full');
                    END
                    """)
            let blob = try db.openBlob(table: "player", column: "score", rowID: 1, access: .readWrite)
            let error = expectCode(.SQLITE_CONSTRAINT) { try blob.write(Data([9])) }
            #expect(error?.message == "the log is full")
            #expect(!db.isInsideTransaction)
            expectCode(.SQLITE_ABORT) { try blob.write(Data([9])) }
            try blob.close()
            try expectEqual(String.fetchOne(db, sql: "SELECT hex(score) FROM player WHERE id = 1"), "0001")
        }
    }

    /// A blob takes twice its bytes in JSON.
    @Test(arguments: Store.allCases)
    func rowsThatAreTooLarge(store: Store) throws {
        try store.audit("player", "team") { db in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 10_000)
            let error = expectCode(.SQLITE_TOOBIG) {
                try db.execute(sql: "UPDATE player SET score = zeroblob(6000) WHERE id = 1")
            }
            let message = try #require(error?.message)
            #expect(message.hasPrefix("A row of the table player is too large to be audited"))
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = 1"), 10)
            try expectEqual(db.log, [])
        }
    }

    /// The error is that of the statement, not that of a COMMIT which the application hasn't executed.
    @Test(arguments: Store.allCases)
    func deferredForeignKeys(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(
                sql: """
                    CREATE TABLE visit (
                      id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team(id) DEFERRABLE INITIALLY DEFERRED)
                    """)
            for isAudited in [false, true] {
                if isAudited { try db.audit("visit") }
                let sql = "INSERT INTO visit VALUES (1, 99)"
                let error = expectCode(.SQLITE_CONSTRAINT) { try db.execute(sql: sql) }
                #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
                #expect(error?.sql == sql)
                #expect(!db.isInsideTransaction)
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM visit"), 0)
            try expectEqual(db.log, [])
        }
    }

    /// Each transaction looks up the identifiers of the changed tables only.
    @Test(arguments: Store.allCases)
    func tablesThatDoNotChange(store: Store) throws {
        try store.audit("player", "team") { db in
            try db.execute(
                sql: """
                    UPDATE player SET score = 1;
                    UPDATE team SET name = upper(name);
                    DELETE FROM amalgam_audit_change;
                    DELETE FROM amalgam_audit_table;
                    UPDATE player SET score = 2 WHERE id = 1;
                    """)
            try expectEqual(String.fetchAll(db, sql: "SELECT name FROM amalgam_audit_table"), ["player"])
            try expectEqual(db.log, ["UPDATE player 1 (score: 1 -> 2)"])
        }
    }

    /// The tables of the log belong to the transaction that has enabled auditing.
    @Test(arguments: Store.allCases)
    func auditingIsTurnedOnInATransactionThatIsRolledBack(store: Store) throws {
        try store.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.inTransaction {
                    try db.audit("player")
                    return .rollback
                }
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 1)"])
            }
        }
    }

    /// If a function ends the audit, the running statement is still recorded to its end.
    @Test(arguments: Store.allCases)
    func auditsThatEndInTheMiddleOfAStatement(store: Store) throws {
        try store.audit("player") { db in
            nonisolated(unsafe) let connection = db
            db.add(
                function: DatabaseFunction("stop_auditing", argumentCount: 0) { _ in
                    try connection.stopAuditing()
                    return 0
                })
            try db.execute(sql: "UPDATE player SET score = stop_auditing() WHERE id < 3")
            #expect(!db.isInsideTransaction)
            try db.execute(sql: "UPDATE player SET score = 7")
            try expectEqual(db.log, [])
            try expectEqual(Int.fetchOne(db, sql: "SELECT sum(score) FROM player"), 21)
        }
    }

    @Test(arguments: Store.allCases)
    func severalCursorsUnderWay(store: Store) throws {
        try store.audit("player", "team") { db in
            let players = try String.fetchCursor(db, sql: "UPDATE player SET score = 1 RETURNING name")
            _ = try players.next()
            let teams = try String.fetchCursor(db, sql: "UPDATE team SET name = id RETURNING name")
            _ = try teams.next()
            while try players.next() != nil {}
            try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
            while try teams.next() != nil {}
            #expect(!db.isInsideTransaction)
            try expectEqual(db.log.count, 6)
        }
    }
}

/// Random transactions against a model: the log always leads from the first state to the last.
@Suite struct ReplayTests {
    @Test(arguments: 1...8)
    func replay(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        try Store.memory.audit("player") { db in
            let initial = try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id")
            for _ in 0..<60 {
                let sql = Self.statement(&generator)
                do { try db.execute(sql: sql) } catch is DatabaseError {}
            }
            while db.isInsideTransaction { try db.commit() }
            var rows: [Int64: [String: DatabaseValue]] = [:]
            for row in initial { rows[row["id"]] = Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }) }
            for entry in try AuditLog.Entry.order(AuditLog.Entry.Columns.id).fetchAll(db) {
                let key = try #require(Int64.fromDatabaseValue(entry.key.values[0]))
                let newKey = try entry.newKey.map { try #require(Int64.fromDatabaseValue($0.values[0])) } ?? key
                var row = rows.removeValue(forKey: key) ?? [:]
                #expect(row.isEmpty == (entry.operation == .insert))
                for change in entry.changes where entry.operation != .delete {
                    row[change.columnName] = change.newValue
                }
                if entry.operation != .delete { rows[newKey] = row }
            }
            let final = try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id")
            #expect(rows.count == final.count)
            for row in final {
                #expect(rows[row["id"]] == Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }))
            }
        }
    }

    private static func statement(_ generator: inout SplitMix) -> String {
        let id = Int.random(in: 1...6, using: &generator)
        let other = Int.random(in: 1...6, using: &generator)
        let conflict = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ROLLBACK"].randomElement(using: &generator)!
        return [
            "INSERT \(conflict) INTO player VALUES (\(id), 'N\(other)', \(other), 1)",
            "UPDATE \(conflict) player SET id = \(other) WHERE id = \(id)",
            "UPDATE \(conflict) player SET name = 'N' || (id % 3)",
            "UPDATE player SET score = score + 1",
            "DELETE FROM player WHERE id = \(id)",
            "BEGIN", "COMMIT", "ROLLBACK",
            "SAVEPOINT s", "RELEASE s", "ROLLBACK TO s",
        ].randomElement(using: &generator)!
    }
}
