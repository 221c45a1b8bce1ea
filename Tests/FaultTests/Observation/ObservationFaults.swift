import Amalgam
import CKeyedFiles
import AmalgamCore
import Testing

/// Observers receive exactly what was committed, with the correct values.
@Suite struct ObservationFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal, .pool]))
    func changes(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let diary = try attempt.observe()
            try attempt.step { db in
                try db.execute(sql: "UPDATE player SET score = score + 1, name = name || '!' WHERE teamId = 1")
            }
            try attempt.step { db in try db.execute(sql: "DELETE FROM team WHERE id = 1") }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player") }
            attempt.note(diary.lines)
        }
    }

    /// Values that are converted, and values that span several pages.
    @Test(arguments: Weather.allocations([.memory, .journal]) + Weather.files([.journal, .pool]))
    func largeValues(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'")
            // Another page size is a setting of the codec, which each connection would need.
            if keyed_files_are_on() == 0 { try db.execute(sql: "PRAGMA page_size = 512") }
            try db.createTeams()
            try db.execute(sql: "UPDATE player SET name = name || hex(zeroblob(2000))")
        }
        // If a hook can't read a value, it can stop the statement only by this error.
        try everyFault(of: weather, allowing: [.SQLITE_NOMEM], setUp: setUp) { attempt in
            let diary = try attempt.observe()
            try attempt.step { db in
                try db.execute(sql: "UPDATE player SET name = 'new ' || name, score = 3 WHERE id < 3")
            }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player") }
            attempt.note(diary.lines)
        }
    }

    /// A statement fires a trigger that was created after its compilation.
    @Test(arguments: Weather.memory)
    func newTrigger(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let diary = try attempt.observe()
            let insertion = try attempt.step { db in
                try db.makeStatement(sql: "INSERT INTO team (name) VALUES ('Greens')")
            }
            try attempt.step { db in
                try attempt.calmly {
                    try db.execute(
                        sql: """
                            CREATE TRIGGER newcomer AFTER INSERT ON team BEGIN
                              INSERT INTO player (name, teamId) VALUES ('Dan', new.id);
                            END
                            """)
                }
            }
            try attempt.step { _ in try insertion.execute() }
            attempt.note(diary.lines)
        }
    }

    @Test(arguments: Weather.allocations([.memory, .journal]))
    func savepoints(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let diary = try attempt.observe()
            try attempt.step { db in
                try db.inTransaction {
                    try db.inSavepoint {
                        try db.execute(sql: "UPDATE player SET score = 5")
                        return .commit
                    }
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT OR REPLACE INTO player (id, name) VALUES (1, 'Bo')")
                        return .rollback
                    }
                    return .commit
                }
            }
            attempt.note(diary.lines)
        }
    }

    /// If an observer refuses the commit, its error is thrown, whatever else fails.
    @Test(arguments: Weather.allocations([.memory, .journal]))
    func refusal(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let diary = try attempt.observe()
            diary.refuses = true
            defer { diary.refuses = false }
            try attempt.step { db in
                do {
                    try db.inTransaction {
                        try db.execute(sql: "DELETE FROM player")
                        return .commit
                    }
                } catch is Refusal {}
            }
            attempt.note(diary.lines)
        }
    }

    /// `afterNextTransaction` calls exactly one of its closures, once.
    @Test(arguments: Weather.allocations([.memory]) + Weather.files([.journal]))
    func afterTransaction(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            let calls = Calls()
            try attempt.step { db in
                do {
                    try db.inTransaction {
                        db.afterNextTransaction(
                            onCommit: { _ in calls.commits += 1 }, onRollback: { _ in calls.rollbacks += 1 })
                        try db.execute(sql: "DELETE FROM player")
                        return .commit
                    }
                } catch {
                    if calls.rollbacks > 1 || calls.commits != 0 {
                        throw DatabaseError(message: "\(calls.commits) \(calls.rollbacks)")
                    }
                    throw error
                }
            }
            attempt.note("\(calls.commits) \(calls.rollbacks)")
        }
    }
}

private final class Calls: @unchecked Sendable {
    // Sendable: only the thread of the test uses it.
    var commits = 0
    var rollbacks = 0
}

private struct Refusal: Error {}

/// Records its calls.
private final class Diary: TransactionObserver {
    var lines: [String] = []
    var refuses = false

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName != "probe" }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        let old = event.initialDatabaseValues?.map { "\($0)" } ?? []
        let new = event.finalDatabaseValues?.map { "\($0)" } ?? []
        lines.append("\(event.kind) \(event.tableName) \(old) \(new)")
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws { if refuses { throw Refusal() } }

    func databaseDidCommit(_ db: Database) { lines.append("commit") }

    func databaseDidRollback(_ db: Database) { lines.append("rollback") }
}

extension Attempt {
    fileprivate func observe() throws -> Diary {
        let diary = Diary()
        try connect().unsafeReentrantWrite { $0.add(transactionObserver: diary, extent: .databaseLifetime) }
        return diary
    }
}
