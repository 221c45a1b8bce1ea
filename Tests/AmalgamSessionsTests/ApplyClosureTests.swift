import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// The use of the connection in the application's closures, and the loss of its transaction.
@Suite struct ApplyClosureTests {
    private static let refusal = "a transaction or savepoint cannot be ended while changes are applied in it"

    /// Runs a test with a changeset whose only change conflicts.
    private func withConflict(_ test: (Changeset, Database) throws -> Void) throws {
        try withTwoDatabases({ try $0.createPeople() }) { here, there in
            let changeset = try here.recordChanges { try here.execute(sql: "UPDATE person SET score = 0 WHERE id = 1") }
            try there.execute(sql: "UPDATE person SET score = 99 WHERE id = 1; CREATE TABLE log (line)")
            try test(changeset, there)
        }
    }

    @Test func connectionIsUsable() throws {
        try withConflict { changeset, db in
            try db.apply(changeset) { conflict in
                let change = try #require(conflict.change)
                #expect(try change.newRow(db) == ["score": 0])
                try db.execute(sql: "INSERT INTO log VALUES (?)", arguments: [conflict.description])
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO log VALUES ('undone')")
                    return .rollback
                }
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE person SET score = 50 WHERE id = 1")
                    return .commit
                }
                return .omit
            }
            #expect(try db.rows(of: "log") == ["data: UPDATE person(1*, _, 10 -> 0)"])
            #expect(try db.rows(of: "person")[0] == "1|Anna|50")
        }
    }

    @Test(arguments: ["ROLLBACK", "COMMIT", "RELEASE outside", "ROLLBACK TO outside"])
    func transactionsAreNotEnded(_ sql: String) throws {
        try withConflict { changeset, db in
            try db.execute(sql: "SAVEPOINT outside")
            expectError(.SQLITE_MISUSE, Self.refusal, sql: sql) {
                try db.apply(changeset) { _ in
                    try db.execute(sql: sql)
                    return .omit
                }
            }
            #expect(db.isInsideTransaction)
            try db.execute(sql: "RELEASE outside")
            #expect(try db.rows(of: "person")[0] == "1|Anna|99")
        }
    }

    @Test func misuseCanBeCaught() throws {
        try withConflict { changeset, db in
            try db.apply(changeset) { _ in
                expectError(.SQLITE_MISUSE, Self.refusal, sql: "ROLLBACK") { try db.execute(sql: "ROLLBACK") }
                expectError(.SQLITE_MISUSE, Self.refusal, sql: "COMMIT TRANSACTION") { try db.commit() }
                return .replace
            }
            #expect(try db.rows(of: "person")[0] == "1|Anna|0")
        }
    }

    @Test func applicationInAnApplication() throws {
        try withConflict { changeset, db in
            try db.apply(changeset) { _ in
                #expect(throws: DatabaseError.self) { try db.apply(changeset) }
                try db.apply(changeset) { _ in .replace }
                expectError(.SQLITE_MISUSE, Self.refusal, sql: "ROLLBACK") { try db.execute(sql: "ROLLBACK") }
                return .omit
            }
            #expect(try db.rows(of: "person")[0] == "1|Anna|0")
            #expect(!db.isInsideTransaction)
        }
    }

    @Test func sessionInAnApplication() throws {
        try withConflict { changeset, db in
            var session: Session?
            try db.apply(changeset) { _ in
                session = try db.makeSession()
                return .replace
            }
            let lines = try session?.changeset().lines
            #expect(lines == ["UPDATE person(1*, _, 99 -> 0)"])
        }
    }

    /// A trigger rolls back the whole transaction: SQLite by itself would continue, and commit the other changes one by
    /// one.
    @Test(arguments: [false, true])
    func lostTransaction(_ inTransaction: Bool) throws {
        try withTwoDatabases({ try $0.createPeople() }) { here, there in
            let changeset = try here.recordChanges { try here.execute(sql: "UPDATE person SET score = 0") }
            try there.execute(
                sql: """
                    CREATE TRIGGER t BEFORE UPDATE ON person WHEN old.id = 2
                    BEGIN SELECT RAISE(ROLLBACK, 'no'); END
                    """)
            let before = try there.rows(of: "person")
            let lines = there.events {
                expectError(.SQLITE_ABORT, "Transaction was aborted") {
                    if inTransaction {
                        try there.inTransaction {
                            try there.apply(changeset) { _ in .omit }
                            return .commit
                        }
                    } else {
                        try there.apply(changeset) { _ in .omit }
                    }
                }
            }
            #expect(lines.last == "didRollback")
            #expect(!lines.contains("didCommit"))
            #expect(try there.rows(of: "person") == before)
            // The connection can write.
            try there.execute(sql: "DROP TRIGGER t; UPDATE person SET score = 1")
        }
    }

    @Test func cancelledAccess() throws {
        try withTwoDatabases({ try $0.createPeople() }) { here, there in
            let changeset = try here.recordChanges { try here.execute(sql: "UPDATE person SET score = 0") }
            let before = try there.rows(of: "person")
            #expect(throws: (any Error).self) {
                try there.apply(changeset, where: { _ in throw CancellationError() }) { _ in .omit }
            }
            #expect(try there.rows(of: "person") == before)
        }
    }
}
