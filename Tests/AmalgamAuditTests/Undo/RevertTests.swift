import Amalgam
import AmalgamConcurrency
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// A logged transaction is reverted, also by another connection.
@Suite struct RevertTests {
    /// The identifier of the last transaction in the log.
    private func last(_ db: Database) throws -> Int64 {
        try #require(try Int64.fetchOne(db, sql: "SELECT max(transactionID) FROM amalgam_audit"))
    }

    private func content(_ db: Database) throws -> [String] { try db.rows(of: "team") + db.rows(of: "player") }

    @Test func afterARestart() throws {
        try withTemporaryDirectory { folder in
            var configuration = Configuration()
            configuration.audit("team", "player")
            let path = folder.appendingPathComponent("a.sqlite").path
            let first = try DatabaseQueue(path: path, configuration: configuration)
            let before = try first.write { db in
                try db.createTeams()
                return try content(db)
            }
            try first.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM team WHERE id = 1; UPDATE player SET score = 5; UPDATE team SET id = 20 WHERE id = 2;
                        INSERT INTO team VALUES (7, 'Greens'); UPDATE player SET name = 'Zoe', score = 6 WHERE id = 3
                        """)
            }
            let after = try first.read { try content($0) }
            try first.close()
            try DatabaseQueue(path: path, configuration: configuration).write { db in
                let transaction = try last(db)
                let count = try db.auditing(as: "user:1", reason: "undo") {
                    try AuditLog.revert(db, transaction: transaction)
                }
                #expect(count > 0)
                try expectEqual(content(db), before)
                try expectEqual(AuditLog.verify(db), [])
            }
            try DatabaseQueue(path: path, configuration: configuration).write { db in
                // Reverting is a transaction like any other.
                try AuditLog.revert(db, transaction: last(db))
                try expectEqual(content(db), after)
                try db.checkForeignKeys()
            }
        }
    }

    @Test func rowsThatHaveChangedSince() throws {
        try Store.memory.audit("team", "player") { db in
            try db.inTransaction {
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id < 3; INSERT INTO team VALUES (3, 'Greens')")
                return .commit
            }
            let transaction = try last(db)
            try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 2; UPDATE player SET name = 'Zoe' WHERE id = 1")
            try db.execute(sql: "UPDATE team SET name = 'x' WHERE id = 3")
            let before = try content(db)
            let error = #expect(throws: UndoConflict.self) { try AuditLog.revert(db, transaction: transaction) }
            #expect(error?.actionName == "transaction \(transaction)")
            #expect(
                Set(error?.conflicts.map { "\($0.change!.tableName) \($0.change!.primaryKey)" } ?? [])
                    == ["player [2]", "team [3]"])
            try expectEqual(content(db), before)
            // Other columns of the rows may have changed.
            try db.execute(
                sql: "UPDATE player SET score = 1 WHERE id = 2; UPDATE team SET name = 'Greens' WHERE id = 3")
            try AuditLog.revert(db, transaction: transaction)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT name, score FROM player WHERE id < 3").map { "\($0)" },
                [#"[name:"Zoe" score:10]"#, #"[name:"Bo" score:20]"#])
            try expectEqual(db.integer("SELECT count(*) FROM team"), 2)
        }
    }

    @Test func whatTheLogDoesNotKnow() throws {
        try Store.memory.audit(.table("team", redacting: ["name"]), .table("player", columns: ["score"])) { db in
            expectCode(.SQLITE_ERROR) { try AuditLog.revert(db, transaction: 99) }
            try db.execute(sql: "UPDATE team SET name = 'x' WHERE id = 1")
            let error = expectCode(.SQLITE_MISUSE) { try AuditLog.revert(db, transaction: last(db)) }
            #expect(error?.message?.hasSuffix("name is redacted") == true, "\(String(describing: error))")
            try db.execute(sql: "DELETE FROM player WHERE id = 3")
            let deletion = expectCode(.SQLITE_MISUSE) { try AuditLog.revert(db, transaction: last(db)) }
            #expect(
                deletion?.message?.hasSuffix("id, name, teamId are not audited") == true,
                "\(String(describing: deletion))")
            try db.execute(sql: "UPDATE player SET score = 7 WHERE id = 1")
            try AuditLog.revert(db, transaction: last(db))
            try expectEqual(db.integer("SELECT score FROM player WHERE id = 1"), 10)
            try db.execute(
                sql: "UPDATE player SET score = 8 WHERE id = 1; ALTER TABLE player RENAME COLUMN score TO points")
            let transaction = try last(db)
            expectCode(.SQLITE_SCHEMA) { try AuditLog.revert(db, transaction: transaction) }
            try AuditLog.deleteEntries(db, exceptLatest: 0)
            expectCode(.SQLITE_ERROR) { try AuditLog.revert(db, transaction: 1) }
        }
    }

    /// A transaction isn't reverted in part if some of its entries were deleted.
    @Test(arguments: [
        "UPDATE player SET score = 1",
        "UPDATE player SET score = 1 WHERE id = 1; UPDATE team SET name = 'x' WHERE id = 1",
    ])
    func deletedEntries(sql: String) throws {
        try Store.memory.audit("team", "player") { db in
            try db.inTransaction {
                try db.execute(sql: sql)
                return .commit
            }
            let transaction = try last(db)
            try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1; UPDATE player SET score = 1 WHERE id = 1")
            try AuditLog.deleteEntries(db, exceptLatest: 2)
            let before = try content(db)
            let error = expectCode(.SQLITE_ERROR) { try AuditLog.revert(db, transaction: transaction) }
            #expect(error?.message?.contains("were deleted from the audit log") == true, "\(String(describing: error))")
            try expectEqual(content(db), before)
            // The transactions next to it are complete.
            try AuditLog.revert(db, transaction: transaction + 2)
            try expectEqual(db.integer("SELECT score FROM player WHERE id = 1"), 2)
        }
    }

    @Test func entriesThatTheirTransactionDeletes() throws {
        try Store.memory.audit("player") { db in
            try db.inTransaction {
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                try AuditLog.deleteEntries(db, before: Date(timeIntervalSinceNow: 86_400))
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 2")
                return .commit
            }
            expectCode(.SQLITE_ERROR) { try AuditLog.revert(db, transaction: last(db)) }
            try expectEqual(db.integer("SELECT score FROM player WHERE id = 2"), 1)
        }
    }

    @Test func entriesThatOtherCodeDeletes() throws {
        try Store.memory.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 1; DELETE FROM amalgam_audit_change WHERE id = 2")
            expectCode(.SQLITE_ERROR) { try AuditLog.revert(db, transaction: last(db)) }
            try expectEqual(db.integer("SELECT sum(score) FROM player"), 3)
        }
    }

    /// After VACUUM, the rowid belongs to another row whose changed column has the same value. It isn't changed.
    @Test(arguments: [true, false]) func rowsThatVacuumRenumbers(knowsAllValues: Bool) throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE k (a, state)")
                if knowsAllValues { try db.audit("k") }
                try db.execute(sql: "INSERT INTO k VALUES ('x', 'new'), ('y', 'new'), ('z', 'new')")
                try db.audit("k")
                try db.execute(sql: "UPDATE k SET state = 'paid' WHERE rowid = 2")
                let transaction = try last(db)
                try db.execute(
                    sql: """
                        UPDATE k SET state = 'paid' WHERE rowid = 3; DELETE FROM k WHERE rowid = 1; VACUUM
                        """)
                let before = try db.rows(of: "k")
                if knowsAllValues {
                    let error = #expect(throws: UndoConflict.self) { try AuditLog.revert(db, transaction: transaction) }
                    #expect(error?.conflicts.map(\.kind) == [.data])
                } else {
                    let error = expectCode(.SQLITE_MISUSE) { try AuditLog.revert(db, transaction: transaction) }
                    #expect(error?.message?.hasSuffix("values of the row (a).") == true, "\(String(describing: error))")
                }
                try expectEqual(db.rows(of: "k"), before)
            }
        }
    }

    /// In a table without a primary key, rows return to their rowids.
    @Test(arguments: [
        "UPDATE k SET rowid = 7 WHERE rowid = 1",
        "UPDATE k SET rowid = 7, a = 'changed' WHERE rowid = 1",
        "UPDATE k SET rowid = 7 WHERE rowid = 1; INSERT INTO k (rowid, a, b) VALUES (1, 'new', 0)",
        "DELETE FROM k WHERE rowid = 2; UPDATE k SET rowid = 2 WHERE rowid = 1; UPDATE k SET b = 5 WHERE rowid = 2",
        "UPDATE k SET rowid = -rowid; UPDATE k SET rowid = rowid + 4",
        "UPDATE k SET rowid = 9 WHERE rowid = 1; DELETE FROM k WHERE rowid = 9",
    ])
    func rowIDsThatChange(changes: String) throws {
        func rows(_ db: Database) throws -> [String] {
            try String.fetchAll(db, sql: "SELECT rowid || ' ' || a || ' ' || b FROM k ORDER BY rowid")
        }
        let queue = try DatabaseQueue()
        let before = try queue.write { db in
            try db.execute(sql: "CREATE TABLE k (a UNIQUE, b)")
            try db.audit("k")
            try db.execute(sql: "INSERT INTO k VALUES ('one', 1), ('two', 2), ('three', 3)")
            return try rows(db)
        }
        let after = try queue.write { db in
            try db.execute(sql: changes)
            return try rows(db)
        }
        for expected in [before, after, before] {
            try queue.write { db in
                try AuditLog.revert(db, transaction: last(db))
                try expectEqual(rows(db), expected)
                try expectEqual(AuditLog.verify(db), [])
            }
        }
    }

    /// The log knows the values of a row without a primary key from its entries under all its rowids.
    @Test func rowsWithoutAPrimaryKey() throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE k (a, b, c AS (a || b))")
                try db.audit("k")
                try db.execute(
                    sql: "INSERT INTO k VALUES (1, 2); UPDATE k SET rowid = 7, a = 3; UPDATE k SET rowid = 5")
                try db.execute(sql: "UPDATE k SET b = 4")
                try AuditLog.revert(db, transaction: last(db))
                try expectEqual(
                    Row.fetchAll(db, sql: "SELECT rowid, a, b FROM k").map { "\($0)" }, ["[rowid:5 a:3 b:2]"])
            }
        }
    }

    @Test func rowsThatSQLCannotFind() throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE t (rowid TEXT PRIMARY KEY, _rowid_, oid)")
                try db.audit("t")
                try db.execute(sql: "INSERT INTO t VALUES ('a', 1, 2)")
                let error = expectCode(.SQLITE_MISUSE) { try AuditLog.revert(db, transaction: last(db)) }
                #expect(error?.message?.contains("rowid, _rowid_ and oid") == true, "\(String(describing: error))")
            }
        }
    }

    @Test func bytesThatAreNotText() throws {
        try Store.memory.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = CAST(x'FF61' AS TEXT) WHERE id = 1")
            let error = expectCode(.SQLITE_MISUSE) { try AuditLog.revert(db, transaction: last(db)) }
            #expect(error?.message?.contains("bytes that aren't UTF-8") == true, "\(String(describing: error))")
        }
    }

    @Test func allKindsOfKeys() throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TABLE keyless (a, b);
                        CREATE TABLE text (k TEXT COLLATE NOCASE PRIMARY KEY, v UNIQUE ON CONFLICT REPLACE);
                        CREATE TABLE pair (a, b, c AS (a || b), v, PRIMARY KEY (b, a)) WITHOUT ROWID;
                        INSERT INTO text VALUES ('a', 1), ('b', 2);
                        INSERT INTO pair (a, b, v) VALUES (1, 'x', 0.0), (2, 'y', -0.0)
                        """)
                try db.audit(.everyTable)
                try db.execute(sql: "INSERT INTO keyless VALUES (1, x'FF'), (2.5, 'x')")
                let tables = ["keyless", "text", "pair"]
                let before = try tables.flatMap { try db.rows(of: $0) }
                try db.inTransaction {
                    try db.execute(
                        sql: """
                            DELETE FROM keyless WHERE a = 1; UPDATE keyless SET b = a; INSERT INTO keyless VALUES (7, 7);
                            UPDATE text SET k = 'A' WHERE k = 'a'; UPDATE text SET v = 2 WHERE k = 'A';
                            UPDATE pair SET b = 'z', v = 1 WHERE a = 1; INSERT INTO pair (a, b) VALUES (1, 'x');
                            DELETE FROM pair WHERE a = 2
                            """)
                    return .commit
                }
                try AuditLog.revert(db, transaction: last(db))
                try expectEqual(tables.flatMap { try db.rows(of: $0) }, before)
                try expectEqual(AuditLog.verify(db), [])
            }
        }
    }

    /// Random transactions are reverted in reverse order, to the first content.
    @Test(arguments: seeds(20)) func randomTransactions(seed: UInt64) throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                for table in ModelTable.all { try db.execute(sql: table.sql) }
                try db.audit(.everyTable)
                // The log can't tell rows apart whose primary key contains NULL.
                let tables = ModelTable.all.filter { $0.name != "nocase" && $0.name != "pair" }
                var maker = StatementMaker(seed: seed, tables: tables)
                var states: [(transaction: Int64, before: ModelContent)] = []
                for _ in 0..<8 {
                    let before = try ModelContent(db)
                    let count = try AuditLog.Entry.all().fetchCount(db)
                    try? db.inTransaction {
                        for _ in 0..<4 { try? db.execute(sql: statement(&maker)) }
                        return db.isInsideTransaction ? .commit : .rollback
                    }
                    if try AuditLog.Entry.all().fetchCount(db) > count { states.append((try last(db), before)) }
                }
                for state in states.reversed() {
                    try AuditLog.revert(db, transaction: state.transaction)
                    let content = try ModelContent(db)
                    let differences = content.differences(from: state.before)
                    #expect(differences == [], "seed \(seed), transaction \(state.transaction)")
                    if !differences.isEmpty { return }
                }
            }
        }
    }

    /// A statement without TEXT values whose bytes the log doesn't know.
    private func statement(_ maker: inout StatementMaker) -> String {
        while true {
            let sql = maker.statement()
            if !sql.contains("x'FF61'") { return sql }
        }
    }

    @Test(arguments: ["", "WITHOUT ROWID"]) func aKeyWhoseNameOnlySwiftTakesForEqual(option: String) throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                // é as one scalar, and as two.
                try db.execute(sql: "CREATE TABLE letter (\"\u{E9}\", \"e\u{301}\" TEXT PRIMARY KEY, a) \(option)")
                try db.audit(.everyTable)
                try db.execute(sql: "INSERT INTO letter VALUES ('a', 'key', 'b')")
                let before = try db.rows(of: "letter")
                for change in ["UPDATE letter SET a = 'x'", "DELETE FROM letter"] {
                    try db.execute(sql: change)
                    try AuditLog.revert(db, transaction: last(db))
                    try expectEqual(db.rows(of: "letter"), before)
                }
            }
        }
    }

    @Test func columnsWhoseNamesOnlySwiftTakesForEqual() throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                // É, é, é as two scalars, k, and the sign of Kelvin.
                let names = ["\u{C9}", "\u{E9}", "e\u{301}", "k", "\u{212A}"].map(\.quotedDatabaseIdentifier)
                try db.execute(
                    sql: "CREATE TABLE letter (id INTEGER PRIMARY KEY, \(names.joined(separator: ", ")))")
                try db.audit(.everyTable)
                try db.execute(sql: "INSERT INTO letter VALUES (1, 'a', 'b', 'c', 'd', 'e')")
                let before = try db.rows(of: "letter")
                for change in names.map({ "UPDATE letter SET \($0) = 'x'" }) + ["DELETE FROM letter"] {
                    try db.execute(sql: change)
                    try AuditLog.revert(db, transaction: last(db))
                    try expectEqual(db.rows(of: "letter"), before)
                }
            }
        }
    }
}
