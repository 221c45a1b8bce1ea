import Amalgam
import AmalgamCore
import TestSupport
import Testing

struct ForeignKeyEnforcementTests {
    private struct Failure: Error {}

    private func expectEnforcement(
        _ db: Database, _ isOn: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let value = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys")
        #expect(value == isOn, sourceLocation: sourceLocation)
    }

    @Test func isTurnedOffAndOn() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: "CREATE TABLE team (id INTEGER PRIMARY KEY); CREATE TABLE player (teamId REFERENCES team)")
            try db.withoutForeignKeys {
                try expectEnforcement(db, false)
                try db.execute(sql: "INSERT INTO player VALUES (1)")
            }
            try expectEnforcement(db, true)
            expectError(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: "INSERT INTO player VALUES (2)") {
                try db.execute(sql: "INSERT INTO player VALUES (2)")
            }
        }
    }

    @Test func isTurnedOnAfterAnError() throws {
        try DatabaseKind.memory.run { db in
            #expect(throws: Failure.self) { try db.withoutForeignKeys { throw Failure() } }
            try expectEnforcement(db, true)
        }
    }

    /// Enforcement is enabled even if a transaction is left open, in which the pragma has no effect.
    @Test func isTurnedOnInAnOpenTransaction() throws {
        try DatabaseKind.memory.run { db in
            try db.withoutForeignKeys { try db.execute(sql: "BEGIN") }
            try expectEnforcement(db, true)
            try db.execute(sql: "ROLLBACK")
        }
    }

    @Test func staysOff() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseKind.memory.run(configuration) { db in
            try db.inTransaction {
                try db.withoutForeignKeys { try expectEnforcement(db, false) }
                return .commit
            }
            try expectEnforcement(db, false)
        }
    }

    @Test func isRefusedInATransaction() throws {
        try DatabaseKind.memory.run { db in
            try db.inTransaction {
                expectError(.SQLITE_MISUSE, "Foreign keys cannot be turned off inside a transaction.") {
                    try db.withoutForeignKeys {}
                }
                return .commit
            }
        }
    }
}
