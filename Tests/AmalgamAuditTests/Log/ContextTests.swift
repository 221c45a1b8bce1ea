import Amalgam
import AmalgamConcurrency
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// The actor, reason, date and transaction of entries.
@Suite struct ContextTests {
    @Test(arguments: Store.allCases)
    func contexts(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            try db.auditing(as: "user:42", reason: "import") {
                try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
                try db.auditing(reason: "correction") {
                    try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1")
                }
                try db.auditing(as: "user:43") {
                    try db.execute(sql: "UPDATE player SET score = 4 WHERE id = 1")
                }
            }
            try db.execute(sql: "UPDATE player SET score = 5 WHERE id = 1")
            let entries = try AuditLog.history(of: "player", key: 1).fetchAll(db)
            #expect(entries.map(\.actor) == [nil, "user:42", "user:42", "user:43", nil])
            #expect(entries.map(\.reason) == [nil, "import", "correction", "import", nil])
            #expect(entries[1].description == "UPDATE player 1 (score: 1 -> 2) by user:42")
        }
    }

    /// Rows that a function changes wait for the end of the statement that calls it, and retain their own actor.
    @Test(arguments: Store.allCases, [true, false])
    func contextsOfFunctions(store: Store, isInTransaction: Bool) throws {
        try store.audit("player", "team") { db in
            nonisolated(unsafe) let connection = db
            db.add(
                function: DatabaseFunction("renamed", argumentCount: 1) { values in
                    try connection.auditing(as: "trigger", reason: "rename") {
                        try connection.execute(sql: "UPDATE team SET name = name || '!' WHERE id = 1")
                    }
                    try connection.execute(sql: "UPDATE team SET name = name || '?' WHERE id = 2")
                    return values[0]
                })
            if isInTransaction { try db.beginTransaction() }
            for actor in ["user:42", "user:43"] {
                try db.auditing(as: actor, reason: "score") {
                    try db.execute(sql: "UPDATE player SET score = renamed(score + 1) WHERE id = 1")
                }
            }
            try db.execute(sql: "UPDATE player SET score = 0 WHERE id = 1")
            if isInTransaction { try db.commit() }
            let entries = try AuditLog.Entry.order(AuditLog.Entry.Columns.id).fetchAll(db)
            let described = entries.map { "\($0.tableName) \($0.key) \($0.actor ?? "-") \($0.reason ?? "-")" }
            #expect(
                described == [
                    "team 1 trigger rename", "team 2 user:42 score", "player 1 user:42 score",
                    "team 1 trigger rename", "team 2 user:43 score", "player 1 user:43 score", "player 1 - -",
                ])
            #expect(Set(entries.map(\.transactionID)).count == (isInTransaction ? 1 : 3))
        }
    }

    @Test(arguments: Store.allCases)
    func contextsEndWithErrors(store: Store) throws {
        struct Failure: Error {}
        func fail() throws { throw Failure() }
        try store.audit("player") { db in
            #expect(throws: Failure.self) { try db.auditing(as: "user:42") { try fail() } }
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            try expectEqual(AuditLog.Entry.fetchOne(db)?.actor, nil)
        }
    }

    /// All contexts of a transaction have the same number, which differs from that of other transactions.
    @Test(arguments: Store.allCases)
    func transactions(store: Store) throws {
        try store.audit("player") { db in
            try db.inTransaction {
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                try db.auditing(as: "user:42") { try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1") }
                return .commit
            }
            try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1")
            try db.execute(sql: "UPDATE player SET score = 4 WHERE id = 1")
            let numbers = try AuditLog.history(of: "player", key: 1).fetchAll(db).map(\.transactionID)
            #expect(numbers[0] == numbers[1])
            #expect(numbers[1] < numbers[2] && numbers[2] < numbers[3])
        }
    }

    /// A savepoint that is rolled back may undo the row that names the transaction.
    @Test(arguments: Store.allCases)
    func transactionsWithSavepoints(store: Store) throws {
        try store.audit("player") { db in
            try db.inTransaction {
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                    return .rollback
                }
                try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
                try db.inSavepoint {
                    try db.auditing(as: "user:42") { try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1") }
                    return .rollback
                }
                try db.auditing(as: "user:43") { try db.execute(sql: "UPDATE player SET score = 4 WHERE id = 1") }
                return .commit
            }
            let entries = try AuditLog.history(of: "player", key: 1).fetchAll(db)
            #expect(entries.map(\.actor) == [nil, "user:43"])
            #expect(entries[0].transactionID == entries[1].transactionID)
        }
    }

    /// SQLite commits what a statement has changed when the last running statement ends: the changes are one transaction.
    @Test(arguments: Store.allCases)
    func transactionsThatACursorHolds(store: Store) throws {
        let clock = TestClock()
        var config = Configuration()
        config.transactionClock = clock
        config.audit("player")
        try store.open(config) { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                do {
                    let sql = "UPDATE player SET score = 1 RETURNING id"
                    let cursor = try Int.fetchCursor(db, sql: sql)
                    try expectEqual(cursor.next(), 1)
                    clock.advance(1)
                    try db.execute(sql: "UPDATE player SET score = 2")
                    clock.advance(1)
                    try db.auditing(as: "user:42") { try db.execute(sql: "UPDATE player SET score = 3") }
                    try withExtendedLifetime(cursor) { try expectEqual(cursor.next(), 2) }
                }
                clock.advance(1)
                try db.execute(sql: "UPDATE player SET score = 4")
                let entries = try AuditLog.history(of: "player", key: 1).changing("score").fetchAll(db).suffix(4)
                #expect(Set(entries.prefix(3).map(\.transactionID)).count == 1)
                #expect(Set(entries.prefix(3).map(\.date)).count == 1)
                #expect(entries.last!.transactionID > entries.first!.transactionID)
                #expect(entries.last!.date > entries.first!.date)
            }
        }
    }

    /// A blob handle holds the transaction that SQLite has opened for it until it is closed.
    @Test(arguments: Store.allCases)
    func transactionsThatABlobHandleHolds(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = x'0001' WHERE id = 1")
            for _ in 1...2 {
                let blob = try db.openBlob(table: "player", column: "score", rowID: 1, access: .readWrite)
                try blob.write(Data([9]))
                try blob.write(Data([8]))
                try blob.close()
                try db.execute(sql: "UPDATE player SET score = x'0001' WHERE id = 1")
            }
            let numbers = try AuditLog.history(of: "player", key: 1).fetchAll(db).map(\.transactionID)
            #expect(numbers.count == 7)
            #expect(Set(numbers).count == 5)
            #expect(numbers[1] == numbers[2] && numbers[4] == numbers[5])
        }
    }

    @Test(arguments: Store.allCases)
    func dates(store: Store) throws {
        let clock = TestClock()
        var config = Configuration()
        config.transactionClock = clock
        config.audit("player")
        try store.open(config) { writer in
            try writer.write { db in try db.createTeams() }
            clock.advance(60)
            try writer.write { db in
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                clock.advance(1)
                try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
            }
            clock.advance(60)
            try writer.writeWithoutTransaction { db in try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1") }
            let entries = try writer.read { db in
                try AuditLog.history(of: "player", key: 1).changing("score").fetchAll(db)
            }
            #expect(entries.map { $0.date.timeIntervalSince1970 - 1_700_000_000 } == [0, 60, 60, 121])
        }
    }
}

