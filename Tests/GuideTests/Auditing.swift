import Amalgam
import Foundation
import Testing

@Suite("Guide: Auditing and undo")
struct Auditing {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("app.sqlite")
        // guide: tables
        try DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    CREATE TABLE account (id INTEGER PRIMARY KEY, password TEXT);
                    """)
        }
        // end
    }

    @Test("Who changed which column, when and why")
    func audit() throws {
        // guide: on
        var config = Configuration()
        config.audit("player", .table("account", redacting: ["password"]))
        let dbQueue = try DatabaseQueue(path: path, configuration: config)
        // end
        // guide: change
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna', 10)")
        }
        try dbQueue.write { db in
            try db.auditing(as: "user:42", reason: "typing error") {
                try db.execute(sql: "UPDATE player SET name = 'Anne' WHERE id = 1")
            }
        }
        // end
        try dbQueue.read { db in
            // guide: history
            let history = try AuditLog.history(of: "player", key: 1).fetchAll(db)
            print(history[1])  // UPDATE player 1 (name: "Anna" -> "Anne") by user:42
            let entry = try AuditLog.lastChange(of: "name", in: "player", key: 1).fetchOne(db)!
            print(entry.reason!, entry["name"]!.oldValue!)  // typing error "Anna"
            // end
            #expect("\(history[1])" == #"UPDATE player 1 (name: "Anna" -> "Anne") by user:42"#)
            // guide: row
            let row = try AuditLog.row(db, in: "player", key: 1, at: Date())
            print(row!["name"]!)  // "Anne"
            // end
            #expect(row?["name"] == "Anne")
        }
        try dbQueue.write { db in
            try db.stopAuditing()
            try db.execute(sql: "UPDATE player SET score = 11")
            // guide: verify
            for contradiction in try AuditLog.verify(db) {
                print(contradiction)  // player 1: score is 11, but was 10 (current row)
            }
            // end
            #expect(try AuditLog.verify(db).map(\.description) == ["player 1: score is 11, but was 10 (current row)"])
            // guide: revert
            if let entry = try AuditLog.lastChange(of: "name", in: "player", key: 1).fetchOne(db) {
                _ = try AuditLog.revert(db, transaction: entry.transactionID)
            }
            // end
            #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "Anna")
        }
        try dbQueue.write { db in
            // guide: retention
            try AuditLog.deleteEntries(db, before: Date(timeIntervalSinceNow: -90 * 86_400))
            // end
            #expect(try AuditLog.history(of: "player", key: 1).fetchCount(db) == 2)
            try AuditLog.deleteEntries(db, before: Date(timeIntervalSinceNow: 1))
            #expect(try AuditLog.history(of: "player", key: 1).fetchCount(db) == 0)
        }
    }

    @Test("Undo and redo")
    func undo() throws {
        let dbQueue = try DatabaseQueue(path: path)
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna', 10)") }
        // guide: undo
        let history = UndoHistory()
        try dbQueue.write { db in
            try history.perform(db, named: "Delete Player") {
                try db.execute(sql: "DELETE FROM player WHERE id = 1")
            }
        }
        print(history.undoActionName!)  // Delete Player
        try dbQueue.write { db in _ = try history.undo(db) }
        // end
        #expect(try dbQueue.read { try String.fetchAll($0, sql: "SELECT name FROM player") } == ["Anna"])
    }
}
