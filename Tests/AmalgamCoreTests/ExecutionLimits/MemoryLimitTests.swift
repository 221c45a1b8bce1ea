import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Statements that take more memory than ``ExecutionLimits/memory`` allows.
struct MemoryLimitTests {
    private static let million = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000)"

    /// Statements that would take 200 MB or more, in memory or in temporary files.
    static let statements = [
        "sorter": million
            + " SELECT COUNT(*) FROM (SELECT printf('%.1000c', i) AS x FROM n ORDER BY x LIMIT -1 OFFSET 1)",
        "distinct rows": million + " SELECT COUNT(*) FROM (SELECT DISTINCT printf('%.1000c%d', 'a', i) FROM n)",
        "groups": million + " SELECT COUNT(*) FROM (SELECT printf('%.1000c%d', 'a', i) AS x FROM n GROUP BY x)",
        "queue":
            "WITH RECURSIVE n(x) AS (SELECT 'a' UNION ALL SELECT x || printf('%.100c', 'a') FROM n, (VALUES (1), (2))) "
            + "SELECT MAX(length(x)) FROM n",
        "materialized rows": million + ", m AS MATERIALIZED (SELECT printf('%.1000c', i) AS x FROM n) "
            + "SELECT COUNT(*) FROM m AS a JOIN m AS b ON a.x = b.x",
        "string": million + " SELECT length(group_concat(printf('%.1000c', 'a'))) FROM n",
        "JSON": million + " SELECT length(json_group_array(printf('%.1000c', 'a'))) FROM n",
        "temporary table": "CREATE TEMP TABLE large AS " + million + " SELECT printf('%.1000c', 'a') FROM n",
        "blob": "SELECT length(zeroblob(200000000) || 'a')",
        "compilation": bomb(levels: 30),
    ]

    /// Each level of a bomb doubles the size of the compiled statement.
    static func bomb(levels: Int) -> String {
        let tables = (1...levels).map { "c\($0)(x) AS (SELECT a.x FROM c\($0 - 1) AS a, c\($0 - 1) AS b)" }
        return "WITH c0(x) AS (SELECT 1), " + tables.joined(separator: ", ") + " SELECT COUNT(*) FROM c\(levels)"
    }

    @Test(arguments: statements.keys.sorted(), DatabaseKind.allCases)
    func aStatementThatTakesTooMuchMemoryIsStopped(_ name: String, _ kind: DatabaseKind) throws {
        let sql = Self.statements[name]!
        try kind.run { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.memory(16_000_000)) {
                    defer { #expect(db.access.progressMonitor!.allocations.memory < 32_000_000) }
                    try db.execute(sql: sql)
                }
            }
            #expect(error?.exceededLimit == .memory)
            #expect(error?.message == "interrupted: the limit of 16000000 bytes is exceeded")
            // The connection stays usable, also with limits.
            try db.withLimits(.memory(1_000_000)) {
                expectEqual(try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a"), [1])
            }
        }
    }

    @Test(
        "the error of nested limits names the limit that is exceeded",
        arguments: [
            (16_000_000, Int.max, 16_000_000), (16_000_000, nil, 16_000_000), (16_000_000, 8_000_000, 8_000_000),
            (Int.max, 8_000_000, 8_000_000), (0, 8_000_000, 0),
        ] as [(Int, Int?, Int)])
    func nestedLimits(_ outer: Int, _ inner: Int?, exceeded: Int) throws {
        try DatabaseKind.memory.run { db in
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.memory(outer)) {
                    try db.withLimits(ExecutionLimits(memory: inner)) { try db.execute(sql: Self.statements["JSON"]!) }
                }
            }
            expectEqual(error?.message, "interrupted: the limit of \(exceeded) bytes is exceeded")
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func aLimitDoesNotStopStatementsThatTakeLess(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.withLimits(.memory(16_000_000)) {
                // Each statement takes some megabytes, which it frees.
                for _ in 0..<20 {
                    let sql = """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
                        SELECT COUNT(*) FROM (SELECT printf('%.1000c', i) AS x FROM n ORDER BY x LIMIT -1 OFFSET 1)
                        """
                    expectEqual(try Int.fetchOne(db, sql: sql), 2999)
                }
            }
        }
    }

    @Test func aReadThatIsStoppedKeepsTheTransaction() throws {
        try DatabaseKind.file.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                for name in ["sorter", "distinct rows", "blob", "compilation"] {
                    let error = expectCode(.SQLITE_INTERRUPT) {
                        try db.withLimits(.memory(16_000_000)) { try db.execute(sql: Self.statements[name]!) }
                    }
                    #expect(error?.exceededLimit == .memory)
                }
                // Binding the pattern of LIKE makes SQLite compile the statement again.
                let sql = "SELECT length(zeroblob(200000000) || a) FROM t WHERE a LIKE ?"
                let statement = try db.makeStatement(sql: sql)
                expectCode(.SQLITE_INTERRUPT) {
                    try db.withLimits(.memory(16_000_000)) { _ = try Int.fetchOne(statement, arguments: ["1%"]) }
                }
                return .commit
            }
            expectEqual(try Int.fetchAll(db, sql: "SELECT a FROM t"), [1])
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func afterAStoppedWriteTheTransactionOfTheApplicationIsAborted(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('x'); BEGIN; INSERT INTO t VALUES ('y')")
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.memory(1 << 20)) {
                    // For one row, SQLite makes no statement journal.
                    try db.execute(sql: "INSERT INTO t VALUES (zeroblob(20000000) || '')")
                }
            }
            #expect(error?.exceededLimit == .memory)
            #expect(!db.isInsideTransaction)
            expectCode(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO t VALUES ('z')") }
            try db.rollback()
            try db.execute(sql: "INSERT INTO t VALUES ('after')")
            expectEqual(try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY rowid"), ["x", "after"])
        }
    }

    /// The end of a transaction isn't stopped by a limit, but it frees memory.
    @Test(arguments: ["ROLLBACK", "SAVEPOINT"])
    func aLoopOfTransactionsFreesItsMemory(_ kind: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (0)")
            let insert = """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000)
                INSERT INTO t SELECT printf('%.1000c', 'a') FROM n
                """
            try db.withLimits(.memory(16_000_000)) {
                for _ in 0..<10 {
                    try db.inTransaction {
                        guard kind == "SAVEPOINT" else {
                            try db.execute(sql: insert)
                            return .rollback
                        }
                        try db.inSavepoint {
                            try db.execute(sql: insert)
                            return .rollback
                        }
                        return .commit
                    }
                }
            }
            expectEqual(try Int.fetchAll(db, sql: "SELECT a FROM t"), [0])
        }
    }

    @Test func cachedPagesOfFilesDoNotCount() throws {
        try DatabaseKind.file.run { db in
            try db.execute(sql: "CREATE TABLE t (a); PRAGMA cache_size = -100000")
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
                    INSERT INTO t SELECT printf('%.1000c', 'a') FROM n
                    """)
            try db.execute(sql: "PRAGMA shrink_memory")
            try db.withLimits(.memory(2_000_000)) {
                expectEqual(try Int.fetchOne(db, sql: "SELECT SUM(length(a)) FROM t"), 20_000_000)
            }
        }
    }

    /// After a commit of another connection, SQLite discards the cached pages, and reads them again.
    @Test func pagesThatAreReadAgainDoNotCount() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -100000") }
        try DatabaseKind.pool.open(configuration) { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t (a);
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
                        INSERT INTO t SELECT printf('%.1000c', 'a') FROM n;
                        """)
            }
            let sum = "SELECT SUM(length(a)) FROM t"
            #expect(try writer.read { try Int.fetchOne($0, sql: sum) } == 20_000_000)
            try writer.write { try $0.execute(sql: "CREATE TABLE other (a)") }
            try writer.read { db in
                try db.withLimits(.memory(2_000_000)) {
                    expectEqual(try Int.fetchOne(db, sql: sum), 20_000_000)
                }
            }
        }
    }

    @Test func theLeastOfNestedLimitsApplies() throws {
        try DatabaseKind.memory.run { db in
            let megabyte = "SELECT length(zeroblob(1000000) || 'a')"
            try db.withLimits(.memory(10_000_000)) {
                try db.withLimits(.memory(100_000)) {
                    let error = expectCode(.SQLITE_INTERRUPT) {
                        try db.execute(sql: "SELECT zeroblob(20000000) || 'a'")
                    }
                    #expect(error?.exceededLimit == .memory)
                }
                try db.withLimits(.memory(.max)) {
                    try db.execute(sql: megabyte)
                    expectCode(.SQLITE_INTERRUPT) { try db.execute(sql: "SELECT zeroblob(30000000) || 'a'") }
                }
                try db.execute(sql: megabyte)
            }
            try db.execute(sql: "SELECT zeroblob(30000000) || 'a'")
        }
    }

    @Test func otherConnectionsHaveNoLimit() throws {
        let other = try DatabaseQueue()
        try DatabaseKind.memory.run { db in
            try db.withLimits(.memory(0)) {
                try other.write { try $0.execute(sql: "CREATE TABLE t AS SELECT zeroblob(30000000) || 'a'") }
                let error = expectCode(.SQLITE_INTERRUPT) { try db.execute(sql: "SELECT zeroblob(30000000) || 'a'") }
                #expect(error?.exceededLimit == .memory)
            }
        }
        try other.close()
    }

    @Test func theConnectionMayBeClosedInTheClosure() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.withLimits(.memory(1_000_000)) {
                try db.withLimits(.time(.seconds(60))) {
                    try db.execute(sql: "CREATE TABLE t (a)")
                    try db.closeOrThrow()
                }
                try DatabaseQueue().write { try $0.execute(sql: "CREATE TABLE t (a)") }
            }
        }
    }
}
