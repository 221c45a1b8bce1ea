import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Audit logs and undo: each change has its entry, and each entry its change.
@Suite struct AuditFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal, .pool]))
    func audit(weather: Weather) throws {
        var configuration = Configuration.inFaults
        configuration.transactionClock = StoppedClock()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect(configuration)
            try attempt.step { db in try db.audit("player", .table("team", redacting: ["name"])) }
            try attempt.step { db in
                try db.auditing(as: "user:42") {
                    try db.execute(sql: "UPDATE player SET score = 1, name = name || '!'")
                }
            }
            try attempt.step { db in
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM team WHERE id = 1")
                    return .commit
                }
            }
            try attempt.step { db in
                attempt.note(try String.fetchAll(db, sql: "UPDATE player SET score = 2 RETURNING name"))
            }
            try attempt.read { db in
                attempt.note(try AuditLog.Entry.order(AuditLog.Entry.Columns.id).fetchAll(db).map(\.description))
            }
        }
    }

    @Test(arguments: Weather.allocations([.memory]) + Weather.files([.journal]))
    func undo(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            let history = UndoHistory()
            try attempt.step { db in
                try history.perform(db) { try db.execute(sql: "DELETE FROM team WHERE id = 1") }
            }
            try attempt.step { db in attempt.note(try history.undo(db)) }
            try attempt.step { db in attempt.note(try history.redo(db)) }
        }
    }
}

/// A clock that makes the log equal in all attempts.
private struct StoppedClock: TransactionClock {
    func now(_ db: Database) throws -> Date { Date(timeIntervalSince1970: 0) }
}
