import Amalgam
import AmalgamCore
import Testing

/// Audit logs and undo: no change is without its entry, and no entry without its change.
@Suite struct AuditFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal, .pool]))
    func audit(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
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

    /// Outside of a transaction as well: a statement and its entries are one.
    @Test(arguments: Weather.allocations([.memory]) + Weather.files([.journal]))
    func entriesAndChanges(weather: Weather) throws {
        try everyFault(
            of: weather,
            setUp: { db in
                try db.createTeams()
                try db.audit("player")
            }
        ) { attempt in
            let writer = try attempt.connect()
            try attempt.calmly { try writer.audit("player") }
            defer {
                attempt.calmly {
                    let counts = try? writer.writeWithoutTransaction { db in
                        try Row.fetchOne(
                            db,
                            sql: """
                                SELECT (SELECT count(*) FROM player WHERE score = 5) AS changes,
                                  (SELECT count(*) FROM amalgam_audit) AS entries
                                """)
                    }
                    if let row = counts ?? nil { #expect(row["changes"] as Int == row["entries"]) }
                }
            }
            try attempt.step { db in try db.execute(sql: "UPDATE player SET score = 5") }
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
