import Amalgam
import Foundation
import TestSupport
import Testing

/// The examples of docs/auditing.md.
@Suite("The guide to audits")
struct AuditGuideTests {
    private func withGuide(_ test: (DatabaseQueue) throws -> Void) throws {
        var config = Configuration()
        config.audit("player", .table("team", columns: ["name"]), .table("account", redacting: ["password"]))
        let dbQueue = try DatabaseQueue(configuration: config)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE player (
                      id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER,
                      teamId INTEGER REFERENCES team(id) ON DELETE CASCADE);
                    CREATE TABLE account (id INTEGER PRIMARY KEY, password TEXT);
                    INSERT INTO team VALUES (1, 'Reds');
                    INSERT INTO player VALUES (1, 'Anna', 10, 1);
                    INSERT INTO account VALUES (1, 'secret');
                    """)
        }
        try test(dbQueue)
    }

    private func correctName(_ dbQueue: DatabaseQueue) throws {
        try dbQueue.write { db in
            try db.auditing(as: "user:42", reason: "typing error") {
                try db.execute(sql: "UPDATE player SET name = 'Anne' WHERE id = 1")
            }
        }
    }

    @Test("reading the log")
    func reading() throws {
        try withGuide { dbQueue in
            try correctName(dbQueue)
            try dbQueue.read { db in
                let playerId: Int64 = 1
                let history = try AuditLog.history(of: "player", key: playerId).fetchAll(db)
                #expect(
                    history.map(\.description) == [
                        #"INSERT player 1 (id: 1, name: "Anna", score: 10, teamId: 1)"#,
                        #"UPDATE player 1 (name: "Anna" -> "Anne") by user:42"#,
                    ])

                let entry = try AuditLog.lastChange(of: "name", in: "player", key: playerId).fetchOne(db)
                #expect(entry?.actor == "user:42")
                #expect(entry?.reason == "typing error")
                #expect(entry?["name"]?.oldValue == "Anna".databaseValue)

                let recent = try AuditLog.Entry
                    .filter { $0.actor == "user:42" && $0.operation == AuditLog.Entry.Operation.update }
                    .changing("name")
                    .order(\.id.desc)
                    .limit(20)
                    .fetchAll(db)
                #expect(recent == history.suffix(1))

                let names = try String?.fetchAll(
                    db,
                    sql: """
                        SELECT changes ->> '$.name[1]' FROM amalgam_audit WHERE tableName = 'player' AND key = 1
                        """)
                #expect(names == ["Anna", "Anne"])
            }
        }
    }

    @Test("a row as it was")
    func past() throws {
        try withGuide { dbQueue in
            let date = try dbQueue.read { db in
                try #require(try AuditLog.history(of: "player", key: 1).fetchOne(db)).date
            }
            // Dates of the log have milliseconds.
            while try dbQueue.read({ db in try db.transactionDate }) <= date.addingTimeInterval(0.002) {}
            try correctName(dbQueue)
            try dbQueue.read { db in
                let playerId: Int64 = 1
                let row = try AuditLog.row(db, in: "player", key: playerId, at: date)
                #expect(row?["name"] == "Anna")
                expectCode(.SQLITE_ERROR) {
                    try AuditLog.row(db, in: "player", key: 1, at: date.addingTimeInterval(-86_400))
                }
            }
        }
    }

    @Test("what must not be stored")
    func redaction() throws {
        try withGuide { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "UPDATE account SET password = 'new secret' WHERE id = 1")
                let entry = try AuditLog.lastChange(of: "password", in: "account", key: 1).fetchOne(db)
                #expect(entry?.description == "UPDATE account 1 (password: redacted)")
                try db.execute(sql: "UPDATE player SET name = name")
                expectEqual(try AuditLog.history(of: "player", key: 1).fetchCount(db), 1)
            }
        }
    }

    @Test("what isn't logged")
    func verification() throws {
        try withGuide { dbQueue in
            try dbQueue.write { db in
                try db.stopAuditing()
                try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
                expectEqual(
                    try AuditLog.verify(db).map(\.description), ["player 1: score is 11, but was 10 (current row)"])
            }
        }
    }

    @Test("a transaction of the log is reverted")
    func reversal() throws {
        try withGuide { dbQueue in
            try correctName(dbQueue)
            try dbQueue.write { db in
                let lastChange = try AuditLog.lastChange(of: "name", in: "player", key: 1).fetchOne(db)
                if let lastChange {
                    _ = try AuditLog.revert(db, transaction: lastChange.transactionID)
                }
                expectEqual(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 1"), "Anna")
            }
        }
    }

    @Test("how long it is kept")
    func retention() throws {
        try withGuide { dbQueue in
            try dbQueue.write { db in
                for score in 1...20 { try db.execute(sql: "UPDATE player SET score = ?", arguments: [score * 100]) }
                expectEqual(try AuditLog.deleteEntries(db, before: Date(timeIntervalSinceNow: -90 * 86_400)), 0)
                expectEqual(try AuditLog.deleteEntries(db, exceptLatest: 10), 11)
                expectEqual(try AuditLog.history(of: "player", key: 1).fetchCount(db), 10)
            }
        }
    }

    @Test("undo and redo")
    func undo() throws {
        try withGuide { dbQueue in
            let history = UndoHistory()
            try dbQueue.write { db in
                try history.perform(db, named: "Delete Team") {
                    try db.execute(sql: "DELETE FROM team WHERE id = 1")
                }
            }
            #expect(history.undoActionName == "Delete Team")
            let count = { try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! } }
            #expect(try count() == 0)
            _ = try dbQueue.write { db in try history.undo(db) }
            #expect(try count() == 1)
            _ = try dbQueue.write { db in try history.redo(db) }
            #expect(try count() == 0)

            try dbQueue.write { db in try db.execute(sql: "INSERT INTO team VALUES (1, 'Blues')") }
            let error = #expect(throws: UndoConflict.self) { try dbQueue.write { db in try history.undo(db) } }
            #expect(error?.tableNames.contains("team") == true)
            #expect(history.canUndo)
        }
    }

    private final class ScoreWatcher: TransactionObserver {
        private(set) var messages: [String] = []

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "player" }

        func databaseWillChange(with event: DatabasePreUpdateEvent) {
            for change in event.columnChanges where change.columnName == "score" {
                messages.append("\(change.initialValue) -> \(change.finalValue)")
            }
        }

        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test("events by column")
    func events() throws {
        try withGuide { dbQueue in
            let watcher = ScoreWatcher()
            dbQueue.add(transactionObserver: watcher)
            try dbQueue.write { db in
                try db.execute(sql: "UPDATE player SET score = 20 WHERE id = 1")
                try db.execute(sql: "UPDATE player SET name = 'Anne' WHERE id = 1")
            }
            #expect(watcher.messages == ["10 -> 20"])
        }
    }
}
