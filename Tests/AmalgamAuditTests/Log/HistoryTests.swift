import Amalgam
import AmalgamConcurrency
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Queries of the log.
@Suite struct HistoryTests {
    @Test(arguments: Store.allCases)
    func requests(store: Store) throws {
        try store.audit("player", "team") { db in
            try db.auditing(as: "user:1") { try db.execute(sql: "UPDATE player SET score = score + 1") }
            try db.auditing(as: "user:2") {
                try db.execute(sql: "UPDATE team SET name = 'x'; DELETE FROM team WHERE id = 2")
            }
            let byUser = try AuditLog.Entry.filter { $0.actor == "user:1" }.fetchCount(db)
            #expect(byUser == 2)
            let deletions = try AuditLog.Entry
                .filter { $0.operation == AuditLog.Entry.Operation.delete }
                .order(\.id)
                .fetchAll(db)
            #expect(deletions.map(\.tableName).sorted() == ["player", "team"])
            let latest = try AuditLog.Entry.order(\.id.desc).limit(1).fetchOne(db)
            #expect(latest == deletions.last)
            let scores = try AuditLog.Entry.all().changing("score").filter { $0.operation == "UPDATE" }.fetchCount(db)
            #expect(scores == 2)
        }
    }

    @Test func historyUsesAnIndex() throws {
        try Store.memory.audit("player") { db in
            let statement = try AuditLog.history(of: "player", key: 1).makePreparedRequest(db).statement
            let plan = try "\(statement.queryPlan())".split(separator: "\n")
            #expect(plan.contains { $0.contains("amalgam_audit_change_by_key") })
            #expect(!plan.contains { $0.contains("SCAN") })
        }
    }

