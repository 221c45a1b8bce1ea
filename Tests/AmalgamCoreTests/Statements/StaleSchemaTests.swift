import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Statements that are older than the schema, because another connection has changed it since their compilation.
struct StaleSchemaTests {
    let folder: Folder
    let queue: DatabaseQueue
    let other: DatabaseQueue

    init() throws {
        folder = Folder()
        queue = try DatabaseQueue(path: folder.path("tables.sqlite"))
        other = try DatabaseQueue(path: folder.path("tables.sqlite"))
        try queue.write { db in
            for number in 1...40 {
                try db.execute(
                    sql: """
                        CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, a);
                        INSERT INTO t\(number) VALUES (1, 'x'), (2, 'y');
                        """)
            }
        }
    }

    /// Operations that make the connection read the schema again.
    enum Discovery: CaseIterable {
        case oldQuery, newQuery, lookUp, column, integrityCheck

        func run(_ db: Database, _ oldQuery: Statement) throws {
            switch self {
            case .oldQuery: _ = try Int.fetchOne(oldQuery)
            case .newQuery: _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t30")
            case .lookUp: _ = try db.tableExists("t30")
            case .column: _ = try db.columns(in: "t30")
            case .integrityCheck: try db.execute(sql: "PRAGMA integrity_check")
            }
        }
    }

    @Test(arguments: Discovery.allCases)
    func anObserverReceivesTheRowsThatAnOldStatementDeletes(_ discovery: Discovery) throws {
        let log = EventLog()
        var delete: Statement?
        var query: Statement?
        try queue.inDatabase { db in
            delete = try db.makeStatement(sql: "DELETE FROM t40 WHERE id = 1")
            query = try db.makeStatement(sql: "SELECT COUNT(*) FROM t40")
        }
        try dropTables(1...20)
        try queue.inDatabase { db in
            try discovery.run(db, #require(query))
            db.add(transactionObserver: log)
            try delete?.execute()
            #expect(log.take() == ["delete t40(1)", "willCommit", "didCommit"])
        }
        (delete, query) = (nil, nil)
    }

    /// REPLACE deletes rows, which only the program of the statement shows.
    @Test(arguments: Discovery.allCases)
    func anObserverReceivesTheRowsThatAnOldStatementReplaces(_ discovery: Discovery) throws {
        let log = EventLog { if case .delete = $0 { true } else { false } }
        var replace: Statement?
        var query: Statement?
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE UNIQUE INDEX t40_a ON t40 (a)")
            replace = try db.makeStatement(sql: "REPLACE INTO t40 VALUES (3, 'x')")
            query = try db.makeStatement(sql: "SELECT COUNT(*) FROM t40")
        }
        try dropTables(1...20)
        try queue.inDatabase { db in
            try discovery.run(db, #require(query))
            db.add(transactionObserver: log)
            try replace?.execute()
            #expect(log.take() == ["delete t40(1)", "willCommit", "didCommit"])
        }
        (replace, query) = (nil, nil)
    }

    @Test(arguments: Discovery.allCases)
    func theRegionOfAnOldStatement(_ discovery: Discovery) throws {
        var query: Statement?
        var old: Statement?
        try queue.inDatabase { db in
            old = try db.makeStatement(sql: "SELECT * FROM t40")
            query = try db.makeStatement(sql: "SELECT COUNT(*) FROM t40")
        }
        try dropTables(1...20)
        try other.inDatabase { try $0.execute(sql: "ALTER TABLE t40 ADD COLUMN b") }
        try queue.inDatabase { db in
            try discovery.run(db, #require(query))
            #expect(old?.databaseRegion.description == "t40(a,b,id)")
        }
        (old, query) = (nil, nil)
    }

    /// A step finds the new schema of another connection, the statement is compiled again, and the next step fails.
    @Test func theSchemaIsReadAfterAStatementThatWasCompiledAgainFails() throws {
        let folder = Folder()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
        let other = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
        try queue.inDatabase { db in
            try db.createTeams()
            let log = EventLog()
            db.add(transactionObserver: log)
            var locks = false
            try db.withAuthorizer { _ in
                if locks {
                    locks = false
                    try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
                }
                return .allow
            } perform: {
                let update = try db.makeStatement(sql: "UPDATE player SET score = 0")
                try update.execute()
                try other.inDatabase { try $0.execute(sql: "CREATE TABLE other (id)") }
                locks = true
                expectCode(.SQLITE_BUSY) { try update.execute() }
            }
            #expect(!locks)
            try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
            try expectEqual(Bool.fetchOne(db, sql: "SELECT COUNT(*) > 0 FROM player WHERE score = 0"), true)
            withExtendedLifetime(log) {}
        }
    }

    private func dropTables(_ numbers: ClosedRange<Int>) throws {
        try other.write { db in
            for number in numbers { try db.execute(sql: "DROP TABLE t\(number)") }
        }
    }
}
