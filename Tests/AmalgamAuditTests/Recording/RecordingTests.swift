import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// The changes that are recorded, and their content.
@Suite struct RecordingTests {
    @Test(arguments: Store.allCases)
    func insertUpdateDelete(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(
                sql: """
                    INSERT INTO player VALUES (4, 'Dan', NULL, 2);
                    UPDATE player SET score = 5, name = 'Dan' WHERE id = 4;
                    DELETE FROM player WHERE id = 4;
                    """)
            try expectEqual(
                db.log,
                [
                    #"INSERT player 4 (id: 4, name: "Dan", score: NULL, teamId: 2)"#,
                    "UPDATE player 4 (score: NULL -> 5)",
                    #"DELETE player 4 (id: 4, name: "Dan", score: 5, teamId: 2)"#,
                ])
        }
    }

    @Test(arguments: Store.allCases)
    func updatesThatChangeNothingAreNoEntries(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "UPDATE player SET name = name, score = score")
            try expectEqual(db.log, [])
        }
    }

    @Test(arguments: Store.allCases)
    func unauditedTables(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "INSERT INTO team VALUES (3, 'Greens'); UPDATE team SET name = 'x' WHERE id = 3")
            try expectEqual(db.log, [])
        }
    }

    @Test(arguments: Store.allCases)
    func deleteWithoutWhere(store: Store) throws {
        try store.audit("player") { db in
            let entries = try db.logged { try db.execute(sql: "DELETE FROM player") }
            #expect(entries.count == 3)
            #expect(entries.first == #"DELETE player 1 (id: 1, name: "Anna", score: 10, teamId: 1)"#)
        }
    }

    /// A statement caches whether its rows are recorded, but not from one audit to the next.
    @Test(arguments: Store.allCases)
    func auditsAfterEachOther(store: Store) throws {
        try store.audit("team") { db in
            let statement = try db.makeStatement(sql: "UPDATE player SET score = score + 1 WHERE id = 1")
            try statement.execute()
            try db.stopAuditing()
            try db.audit("player")
            for _ in 1...3 { try statement.execute() }
            try expectEqual(db.log.count, 3)
        }
    }

    /// The statement was compiled with SQLite's truncate optimization, which deletes rows without events.
    @Test func statementsOfBefore() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.createTeams()
            let statement = try db.makeStatement(sql: "DELETE FROM player")
            try db.audit("player")
            try statement.execute()
            try expectEqual(db.log.count, 3)
        }
    }

    @Test(arguments: Store.allCases)
    func replace(store: Store) throws {
        try store.audit("player") { db in
            let entries = try db.logged { try db.execute(sql: "REPLACE INTO player VALUES (9, 'Anna', 1, 2)") }
            #expect(
                entries == [
                    #"DELETE player 1 (id: 1, name: "Anna", score: 10, teamId: 1)"#,
                    #"INSERT player 9 (id: 9, name: "Anna", score: 1, teamId: 2)"#,
                ])
        }
    }

    @Test(arguments: Store.allCases)
    func upsert(store: Store) throws {
        try store.audit("player") { db in
            let entries = try db.logged {
                try db.execute(
                    sql: """
                        INSERT INTO player VALUES (1, 'Anna', 99, 1) ON CONFLICT DO UPDATE SET score = excluded.score
                        """)
            }
            #expect(entries == ["UPDATE player 1 (score: 10 -> 99)"])
        }
    }

    @Test(arguments: Store.allCases)
    func foreignKeyActions(store: Store) throws {
        try store.audit("player", "team") { db in
            let updates = try db.logged { try db.execute(sql: "UPDATE team SET id = 7 WHERE id = 2") }
            #expect(updates.sorted() == ["UPDATE player 3 (teamId: 2 -> 7)", "UPDATE team 2 -> 7 (id: 2 -> 7)"])
            let deletions = try db.logged { try db.execute(sql: "DELETE FROM team WHERE id = 1") }
            #expect(deletions.count == 3)
        }
    }

    @Test(arguments: Store.allCases)
    func triggers(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER renamed AFTER UPDATE OF name ON team BEGIN
                      UPDATE player SET score = 0 WHERE teamId = new.id AND score IS NOT NULL;
                    END
                    """)
            let entries = try db.logged { try db.execute(sql: "UPDATE team SET name = 'Roses' WHERE id = 1") }
            #expect(entries == ["UPDATE player 1 (score: 10 -> 0)", "UPDATE player 2 (score: 20 -> 0)"])
        }
    }

    /// A Swift function that writes during a statement.
    @Test(arguments: Store.allCases)
    func writesOfFunctions(store: Store) throws {
        try store.audit("player", "team") { db in
            nonisolated(unsafe) let connection = db
            db.add(
                function: DatabaseFunction("rename_team", argumentCount: 1) { values in
                    try connection.execute(
                        sql: "UPDATE team SET name = name || '!' WHERE id = ?", arguments: [values[0]])
                    return values[0]
                })
            let entries = try db.logged {
                try db.execute(sql: "UPDATE player SET score = rename_team(teamId) WHERE id IN (1, 3)")
            }
            #expect(
                entries.sorted() == [
                    "UPDATE player 1 (score: 10 -> 1)", "UPDATE player 3 (score: NULL -> 2)",
                    #"UPDATE team 1 (name: "Reds" -> "Reds!")"#, #"UPDATE team 2 (name: "Blues" -> "Blues!")"#,
                ])
        }
    }

    @Test(arguments: Store.allCases)
    func returning(store: Store) throws {
        try store.audit("player") { db in
            let names = try String.fetchAll(db, sql: "UPDATE player SET score = 1 RETURNING name")
            #expect(names == ["Anna", "Bo", "Cleo"])
            try expectEqual(db.log.count, 3)
            #expect(!db.isInsideTransaction)

            // The cursor is released after its first row, when SQLite has made all changes.
            let first = try String.fetchOne(db, sql: "UPDATE player SET score = 2 RETURNING name")
            #expect(first == "Anna")
            try expectEqual(db.log.count, 6)
            #expect(!db.isInsideTransaction)
        }
    }

    @Test(arguments: Store.allCases)
    func blobWrites(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = x'000102' WHERE id = 1")
            let entries = try db.logged {
                try db.withBlob(table: "player", column: "score", rowID: 1, access: .readWrite) { blob in
                    try blob.write(Data([9]), at: 1)
                    try blob.write(Data([9]), at: 1)
                }
            }
            #expect(entries == ["UPDATE player 1 (score: Data(3 bytes) -> Data(3 bytes))"])
            let hex = try String.fetchOne(
                db, sql: "SELECT changes ->> '$.score[1].blob' FROM amalgam_audit ORDER BY id DESC")
            #expect(hex == "000902")
        }
    }

    /// Outside of a transaction, a blob handle has its own transaction.
    @Test(arguments: Store.allCases)
    func blobWritesAfterATransaction(store: Store) throws {
        try store.audit("player") { db in
            try db.inTransaction {
                try db.execute(sql: "UPDATE player SET score = x'000102' WHERE id = 1")
                return .commit
            }
            let blob = try db.openBlob(table: "player", column: "score", rowID: 1, access: .readWrite)
            try blob.write(Data([9]))
            #expect(!db.isInsideTransaction)
            try blob.close()
            let transactions = try AuditLog.Entry.fetchAll(db).map(\.transactionID)
            #expect(transactions.count == 2)
            #expect(Set(transactions).count == 2)
        }
    }

    /// Offsets count bytes of UTF-16.
    @Test func blobWritesIntoUTF16() throws {
        var config = Configuration()
        config.prepareDatabase { db in try db.execute(sql: "PRAGMA encoding = 'UTF-16le'") }
        try Store.memory.open(config) { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.execute(sql: "UPDATE player SET score = 'Anna' WHERE id = 1")
                try db.audit("player")
                try db.withBlob(table: "player", column: "score", rowID: 1, access: .readWrite) { blob in
                    try blob.write(Data([0x65, 0]), at: 6)
                    try blob.write(Data([0x65, 0]), at: 6)
                    try blob.write(Data([0xC5, 0]), at: 0)
                }
                try expectEqual(
                    db.log,
                    [#"UPDATE player 1 (score: "Anna" -> "Anne")"#, #"UPDATE player 1 (score: "Anne" -> "Ånne")"#])
            }
        }
    }

    @Test(arguments: Store.allCases)
    func changesets(store: Store) throws {
        try store.audit("player") { db in
            let changeset = try db.recordChanges(tables: ["player"]) {
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            }
            let entries = try db.logged { try db.apply(changeset.inverted()) }
            #expect(entries == ["UPDATE player 1 (score: 1 -> 10)"])
            let refused = try db.logged {
                _ = expectCode(.SQLITE_ABORT) { try db.apply(changeset.inverted()) }
            }
            #expect(refused == [])
        }
    }

    @Test func reconcilesWithObservers() throws {
        final class Counter: TransactionObserver {
            var changes: [String] = []
            var commits = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { changes.append(event.tableName) }
            func databaseDidCommit(_ db: Database) { commits += 1 }
            func databaseDidRollback(_ db: Database) {}
        }
        try Store.memory.audit("player") { db in
            let counter = Counter()
            db.add(transactionObserver: counter)
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            #expect(
                counter.changes == [
                    "player", "amalgam_audit_origin", "amalgam_audit_change",
                ])
            #expect(counter.commits == 1)
            db.remove(transactionObserver: counter)
        }
    }

    @Test func besideASession() throws {
        try Store.memory.audit("player") { db in
            let session = try db.makeSession(tables: ["player"])
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            try expectEqual(session.changeset().count, 1)
            try expectEqual(db.log.count, 1)
        }
    }
}

/// The effects that the application can observe.
@Suite struct DiscretionTests {
    @Test func countsOfChanges() throws {
        try Store.memory.audit("player") { db in
            let total = db.totalChangesCount
            try db.execute(sql: "INSERT INTO player VALUES (40, 'Dan', 1, 1)")
            #expect(db.lastInsertedRowID == 40)
            #expect(db.changesCount == 1)
            try db.execute(sql: "UPDATE player SET score = 0")
            #expect(db.changesCount == 4)
            #expect(db.totalChangesCount == total + 5)
        }
    }

    @Test func traces() throws {
        try Store.memory.audit("player") { db in
            nonisolated(unsafe) var sql: [String] = []
            db.trace { sql.append($0.expandedDescription) }
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            db.trace()
            #expect(sql == ["UPDATE player SET score = 1 WHERE id = 1"])
        }
    }

    @Test func sandboxes() throws {
        try Store.memory.audit("player") { db in
            let entries = try db.logged {
                try db.withAuthorizer({ action in
                    action.tableName?.hasPrefix("amalgam") == true ? .deny : .allow
                }) {
                    try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                }
            }
            #expect(entries == ["UPDATE player 1 (score: 10 -> 1)"])
        }
    }
}