    @Test(arguments: Store.allCases)
    func lastChangeOfAColumn(store: Store) throws {
        try store.audit("player") { db in
            try db.auditing(as: "Bea") { try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1") }
            try db.auditing(as: "Carl") { try db.execute(sql: "UPDATE player SET name = 'Anne' WHERE id = 1") }
            let entry = try AuditLog.lastChange(of: "score", in: "player", key: 1).fetchOne(db)
            #expect(entry?.actor == "Bea")
            #expect(entry?["score"]?.oldValue == 10.databaseValue)
            try expectEqual(AuditLog.lastChange(of: "score", in: "player", key: 2).fetchOne(db), nil)
        }
    }

    /// A key is a database value, in a variable, or an array of such values.
    @Test func keysAreDatabaseValuesOrArraysOfThem() throws {
        try Store.memory.audit("player", "document", "citizenship") { db in
            let (player, document, country) = (Int64(1), UUID(), "FR")
            try db.execute(
                sql: """
                    CREATE TABLE document (id BLOB PRIMARY KEY, title TEXT);
                    CREATE TABLE citizenship (playerId INTEGER, country TEXT, since INTEGER, PRIMARY KEY (playerId, country));
                    """)
            try db.execute(sql: "INSERT INTO document VALUES (?, 'a')", arguments: [document])
            try db.execute(sql: "INSERT INTO citizenship VALUES (?, ?, 2000)", arguments: [player, country])
            try db.execute(sql: "UPDATE player SET score = 11 WHERE id = ?", arguments: [player])

            try expectEqual(AuditLog.history(of: "player", key: player).fetchCount(db), 1)
            try expectEqual(AuditLog.history(of: "player", key: Int(player)).fetchCount(db), 1)
            try expectEqual(AuditLog.history(of: "player", key: player.databaseValue).fetchCount(db), 1)
            try expectEqual(AuditLog.history(of: "player", key: AuditLog.Key(player)).fetchCount(db), 1)
            try expectEqual(AuditLog.history(of: "document", key: document).fetchCount(db), 1)
            try expectEqual(AuditLog.history(of: "citizenship", key: [player, country]).fetchCount(db), 1)
            try expectEqual(
                AuditLog.lastChange(of: "score", in: "player", key: player).fetchOne(db)?["score"]?.newValue,
                11.databaseValue)
            try expectEqual(
                AuditLog.lastChange(of: "since", in: "citizenship", key: [player, country]).fetchCount(db), 1)
            let now = Date.distantFuture
            try expectEqual(AuditLog.row(db, in: "player", key: player, at: now)?["score"], 11)
            try expectEqual(AuditLog.row(db, in: "document", key: document, at: now)?["title"], "a")
            try expectEqual(AuditLog.row(db, in: "citizenship", key: [player, country], at: now)?["since"], 2000)
        }
    }

    /// A key that is passed through generic code is still a key, and isn't stored as a value.
    @Test func aKeyIsAKeyInGenericCodeToo() throws {
        func count(_ db: Database, _ key: some DatabaseValueConvertible) throws -> Int {
            try AuditLog.history(of: "citizenship", key: key).fetchCount(db)
        }
        try Store.memory.audit("citizenship") { db in
            try db.execute(
                sql: """
                    CREATE TABLE citizenship (playerId INTEGER, country TEXT, PRIMARY KEY (playerId, country));
                    INSERT INTO citizenship VALUES (1, 'FR');
                    """)
            try expectEqual(count(db, AuditLog.Key([1, "FR"])), 1)
        }
    }

    /// Names are bound as arguments, and not inserted into SQL.
    @Test func namesWithQuotes() throws {
        try Store.memory.audit(#"o'"clock"#) { db in
            try db.execute(
                sql: """
                    CREATE TABLE "o'""clock" ("i""d" INTEGER PRIMARY KEY, "a.b'c$" TEXT);
                    INSERT INTO "o'""clock" VALUES (1, 'x');
                    UPDATE "o'""clock" SET "a.b'c$" = 'y';
                    """)
            let entry = try AuditLog.lastChange(of: "a.b'c$", in: #"o'"clock"#, key: 1).fetchOne(db)
            #expect(entry?["a.b'c$"]?.newValue == "y".databaseValue)
            let row = try AuditLog.row(db, in: #"o'"clock"#, key: 1, at: Date.distantFuture)
            #expect(row == ["i\"d": 1, "a.b'c$": "y"])
        }
    }

    /// SQLite's functions can read the log.
    @Test func plainSQL() throws {
        try Store.memory.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 11, name = 'Anne' WHERE id = 1")
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT operation, key, changes ->> '$.score[1]' AS score, json(changes) AS changes FROM amalgam_audit
                    """)
            #expect(
                row == [
                    "operation": "UPDATE", "key": 1, "score": 11,
                    "changes": #"{"name":["Anna","Anne"],"score":[10,11]}"#,
                ])
        }
    }

    @Test func damagedEntries() throws {
        try Store.memory.audit("player") { db in
            for changes in ["x''", "x'00'", "x'ff'", "'text'", "x'cc0a', 1", "jsonb('{\"a\": [1]}')", "jsonb('[1]')"] {
                try db.execute(sql: "DELETE FROM amalgam_audit_change; UPDATE player SET score = 0")
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                let value = changes == "x'cc0a', 1" ? "x'cc0a'" : changes
                try db.execute(sql: "UPDATE amalgam_audit_change SET changes = \(value)")
                expectCode(.SQLITE_CORRUPT) { try AuditLog.Entry.fetchAll(db) }
            }
        }
    }

    /// Values that the log hasn't written are an error, in each column.
    @Test(arguments: [
        "amalgam_audit_change SET key = NULL", "amalgam_audit_change SET key = x'ff'",
        "amalgam_audit_change SET newKey = x'ff'", "amalgam_audit_change SET operation = 99",
        "amalgam_audit_change SET operation = 'x'", "amalgam_audit_origin SET date = 'junk'",
    ])
    func foreignValues(change: String) throws {
        try Store.memory.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1; DELETE FROM player WHERE id = 2")
            expectEqual(try AuditLog.Entry.fetchAll(db).map(\.operation), [.update, .delete])
            try db.execute(sql: "UPDATE \(change)")
            expectCode(.SQLITE_CORRUPT) { try AuditLog.Entry.fetchAll(db) }
            expectCode(.SQLITE_CORRUPT) { try AuditLog.verify(db) }
        }
    }

    @Test func aForeignDateOfATable() throws {
        try Store.memory.audit("player") { db in
            try db.execute(
                sql: "UPDATE player SET score = 1 WHERE id = 1; UPDATE amalgam_audit_table SET since = 'junk'")
            expectCode(.SQLITE_CORRUPT) { try AuditLog.row(db, in: "player", key: 1, at: Date()) }
        }
    }

    /// A row that isn't an entry is a mistake of the caller.
    @Test func aRowWithoutAColumnOfTheLog() throws {
        try Store.memory.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            #expect(throws: RowDecodingError.self) {
                try AuditLog.Entry.fetchAll(db, sql: "SELECT id, transactionID FROM amalgam_audit")
            }
        }
    }
}

/// Earlier states of rows.
@Suite struct PastRowTests {
    /// Runs a test on a log whose transactions have known dates.
    private func withClock(
        _ tables: AuditLog.Table..., test: (Database, TestClock) throws -> Void
    ) throws {
        let clock = TestClock()
        var config = Configuration()
        config.transactionClock = clock
        let dbQueue = try DatabaseQueue(configuration: config)
        try dbQueue.writeWithoutTransaction { db in
            try db.createTeams()
            try db.audit(tables)
            try test(db, clock)
        }
    }

    @Test func updatesAreUndone() throws {
        try withClock("player") { db, clock in
            let start = clock.date
            clock.advance(10)
            try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
            clock.advance(10)
            try db.execute(sql: "UPDATE player SET score = 12, name = 'Anne' WHERE id = 1")
            clock.advance(10)
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            clock.advance(10)
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Other', 0, 2)")

            func row(_ seconds: TimeInterval) throws -> Row? {
                try AuditLog.row(db, in: "player", key: 1, at: start + seconds)
            }
            try expectEqual(row(0), ["id": 1, "name": "Anna", "score": 10, "teamId": 1])
            try expectEqual(row(10), ["id": 1, "name": "Anna", "score": 11, "teamId": 1])
            try expectEqual(row(19.9), ["id": 1, "name": "Anna", "score": 11, "teamId": 1])
            try expectEqual(row(25), ["id": 1, "name": "Anne", "score": 12, "teamId": 1])
            try expectEqual(row(30), nil)
            try expectEqual(row(40), ["id": 1, "name": "Other", "score": 0, "teamId": 2])
            // A row that was never changed.
            try expectEqual(
                AuditLog.row(db, in: "player", key: 3, at: start),
                ["id": 3, "name": "Cleo", "score": nil, "teamId": 2])
            try expectEqual(AuditLog.row(db, in: "player", key: 99, at: start), nil)
        }
    }

    @Test func keysAreFollowed() throws {
        try withClock("player") { db, clock in
            let start = clock.date
            clock.advance(10)
            try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
            try db.execute(sql: "UPDATE player SET id = 100 WHERE id = 1")
            try db.execute(sql: "UPDATE player SET score = 12 WHERE id = 100")
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Other', 0, 2)")
            try expectEqual(
                AuditLog.row(db, in: "player", key: 1, at: start),
                ["id": 1, "name": "Anna", "score": 10, "teamId": 1])
            try expectEqual(AuditLog.row(db, in: "player", key: 100, at: start), nil)
        }
    }

    @Test func redactedColumnsAreLeftOut() throws {
        try withClock(.table("player", redacting: ["name"])) { db, clock in
            let start = clock.date
            clock.advance(10)
            try db.execute(sql: "UPDATE player SET name = 'x', score = 11 WHERE id = 1")
            try expectEqual(
                AuditLog.row(db, in: "player", key: 1, at: start), ["id": 1, "score": 10, "teamId": 1])
        }
    }

    /// If the clock goes back by an hour between two transactions, their order decides which one came last.
    @Test func rowsAreRightWhereTheClockWentBack() throws {
        try withClock("player") { db, clock in
            let start = clock.date
            clock.date = start + 3600
            try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
            clock.date = start + 10
            try db.execute(sql: "UPDATE player SET score = 12 WHERE id = 1; UPDATE player SET score = 21 WHERE id = 2")
            clock.date = start + 20
            try db.execute(sql: "UPDATE player SET score = 13 WHERE id = 1")

            func scores(_ seconds: TimeInterval) throws -> [Int?] {
                try [1, 2].map { try AuditLog.row(db, in: "player", key: $0, at: start + seconds)?["score"] }
            }
            try expectEqual(scores(5), [10, 20])
            // The transaction with the later date came before this one.
            try expectEqual(scores(10), [12, 21])
            try expectEqual(scores(15), [12, 21])
            try expectEqual(scores(20), [13, 21])
            try expectEqual(scores(3599), [13, 21])
            try expectEqual(scores(3600), [13, 21])
        }
    }

    /// A row whose key has changed is followed, whatever the dates of its entries.
    @Test func keysAreFollowedWhereTheClockWentBack() throws {
        try withClock("player") { db, clock in
            let start = clock.date
            clock.date = start + 3600
            try db.execute(sql: "UPDATE player SET id = 100 WHERE id = 1")
            clock.date = start + 10
            try db.execute(sql: "UPDATE player SET score = 12 WHERE id = 100")

            try expectEqual(AuditLog.row(db, in: "player", key: 1, at: start + 15), nil)
            try expectEqual(AuditLog.row(db, in: "player", key: 100, at: start + 15)?["score"], 12)
            try expectEqual(AuditLog.row(db, in: "player", key: 1, at: start + 5)?["score"], 10)
            try expectEqual(AuditLog.row(db, in: "player", key: 100, at: start + 5), nil)
        }
    }

    @Test func logsThatDoNotReachBack() throws {
        try withClock("player") { db, clock in
            expectCode(.SQLITE_ERROR) { try AuditLog.row(db, in: "player", key: 1, at: clock.date - 1) }
            expectCode(.SQLITE_ERROR) { try AuditLog.row(db, in: "team", key: 1, at: clock.date) }
        }
    }
}

/// Deleting old entries.
@Suite struct RetentionTests {
    @Test func entriesBeforeADate() throws {
        let clock = TestClock()
        var config = Configuration()
        config.transactionClock = clock
        try DatabaseQueue(configuration: config).writeWithoutTransaction { db in
            try db.createTeams()
            try db.audit("player")
            for score in 1...3 {
                clock.advance(10)
                try db.execute(sql: "UPDATE player SET score = ? WHERE id = 1", arguments: [score])
            }
            let count = try AuditLog.deleteEntries(db, before: clock.date - 5)
            #expect(count == 2)
            try expectEqual(db.log, ["UPDATE player 1 (score: 2 -> 3)"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM amalgam_audit_origin"), 1)
            expectCode(.SQLITE_ERROR) { try AuditLog.row(db, in: "player", key: 1, at: clock.date - 6) }
            try expectEqual(AuditLog.row(db, in: "player", key: 1, at: clock.date - 5)?["score"], 2)
            // Numbers of transactions aren't reused.
            let last = try AuditLog.Entry.fetchOne(db)?.transactionID
            try AuditLog.deleteEntries(db, before: .distantFuture)
            try expectEqual(db.log, [])
            try db.execute(sql: "UPDATE player SET score = 4 WHERE id = 1")
            let next = try AuditLog.Entry.fetchOne(db)?.transactionID
            #expect(try #require(next) > #require(last))
        }
    }

    /// An entry is deleted, whatever its date, if a later transaction is before the given date.
    @Test func entriesBeforeADateLeaveNoGapWhereTheClockWentBack() throws {
        let clock = TestClock()
        var config = Configuration()
        config.transactionClock = clock
        try DatabaseQueue(configuration: config).writeWithoutTransaction { db in
            try db.createTeams()
            try db.audit("player")
            let start = clock.date
            for (score, seconds) in [(1, 3600.0), (2, 10), (3, 20)] {
                clock.date = start + seconds
                try db.execute(sql: "UPDATE player SET score = ? WHERE id = 1", arguments: [score])
            }
            try expectEqual(AuditLog.deleteEntries(db, before: start + 15), 2)
            try expectEqual(db.log, ["UPDATE player 1 (score: 2 -> 3)"])
            try expectEqual(AuditLog.row(db, in: "player", key: 1, at: start + 16)?["score"], 2)
            try expectEqual(AuditLog.deleteEntries(db, before: start + 15), 0)
        }
    }

    @Test func entriesBeyondANumber() throws {
        try Store.memory.audit("player") { db in
            for score in 1...4 { try db.execute(sql: "UPDATE player SET score = ?", arguments: [score]) }
            let count = try AuditLog.deleteEntries(db, exceptLatest: 1)
            #expect(count == 9)
            try expectEqual(db.log, (1...3).map { "UPDATE player \($0) (score: 3 -> 4)" })
            try expectEqual(AuditLog.deleteEntries(db, exceptLatest: -1), 3)
        }
    }
}
