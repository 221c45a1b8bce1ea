import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Changes that observers receive without rows.
struct AnnouncementTests {
    /// Records the changes that it receives.
    private final class Log: TransactionObserver {
        private var lines: [String] = []
        private let region: DatabaseRegion

        init(_ region: DatabaseRegion = .fullDatabase) { self.region = region }

        func take() -> [String] {
            defer { lines = [] }
            return lines
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            region.isModified(byEventsOfKind: eventKind)
        }
        func databaseDidChange() { lines.append("change") }
        func databaseDidChange(with event: DatabaseEvent) { lines.append(event.line) }
        func databaseDidCommit(_ db: Database) { lines.append("commit") }
        func databaseDidRollback(_ db: Database) { lines.append("rollback") }
    }

    private func withLog(
        _ region: DatabaseRegion = .fullDatabase, _ body: (Database, () -> [String]) throws -> Void
    ) throws {
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            let log = Log(region)
            db.add(transactionObserver: log)
            try body(db) { log.take() }
            withExtendedLifetime(log) {}
        }
    }

    /// The region that a query reads.
    private func region(_ db: Database, _ sql: String) throws -> DatabaseRegion {
        try db.makeStatement(sql: sql).databaseRegion
    }

    // MARK: notifyChanges

    @Test func aDatabaseWithoutTablesHasNothingToAnnounce() throws {
        try DatabaseQueue().inDatabase { db in
            let log = EventLog()
            db.add(transactionObserver: log)
            try db.notifyChanges(in: .fullDatabase)
            #expect(log.takeAsked() == [])
        }
    }

    /// Observers see the names of the schema.
    @Test func namesAreThoseOfTheSchema() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE Player (Id INTEGER PRIMARY KEY, Name)")
            let log = EventLog { _ in false }
            db.add(transactionObserver: log)
            try db.notifyChanges(in: DatabaseRegion(table: "pLAYER", columns: ["nAME"]))
            #expect(
                log.takeAsked() == [
                    .insert(tableName: "Player"), .update(tableName: "Player", columnNames: ["Name"]),
                    .delete(tableName: "Player"),
                ])
        }
    }

    /// The schema table of temporary tables only exists if there is one.
    @Test func theTemporarySchema() throws {
        try DatabaseQueue().inDatabase { db in
            let log = EventLog()
            db.add(transactionObserver: log)
            for name in ["sqlite_temp_master", "SQLITE_TEMP_SCHEMA"] {
                try db.notifyChanges(in: DatabaseRegion(table: name))
                #expect(log.takeAsked() == [])
            }
            try db.execute(sql: "CREATE TEMPORARY TABLE t (a)")
            _ = log.takeAsked()
            for name in ["sqlite_temp_master", "SQLITE_TEMP_SCHEMA"] {
                try db.notifyChanges(in: DatabaseRegion(table: name))
                #expect(Set(log.takeAsked().map(\.tableName)) == ["sqlite_temp_master"])
            }
            try db.notifyChanges(in: DatabaseRegion(table: "Sqlite_Schema"))
            #expect(Set(log.takeAsked().map(\.tableName)) == ["sqlite_master"])
        }
    }

    @Test func announcements() throws {
        try withLog { db, take in
            try db.inTransaction {
                try db.notifyChanges(in: DatabaseRegion(table: "player"))
                #expect(take() == ["change"])
                return .commit
            }
            #expect(take() == ["commit"])
        }
    }

    @Test(arguments: [
        // the observed region, the notified region, whether they overlap
        ("SELECT name FROM player", "SELECT name, score FROM player", true),
        ("SELECT name FROM player", "SELECT score, teamId FROM player", true),  // rows may be inserted or deleted
        ("SELECT name FROM player", "SELECT * FROM team", false),
        ("SELECT COUNT(*) FROM team", "SELECT id, name FROM team", true),
        ("SELECT * FROM sqlite_master", "SELECT * FROM sqlite_master", true),
    ])
    func regions(observed: String, announced: String, isTold: Bool) throws {
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            let log = Log(try region(db, observed))
            db.add(transactionObserver: log)
            try db.notifyChanges(in: region(db, announced))
            #expect(log.take() == (isTold ? ["change"] : []))
            // The full database has no schema table.
            try db.notifyChanges(in: .fullDatabase)
            #expect(log.take() == (observed.contains("sqlite_master") ? [] : ["change"]))
            try db.notifyChanges(in: DatabaseRegion())
            #expect(log.take() == [])
        }
    }

    @Test func rowsOfARegionAreIgnored() throws {
        try withLog(DatabaseRegion(table: "player", rowIDs: [1])) { db, take in
            try db.notifyChanges(in: DatabaseRegion(table: "player", rowIDs: [2]))
            #expect(take() == ["change"])
        }
    }

    @Test func anObserverOfNothingIsNotTold() throws {
        try withLog(DatabaseRegion()) { db, take in
            try db.notifyChanges(in: .fullDatabase)
            #expect(take() == [])
        }
    }

    @Test func tablesThatDoNotExist() throws {
        try withLog { db, take in
            try db.notifyChanges(in: DatabaseRegion(table: "nowhere"))
            #expect(take() == ["change"])
        }
    }

    @Test func savepointsHoldAnnouncementsBack() throws {
        try withLog { db, take in
            try db.inTransaction {
                try db.inSavepoint {
                    try db.notifyChanges(in: .fullDatabase)
                    #expect(take() == [])
                    return .commit
                }
                #expect(take() == ["change"])
                try db.inSavepoint {
                    try db.notifyChanges(in: .fullDatabase)
                    return .rollback
                }
                #expect(take() == [])
                return .commit
            }
        }
    }

    @Test func readOnlyAccesses() throws {
        try withLog { db, take in
            try db.readOnly { try db.notifyChanges(in: .fullDatabase) }
            #expect(take() == [])
        }
    }

    @Test func regionsThatFail() throws {
        try withLog { db, take in
            #expect(throws: Refusal.self) {
                try db.notifyChanges(in: AnyDatabaseRegionConvertible { _ in throw Refusal() })
            }
            #expect(take() == [])
        }
    }

    // MARK: Replaced content

    @Test func backups() throws {
        try withLog(DatabaseRegion(table: "player")) { db, take in
            let source = try DatabaseQueue()
            try source.inDatabase { try $0.backup(to: db) }
            // The table was removed.
            #expect(take() == ["change", "commit"])
            try source.inDatabase { sourceDb in
                try sourceDb.createTeams()
                try sourceDb.backup(to: db)
            }
            // The table exists again.
            #expect(take() == ["change", "commit"])
        }
    }

    @Test func backupsThatAreNotCompleted() throws {
        try withLog { db, take in
            let source = try DatabaseQueue()
            try source.inDatabase { sourceDb in
                try sourceDb.createTeams()
                try sourceDb.withBackup(to: db) { _ in }
            }
            #expect(take() == [])
        }
    }

    @Test func bytes() throws {
        try withLog(DatabaseRegion(table: "player")) { db, take in
            try db.deserialize(Data())
            #expect(take() == ["change", "commit"])
            try db.execute(sql: "CREATE TABLE other (a)")
            _ = take()
            // Neither content contains the table.
            try db.deserialize(Data())
            #expect(take() == ["commit"])
        }
    }

    @Test func erasedDatabases() throws {
        try withLog(DatabaseRegion(table: "player")) { db, take in
            try db.erase()
            #expect(Set(take()) == ["change", "commit"])
        }
    }
}
