import Amalgam
import AmalgamCore
import Testing

/// A session contains all changes, or an error says that it doesn't.
@Suite struct SessionFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]))
    func record(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.inTransaction {
                    let changeset = try db.recordChanges { try db.change() }
                    try attempt.note(changeset)
                    return .commit
                }
            }
        }
    }

    /// A session is usable after a statement that it couldn't record.
    @Test(arguments: Weather.memory)
    func options(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            let session = try attempt.step { db in
                try db.makeSession(
                    tables: ["player", "note"], options: [.recordsImplicitRowIDs, .tracksChangesetSize])
            }
            try attempt.step { db in try db.change() }
            try attempt.step { _ in
                try attempt.note(session.changeset())
                try attempt.note(session.patchset())
                try session.close()
            }
        }
    }

    /// If memory for a part of its SQL is exhausted, SQLite runs the incomplete SQL.
    @Test(arguments: Weather.memory)
    func difference(weather: Weather) throws {
        try everyFault(of: weather, allowing: [.SQLITE_ERROR], setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try attempt.calmly {
                    try db.execute(
                        sql: """
                            ATTACH ':memory:' AS old;
                            CREATE TABLE old.team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                            INSERT INTO old.team VALUES (1, 'Greens'), (7, 'Whites');
                            """)
                }
                defer { attempt.calmly { try? db.execute(sql: "DETACH old") } }
                try attempt.note(db.difference(from: "old", tables: ["team"]))
            }
        }
    }

    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal, .pool]))
    func apply(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let application = try db.apply(changeset) { $0.replaceOrOmit }
                attempt.note(application.conflictCount)
            }
            try attempt.step { db in
                let application = try db.apply(changeset.inverted()) { $0.replaceOrOmit }
                attempt.note(application.conflictCount)
            }
        }
    }

    /// A table that the database doesn't have is reported, or the application fails.
    @Test(arguments: Weather.memory)
    func skippedTables(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        let setUp = { (db: Database) in
            try db.createTeams()
            try db.execute(sql: "DROP TABLE player")
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let application = try db.apply(changeset) { $0.replaceOrOmit }
                attempt.note(application.skippedTables.description)
            }
        }
    }

    /// Conflicts of all kinds, with a handler that reads the values, and the database.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func conflicts(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        let setUp = { (db: Database) in
            try db.createTeams()
            try db.execute(
                sql: """
                    UPDATE player SET score = 11 WHERE id = 1;
                    DELETE FROM player WHERE id = 2;
                    INSERT INTO player VALUES (4, 'Dan of old', 0, 1), (5, 'Eva', 0, 1);
                    """)
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            let application = try attempt.step { db in
                try db.apply(changeset, tables: { $0 == "player" }, where: { !$0.isIndirect }) {
                    conflict in
                    attempt.note(conflict)
                    attempt.note(conflict.currentValues?.description ?? "none")
                    attempt.note(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") ?? -1)
                    return conflict.replaceOrOmit
                }
            }
            attempt.note(application.conflictCount)
            try attempt.step { try attempt.note(changeset.rebased(on: application.resolutions)) }
        }
    }

    /// Observers receive the changes that are applied.
    @Test(arguments: Weather.memory)
    func observedApplication(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let writer = try attempt.connect()
            let counter = Counter()
            writer.add(transactionObserver: counter, extent: .databaseLifetime)
            try attempt.step { db in try db.apply(changeset) { $0.replaceOrOmit } }
            attempt.note(counter.committed)
        }
    }

    private final class Counter: TransactionObserver {
        private var changes = 0
        private(set) var committed = 0

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) { changes += 1 }
        func databaseDidCommit(_ db: Database) { committed += changes }
        func databaseDidRollback(_ db: Database) { changes = 0 }
    }
}

extension Database {
    /// Makes changes of each kind, including strings that a session must copy.
    fileprivate func change() throws {
        try inSavepoint {
            try execute(
                sql: """
                    UPDATE player SET score = ifnull(score, 0) + 1, name = name || hex(zeroblob(300)) WHERE id <> 2;
                    INSERT INTO player VALUES (4, 'Dan', 1, 2), (5, 'Fritz', 2.5, NULL);
                    DELETE FROM player WHERE id = 2;
                    """)
            return .commit
        }
    }
}

extension Changeset {
    /// The effect of `change` on the teams.
    static func inFaults() throws -> Changeset {
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            return try db.recordChanges { try db.change() }
        }
    }
}

extension Attempt {
    /// Records changes, sorted because their order is SQLite's. Nothing fails during this.
    func note(_ changes: some RecordedChanges) throws {
        try calmly { note(try Array(changes.changes().map(\.description)).sorted()) }
    }
}
