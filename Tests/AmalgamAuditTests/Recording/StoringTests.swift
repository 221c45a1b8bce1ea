import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// The entries of the log, for logs with additional objects, and for keys and values of all kinds.
@Suite struct StoringTests {
    /// Objects that an application may add to the log.
    enum Guest: String, CaseIterable {
        case trigger, temporaryTrigger, index, uniqueIndex, partialIndex, foreignKey, progressHandler

        func move(into db: Database) throws {
            switch self {
            case .trigger:
                try db.execute(
                    sql: """
                        CREATE TABLE seen (id);
                        CREATE TRIGGER watch AFTER INSERT ON amalgam_audit_change BEGIN
                          INSERT INTO seen VALUES (new.id);
                        END
                        """)
            case .temporaryTrigger:
                try db.execute(
                    sql: """
                        CREATE TABLE seen (id);
                        CREATE TEMP TRIGGER watch AFTER INSERT ON main.amalgam_audit_change BEGIN
                          INSERT INTO seen VALUES (new.id);
                        END
                        """)
            case .index: try db.execute(sql: "CREATE INDEX by_origin ON amalgam_audit_change (originID)")
            case .uniqueIndex:
                try db.execute(sql: "CREATE UNIQUE INDEX one ON amalgam_audit_change (tableID, key, id)")
            case .partialIndex:
                try db.execute(
                    sql: "CREATE INDEX deleted ON amalgam_audit_change (tableID, newKey) WHERE operation = 9")
            case .foreignKey:
                try db.execute(sql: "CREATE TABLE comment (entryID REFERENCES amalgam_audit_change(id))")
            case .progressHandler: sqlite3_progress_handler(db.sqliteConnection, 1000, { _ in 0 }, nil)
            }
        }
    }