/// Enabling and disabling audits.
@Suite struct ConfigurationTests {
    /// Readers don't audit, but can read the log.
    @Test(arguments: Store.allCases)
    func configuration(store: Store) throws {
        var config = Configuration()
        config.audit("player", .table("team", columns: ["name"]))
        try store.open(config) { writer in
            try writer.write { db in try db.createTeams() }
            let count = try writer.read { db in try AuditLog.Entry.fetchCount(db) }
            #expect(count == 5)
        }
    }

    @Test(arguments: Store.allCases)
    func liveWriter(store: Store) throws {
        try store.open { writer in
            try writer.write { db in try db.createTeams() }
            try writer.audit("player")
            try writer.write { db in
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                try db.stopAuditing("player")
                try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
                try db.audit("player", "team")
                try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1")
                try db.stopAuditing("player")
                try db.execute(sql: "UPDATE player SET score = 4; UPDATE team SET name = 'x' WHERE id = 1")
                try db.stopAuditing()
                try db.execute(sql: "UPDATE team SET name = 'y' WHERE id = 1")
                try expectEqual(
                    db.log,
                    [
                        "UPDATE player 1 (score: 10 -> 1)", "UPDATE player 1 (score: 2 -> 3)",
                        #"UPDATE team 1 (name: "Reds" -> "x")"#,
                    ])
            }
        }
    }

    /// Opening a database that already has its log writes nothing.
    @Test func reopening() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("amalgam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("teams.sqlite").path
        var config = Configuration()
        config.audit("player")
        let first = try DatabaseQueue(path: path, configuration: config)
        try first.write { db in try db.createTeams() }
        try first.write { db in try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1") }
        try first.close()

        // Another connection holds the write lock.
        var unsafeConfig = Configuration()
        unsafeConfig.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: unsafeConfig)
        try other.writeWithoutTransaction { db in try db.beginTransaction(.immediate) }
        let second = try DatabaseQueue(path: path, configuration: config)
        try other.writeWithoutTransaction { db in try db.rollback() }
        try second.write { db in
            try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
            try expectEqual(db.log.suffix(2), ["UPDATE player 1 (score: 10 -> 1)", "UPDATE player 1 (score: 1 -> 2)"])
        }
        try second.close()
        try other.close()
    }

    @Test func readOnly() throws {
        try Store.queue.open { writer in
            try writer.write { db in try db.createTeams() }
            let path = try writer.read { db in try db.filePath }
            var config = Configuration()
            config.readonly = true
            config.audit("player")
            let reader = try DatabaseQueue(path: path, configuration: config)
            let hasLog = try reader.read { db in try db.viewExists("amalgam_audit") }
            #expect(!hasLog)
            try reader.close()
        }
    }

    /// Creating the log isn't a change of the application's schema.
    @Test func migrations() throws {
        var config = Configuration()
        config.audit("player")
        var migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
        }
        let dbQueue = try DatabaseQueue(configuration: config)
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        try migrator.migrate(dbQueue)
        let count = try dbQueue.read { db in try AuditLog.Entry.fetchCount(db) }
        #expect(count == 1)
        let hasChanged = try dbQueue.read { db in try migrator.hasSchemaChanges(db) }
        #expect(!hasChanged)
    }
}
