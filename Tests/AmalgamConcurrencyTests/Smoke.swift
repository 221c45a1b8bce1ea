import Amalgam
import Foundation
import Testing

@Suite struct Smoke {
    @Test func queue() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
            try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Anna", 10])
            try db.execute(literal: "INSERT INTO player (name, score) VALUES (\("O'Brien"), \(20))")
        }
        let rows = try dbQueue.read { db in try Row.fetchAll(db, sql: "SELECT * FROM player") }
        #expect(rows.map(\.description) == ["[id:1 name:\"Anna\" score:10]", "[id:2 name:\"O'Brien\" score:20]"])
        #expect(rows[0]["NAME"] == "Anna")
        let names = try dbQueue.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
        #expect(names == ["Anna", "O'Brien"])
        #expect(throws: DatabaseError.self) { try dbQueue.read { db in try db.execute(sql: "DELETE FROM player") } }
    }

    @Test func pool() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("smoke-\(UUID()).sqlite").path
        let dbPool = try DatabasePool(path: path)
        try dbPool.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
            try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Anna", 10])
        }
        let snapshot = try dbPool.makeSnapshot()
        let snapshotPool = try dbPool.makeSnapshotPool()
        try dbPool.write { db in try db.execute(sql: "DELETE FROM player") }
        @Sendable func count(_ db: Database) throws -> Int { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
        #expect(try dbPool.read(count) == 0)
        #expect(try snapshot.read(count) == 1)
        #expect(try snapshotPool.read(count) == 1)
    }

    @Test func asyncPool() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("smoke-\(UUID()).sqlite").path
        let dbPool = try DatabasePool(path: path)
        try await dbPool.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
            try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Anna", 10])
        }
        let count = try await dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player")! }
        #expect(count == 1)
        let task = Task {
            try await dbPool.read { db in
                try Int.fetchOne(db, sql: "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM n) SELECT COUNT(*) FROM n")
            }
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try dbPool.close()
    }

    final class Observer: TransactionObserver {
        var log: [String] = []
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseWillChange(with event: DatabasePreUpdateEvent) {
            log.append("will \(event.tableName) \(event.kind) \(event.initialDatabaseValues ?? []) \(event.finalDatabaseValues ?? [])")
        }
        func databaseDidChange(with event: DatabaseEvent) { log.append("did \(event.kind) \(event.rowID)") }
        func databaseWillCommit() throws { log.append("willCommit") }
        func databaseDidCommit(_ db: Database) { log.append("didCommit") }
        func databaseDidRollback(_ db: Database) { log.append("didRollback") }
    }

    @Test func observer() throws {
        let dbQueue = try DatabaseQueue()
        let observer = Observer()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
            db.add(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO t (a) VALUES ('x')")
            try db.execute(sql: "INSERT INTO t (a) VALUES ('y')")
            try db.execute(sql: "UPDATE t SET a = 'z' WHERE id = 1")
            try db.execute(sql: "DELETE FROM t")
            try db.inTransaction { return .commit }
            try db.inTransaction { try db.execute(sql: "INSERT INTO t (a) VALUES ('w')"); return .rollback }
        }
        #expect(observer.log.count == 23)
    }
}