    /// A log with triggers, indexes or references of the application receives each entry once.
    @Test(arguments: Guest.allCases)
    func entriesAreStored(beside guest: Guest) throws {
        try Store.queue.audit("player") { db in
            try guest.move(into: db)
            try db.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                    INSERT INTO player SELECT i, 'player ' || i, i, NULL FROM n
                    """)
            try expectEqual(db.logged { try db.execute(sql: "UPDATE player SET score = id + 1000") }.count, 1000)
            try expectIntegrity(db)
            if try db.tableExists("seen") {
                let unseen = "SELECT count(*) FROM amalgam_audit_change WHERE id NOT IN (SELECT id FROM seen)"
                try expectEqual(Int.fetchOne(db, sql: unseen), 0)
            }
            sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
        }
    }

    /// Observers of the log receive its rows.
    @Test func observersOfTheLog() throws {
        final class Observer: TransactionObserver {
            var keys: [DatabaseValue] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
                eventKind.tableName == "amalgam_audit_change"
            }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillChange(with event: DatabasePreUpdateEvent) {
                if let key = event.finalDatabaseValue(named: "key") { keys.append(key) }
            }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try Store.queue.audit("player") { db in
            let observer = Observer()
            db.add(transactionObserver: observer)
            try db.execute(sql: "UPDATE player SET score = 1")
            #expect(observer.keys == [1.databaseValue, 2.databaseValue, 3.databaseValue])
            db.remove(transactionObserver: observer)
        }
    }

    @Test func sessionsWithTheLog() throws {
        try Store.queue.audit("player") { db in
            let session = try db.makeSession(tables: ["amalgam_audit_change"])
            try db.execute(sql: "UPDATE player SET score = 1")
            try expectEqual(session.changeset().count, 3)
        }
    }

    /// A trigger on the log doesn't change the entries, and all entries are found by their keys.
    @Test(arguments: ["UTF-8", "UTF-16le"], seeds(2))
    func sameEntries(encoding: String, seed: UInt64) throws {
        var logs: [[Row]] = []
        for hasTrigger in [false, true] {
            var generator = SplitMix(state: seed)
            var configuration = Configuration()
            configuration.transactionClock = TestClock()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA encoding = '\(encoding)'") }
            try Store.queue.open(configuration) { writer in
                try writer.writeWithoutTransaction { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE integers (id INTEGER PRIMARY KEY, a, b REAL, c TEXT);
                            CREATE TABLE anything (k PRIMARY KEY, a, b INTEGER);
                            CREATE TABLE pair (k, l, a, PRIMARY KEY (k, l)) WITHOUT ROWID;
                            """)
                    try db.audit("integers", "anything", "pair")
                    if hasTrigger { try Guest.trigger.move(into: db) }
                    for _ in 0..<200 { try? Self.change(db, &generator) }
                    if db.isInsideTransaction { try db.commit() }
                    try expectIntegrity(db)
                    try logs.append(Row.fetchAll(db, sql: "SELECT * FROM amalgam_audit_change ORDER BY id"))
                    // The keys of both indexes, as queries find them.
                    let isFound = """
                        SELECT min(EXISTS (SELECT 1 FROM amalgam_audit_change AS b INDEXED BY amalgam_audit_change_by_key
                          WHERE b.tableID = a.tableID AND b.key IS a.key AND b.id = a.id))
                        AND min(a.newKey IS NULL OR EXISTS (
                          SELECT 1 FROM amalgam_audit_change AS b INDEXED BY amalgam_audit_change_by_newKey
                          WHERE b.tableID = a.tableID AND b.newKey = a.newKey AND b.id = a.id))
                        FROM amalgam_audit_change AS a
                        """
                    try expectEqual(Bool.fetchOne(db, sql: isFound), true)
                }
            }
        }
        #expect(logs[0].count > 100)
        #expect(logs[0] == logs[1])
    }

    /// Runs a statement, sometimes with many rows, or a transaction with several tables.
    private static func change(_ db: Database, _ generator: inout SplitMix) throws {
        let table = ["integers", "anything", "pair"].randomElement(using: &generator)!
        let values = (0..<3).map { _ in value(&generator) }
        let id = integer(&generator).databaseValue
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4:
            let (columns, arguments) =
                table == "integers" ? ("(id, a, b)", [id, values[0], values[1]]) : ("", values)
            try db.execute(
                sql: "INSERT OR REPLACE INTO \(table) \(columns) VALUES (?, ?, ?)",
                arguments: StatementArguments(arguments))
        case 4..<7:
            try db.execute(
                sql: "UPDATE OR REPLACE \(table) SET a = ?", arguments: StatementArguments([values[0]]))
        case 7:
            let key = table == "integers" ? "id" : "k"
            try db.execute(
                sql: "UPDATE OR REPLACE \(table) SET \(key) = ? WHERE \(key) = (SELECT min(\(key)) FROM \(table))",
                arguments: StatementArguments([table == "integers" ? id : values[1]]))
        case 8: try db.execute(sql: "DELETE FROM \(table) WHERE random() IS NULL OR a IS NULL")
        default:
            if db.isInsideTransaction { try db.commit() } else { try db.beginTransaction() }
        }
    }

    /// Returns an integer at the limits of a serial type, a real, a string or a blob, some on overflow pages.
    private static func value(_ generator: inout SplitMix) -> DatabaseValue {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: .null
        case 1, 2, 3: integer(&generator).databaseValue
        case 4: [0.0, -0.0, 1, 0.1, -1e300, .infinity].randomElement(using: &generator)!.databaseValue
        case 5: String(repeating: "é🙂", count: length(&generator)).databaseValue
        case 6: Data(repeating: 0xfe, count: length(&generator)).databaseValue
        default: "".databaseValue
        }
    }

    private static func integer(_ generator: inout SplitMix) -> Int64 {
        let limit = Int64(1) << [0, 1, 7, 15, 23, 31, 47, 62].randomElement(using: &generator)!
        let near = [limit - 1, limit, limit + 1].randomElement(using: &generator)!
        return [near, -near, .max - 1, .min].randomElement(using: &generator)!
    }

    private static func length(_ generator: inout SplitMix) -> Int {
        [1, 5, 60, 700, 9_000].randomElement(using: &generator)!
    }

    /// A statement that reads the log can continue while entries are inserted.
    @Test(arguments: Store.allCases)
    func readersOfTheLog(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 0")
            let entries = try Row.fetchCursor(db, sql: "SELECT id, key FROM amalgam_audit_change ORDER BY tableID, key")
            var keys: [Int] = []
            while let entry = try entries.next(), keys.count < 50 {
                keys.append(entry["key"])
                try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = ?", arguments: [keys.count % 3 + 1])
            }
            #expect(keys.count >= 3)
            #expect(keys == keys.sorted())
            try expectEqual(db.log.count, 3 + keys.count)
            try expectIntegrity(db)
        }
    }

    /// After entries were deleted, identifiers continue.
    @Test(arguments: Store.allCases)
    func afterRetention(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 0")
            try db.execute(sql: "DELETE FROM amalgam_audit_change WHERE id < 3")
            try db.execute(sql: "UPDATE player SET score = 1")
            try expectEqual(Int.fetchAll(db, sql: "SELECT id FROM amalgam_audit_change ORDER BY id"), [3, 4, 5, 6])
            try db.execute(sql: "DELETE FROM amalgam_audit_change")
            try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
            try expectEqual(db.log, ["UPDATE player 1 (score: 1 -> 2)"])
            try expectIntegrity(db)
        }
    }

    /// SQLite finds free identifiers when the largest one is used.
    @Test func lastIdentifier() throws {
        try Store.queue.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 0 WHERE id = 1")
            try db.execute(sql: "UPDATE amalgam_audit_change SET id = 9223372036854775807")
            try db.execute(sql: "UPDATE player SET score = 1")
            try expectEqual(db.log.count, 4)
            try expectIntegrity(db)
        }
    }

    /// A log with different columns, such as one that was copied without its types, works as well.
    @Test func otherColumns() throws {
        try Store.queue.audit("player") { db in
            try db.execute(
                sql: """
                    DROP TABLE amalgam_audit_change;
                    CREATE TABLE amalgam_audit_change (
                      note DEFAULT 'from us', changes, key, newKey, operation, tableID, originID, id INTEGER PRIMARY KEY);
                    """)
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 1)"])
            try expectEqual(String.fetchOne(db, sql: "SELECT note FROM amalgam_audit_change"), "from us")
        }
    }

    private func expectIntegrity(_ db: Database) throws {
        try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
    }
}
