import Amalgam
import TestSupport
import Testing

/// SQLite deletes all rows of a table at once if no hook observes them:
/// <https://sqlite.org/lang_delete.html#truncateopt>. An observer of deletions prevents that.
struct TruncateOptimizationTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue("CREATE TABLE pLaYeR (id INTEGER PRIMARY KEY)")
    }

    private func fill(_ db: Database, _ ids: Int...) throws {
        for id in ids { try db.execute(sql: "INSERT INTO player VALUES (\(id))") }
        _ = log.take()
    }

    static let two = ["delete pLaYeR(1)", "delete pLaYeR(2)", "willCommit", "didCommit"]
    static let one = ["delete pLaYeR(3)", "willCommit", "didCommit"]

    @Test(arguments: [
        "DELETE FROM player", "DELETE FROM PLAYER", "DELETE FROM main.pLaYeR", "DELETE FROM player WHERE 1",
    ])
    func eachRowIsTold(sql: String) throws {
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: log)
            try fill(db, 1, 2)
            try db.execute(sql: sql)
            #expect(log.take() == Self.two)
            try fill(db, 3)
            try db.execute(sql: sql)
            #expect(log.take() == Self.one)
        }
    }

    @Test func statementsPreparedBeforeTheRows() throws {
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: log)
            let deletion = try db.makeStatement(sql: "DELETE FROM player")
            try fill(db, 1, 2)
            try deletion.execute()
            #expect(log.take() == Self.two)
            try fill(db, 3)
            try deletion.execute()
            #expect(log.take() == Self.one)
        }
    }

    @Test func statementsPreparedBeforeTheObserver() throws {
        try dbQueue.inDatabase { db in
            let deletion = try db.makeStatement(sql: "DELETE FROM player")
            try db.cachedStatement(sql: "DELETE FROM player").execute()
            try fill(db, 1, 2)
            db.add(transactionObserver: log)
            try deletion.execute()
            #expect(log.take() == Self.two)
            try fill(db, 3)
            try db.cachedStatement(sql: "DELETE FROM player").execute()
            #expect(log.take() == Self.one)
        }
    }

    @Test func statementsKeptByTheConnection() throws {
        try dbQueue.inDatabase { db in
            for _ in 0..<5 { try db.execute(sql: "DELETE FROM player") }
            try fill(db, 1, 2)
            db.add(transactionObserver: log)
            try db.execute(sql: "DELETE FROM player")
            #expect(log.take() == Self.two)
        }
    }

    @Test func interestInOneTable() throws {
        log.observes = { $0 == .delete(tableName: "pLaYeR") }
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: log)
            for sql in ["DELETE FROM PLAYER", "DELETE FROM player"] {
                try fill(db, 1, 2)
                try db.execute(sql: sql)
                #expect(log.take() == Self.two)
            }
        }
    }

    @Test func withoutInterestRowsAreNotTold() throws {
        log.observes = { if case .delete = $0 { false } else { true } }
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: log)
            try fill(db, 1, 2)
            try db.execute(sql: "DELETE FROM player")
            #expect(log.take() == ["willCommit", "didCommit"])
            #expect(db.changesCount == 2)
        }
    }

    @Test func withoutInterestTheTableIsTruncated() throws {
        // EXPLAIN shows the instruction that clears a whole table.
        func isTruncated(_ db: Database) throws -> Bool {
            try Row.fetchAll(db.makeStatement(sql: "EXPLAIN DELETE FROM player")).contains { $0["opcode"] == "Clear" }
        }
        try dbQueue.inDatabase { db in
            try #expect(isTruncated(db))
            log.observes = { $0.tableName == "other" }
            db.add(transactionObserver: log)
            try #expect(isTruncated(db))
            log.observes = { $0.tableName == "pLaYeR" }
            try #expect(!isTruncated(db))
            db.remove(transactionObserver: log)
            try db.execute(sql: "CREATE TABLE other (a); DROP TABLE other")
            try #expect(isTruncated(db))
        }
    }

    @Test func statementsCompiledWhileTheObserverHadSeenEnough() throws {
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: log)
            let deletion = try db.inTransactionWithResult {
                try db.execute(sql: "INSERT INTO player VALUES (1)")
                return try db.cachedStatement(sql: "DELETE FROM player")
            }
            _ = log.take()
            try deletion.execute()
            #expect(log.take() == ["delete pLaYeR(1)", "willCommit", "didCommit"])
        }
    }

    @Test func statementsThatRanWhileTheObserverHadSeenEnough() throws {
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: log)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO player VALUES (1)")
                try db.cachedStatement(sql: "DELETE FROM player").execute()
                return .commit
            }
            try fill(db, 2)
            try db.cachedStatement(sql: "DELETE FROM player").execute()
            #expect(log.take() == ["delete pLaYeR(2)", "willCommit", "didCommit"])
        }
    }

    @Test func interestThatComesAfterTheStatementWasCompiled() throws {
        log.observes = { _ in false }
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: log)
            let deletion = try db.makeStatement(sql: "DELETE FROM player")
            try fill(db, 1, 2)
            log.observes = { _ in true }
            try deletion.execute()
            #expect(log.take() == Self.two)
        }
    }

    @Test func deletionsInTriggers() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE wipe (id INTEGER PRIMARY KEY);
                    CREATE TRIGGER wiping AFTER INSERT ON wipe BEGIN DELETE FROM player; END;
                    """)
            let insertion = try db.makeStatement(sql: "INSERT INTO wipe DEFAULT VALUES")
            db.add(transactionObserver: log)
            try fill(db, 1, 2)
            try insertion.execute()
            #expect(log.take() == ["insert wipe(1)"] + Self.two)
        }
    }

    @Test func deletionsRecompiledWhenTheyRun() throws {
        // A change of the schema makes SQLite compile the statement again, inside sqlite3_step.
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: log)
            let deletion = try db.makeStatement(sql: "DELETE FROM player")
            try db.execute(sql: "CREATE INDEX i ON player(id)")
            try fill(db, 1, 2)
            try deletion.execute()
            #expect(log.take() == Self.two)
        }
    }

    @Test func tablesWithoutRowID() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE k (k TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO k VALUES ('a'), ('b')")
            let lines = try db.events { try db.execute(sql: "DELETE FROM k") }
            #expect(lines == ["delete k", "delete k", "willCommit", "didCommit"])
        }
    }

    // MARK: DROP

    /// The SQL that creates an object, the SQL that drops it, and its name.
    typealias Drop = (create: String, drop: String, name: String)

    static let drops: [Drop] = [
        ("CREATE TABLE t (a); INSERT INTO t VALUES (1)", "DROP TABLE t", "t"),
        ("CREATE TEMPORARY TABLE t (a); INSERT INTO t VALUES (1)", "DROP TABLE t", "t"),
        ("CREATE VIRTUAL TABLE t USING fts3(a); INSERT INTO t VALUES ('x')", "DROP TABLE t", "t"),
        ("CREATE VIRTUAL TABLE t USING fts5(a); INSERT INTO t VALUES ('x')", "DROP TABLE t", "t"),
        ("CREATE VIRTUAL TABLE t USING rtree(id, x, y)", "DROP TABLE t", "t"),
        ("CREATE VIEW t AS SELECT 1", "DROP VIEW t", "t"),
        ("CREATE TEMPORARY VIEW t AS SELECT 1", "DROP VIEW t", "t"),
        ("CREATE INDEX i ON player(id)", "DROP INDEX i", "i"),
        ("CREATE TEMPORARY TABLE t (a); CREATE INDEX i ON t(a)", "DROP INDEX i", "i"),
        ("CREATE TRIGGER tr INSERT ON player BEGIN SELECT 1; END", "DROP TRIGGER tr", "tr"),
        ("CREATE TEMPORARY TRIGGER tr INSERT ON player BEGIN SELECT 1; END", "DROP TRIGGER tr", "tr"),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (1); CREATE INDEX i ON t(id)",
            "DROP TABLE t", "t"
        ),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY REFERENCES player(id)); INSERT INTO player VALUES (1); INSERT INTO t VALUES (1)",
            "DROP TABLE t", "t"
        ),
    ]

    enum Observer: CaseIterable { case none, before, between }

    @Test(arguments: drops, Observer.allCases)
    func drop(drop: Drop, observer: Observer) throws {
        func exists(_ db: Database) throws -> Bool {
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master UNION ALL SELECT name FROM sqlite_temp_master")
                .contains { $0 == drop.name || $0.hasPrefix("\(drop.name)_") }
        }
        for isPrepared in [false, true] {
            try makeQueue("CREATE TABLE player (id INTEGER PRIMARY KEY)").inDatabase { db in
                try db.execute(sql: drop.create)
                try #expect(exists(db))
                if observer == .before { db.add(transactionObserver: log) }
                if isPrepared {
                    let statement = try db.makeStatement(sql: drop.drop)
                    if observer == .between { db.add(transactionObserver: log) }
                    try statement.execute()
                } else {
                    if observer == .between { db.add(transactionObserver: log) }
                    try db.execute(sql: drop.drop)
                }
                try #expect(!exists(db))
                #expect(log.take() == (observer == .none ? [] : ["willCommit", "didCommit"]))
                try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            }
        }
    }
}

extension Database {
    /// Commits, and returns what the closure returns.
    fileprivate func inTransactionWithResult<T>(_ body: () throws -> T) throws -> T {
        var result: T?
        try inTransaction {
            result = try body()
            return .commit
        }
        return result!
    }
}
