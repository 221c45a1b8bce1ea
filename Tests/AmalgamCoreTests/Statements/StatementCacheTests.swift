import Amalgam
@testable import AmalgamCore
import CAmalgam
import TestSupport
import Testing

struct StatementCacheTests {
    @Test func askingTwiceGivesTheSameStatement() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.cachedStatement(sql: "SELECT ?")
            #expect(try db.cachedStatement(sql: "SELECT ?") === statement)
            #expect(try db.cachedStatement(literal: "SELECT \(1)") === statement)
            #expect(try db.cachedStatement(sql: "SELECT ? ") !== statement)
            #expect(try db.makeStatement(sql: "SELECT ?") !== statement)
        }
    }

    @Test func cachedStatementsNeverPreventClosing() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.inDatabase { db in
            _ = try db.cachedStatement(sql: "SELECT 1")
            for _ in 1...5 { _ = try Int.fetchAll(db, sql: "SELECT 2") }
        }
        try dbQueue.close()
    }

    @Test func sqlThatComesBackIsCompiledOnce() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            for _ in 1...4 {
                try db.execute(sql: "UPDATE team SET name = name")
                _ = try Row.fetchAll(db, sql: "SELECT * FROM team")
            }
            let kept = statements(of: db.sqliteConnection)
            try db.execute(sql: "UPDATE team SET name = name")
            _ = try Row.fetchAll(db, sql: "SELECT * FROM team")
            #expect(Set(statements(of: db.sqliteConnection)) == Set(kept))
        }
    }

    @Test func theSameSQLMayRunInsideItself() throws {
        try DatabaseKind.memory.run { db in
            let sql = "SELECT column1 FROM (VALUES (1), (2), (3)) WHERE column1 > ?"
            for _ in 1...4 { _ = try Int.fetchAll(db, sql: sql, arguments: [0]) }
            var pairs: [[Int]] = []
            let outer = try Int.fetchCursor(db, sql: sql, arguments: [0])
            while let first = try outer.next() {
                for second in try Int.fetchAll(db, sql: sql, arguments: [first]) { pairs.append([first, second]) }
            }
            #expect(pairs == [[1, 2], [1, 3], [2, 3]])
        }
    }

    @Test func keptStatementsFollowTheSchema() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            for _ in 1...4 { #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["a": 1]]) }
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2")
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["a": 1, "b": 2]])
        }
    }

    @Test func keptStatementsSurviveErrors() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let sql = "INSERT INTO team VALUES (?, 'x')"
            for id in 10...14 { try db.execute(sql: sql, arguments: [id]) }
            #expect(statements(of: db.sqliteConnection).contains { String(cString: sqlite3_sql($0)) == sql })
            for _ in 1...3 {
                expectError(.SQLITE_CONSTRAINT, "UNIQUE constraint failed: team.id", sql: sql) {
                    try db.execute(sql: sql, arguments: [1])
                }
            }
            try db.execute(sql: sql, arguments: [15])
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") == 8)
        }
    }

    @Test func keptStatementsForgetTheArgumentsOfTheLastRun() throws {
        try DatabaseKind.memory.run { (db) throws in
            for number in 1...5 { #expect(try Int.fetchOne(db, sql: "SELECT ?", arguments: [number]) == number) }
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 0", sql: "SELECT ?") {
                _ = try Int.fetchOne(db, sql: "SELECT ?")
            }
        }
    }

    @Test func releasingMemoryReleasesTheStatements() throws {
        try DatabaseKind.memory.run { db in
            _ = try db.cachedStatement(sql: "SELECT 1")
            for _ in 1...4 { _ = try Int.fetchAll(db, sql: "SELECT 2") }
            #expect(statements(of: db.sqliteConnection).count >= 2)
            db.releaseMemory()
            #expect(statements(of: db.sqliteConnection).isEmpty)
            #expect(try Int.fetchAll(db.cachedStatement(sql: "SELECT 1")) == [1])
        }
    }

    // MARK: Equivalent strings

    /// The letter é as one scalar, and as two. For Swift, both strings are equal.
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

    @Test func sqlWithEquivalentStringsHasItsOwnStatements() throws {
        try DatabaseKind.memory.run { db in
            let spellings = [
                Self.composed, Self.decomposed, Self.composed, Self.decomposed, Self.composed, Self.composed,
            ]
            try db.execute(sql: "CREATE TABLE word (text)")
            for spelling in spellings { try db.execute(sql: "INSERT INTO word VALUES ('\(spelling)')") }
            let stored = try String.fetchAll(db, sql: "SELECT text FROM word ORDER BY rowid")
            #expect(stored.map { Array($0.utf8) } == spellings.map { Array($0.utf8) })
            for spelling in spellings {
                let statement = try db.cachedStatement(sql: "SELECT '\(spelling)'")
                #expect(try String.fetchOne(statement)?.utf8.elementsEqual(spelling.utf8) == true)
                #expect(try db.cachedStatement(sql: "SELECT '\(spelling)'") === statement)
            }
        }
    }

    @Test func tablesWithEquivalentNamesAreDifferentTables() throws {
        try DatabaseKind.memory.run { db in
            let names = [Self.composed, Self.decomposed]
            for (number, name) in names.enumerated() {
                try db.execute(sql: "CREATE TABLE \"\(name)\" (number); INSERT INTO \"\(name)\" VALUES (\(number))")
            }
            for (number, name) in [(0, names[0]), (1, names[1]), (0, names[0]), (1, names[1])] {
                #expect(try Table(name).select(Column("number"), as: Int.self).fetchAll(db) == [number])
            }
            for name in [names[1], names[1], names[0]] { try db.execute(sql: "DELETE FROM \"\(name)\"") }
            for name in names { #expect(try Table(name).fetchCount(db) == 0) }
        }
    }

    @Test func recentSQLIsComparedByItsBytes() {
        var recent = RecentSQL(capacity: 1)
        let answers = [Self.composed, Self.decomposed, Self.decomposed, Self.composed].map { recent.hasSeen($0) }
        #expect(answers == [false, false, true, false])
    }

    // MARK: The bound

    private func isCached(_ sql: String, in cache: inout StatementCache) -> Bool { cache.statement(sql) != nil }

    @Test func theCacheIsBounded() throws {
        try DatabaseKind.memory.run { db in
            for number in 1...1000 { _ = try db.cachedStatement(sql: "SELECT \(number)") }
            #expect(statements(of: db.sqliteConnection).count <= 257)
        }
    }

    @Test func theStatementsUsedLongestAgoGoFirst() throws {
        try DatabaseKind.memory.run { db in
            var cache = StatementCache(capacity: 4)
            for number in 1...4 {
                cache.insert(try db.makeStatement(sql: "SELECT \(number)"), for: "\(number)")
            }
            for sql in ["1", "2", "4"] { #expect(isCached(sql, in: &cache)) }
            cache.insert(try db.makeStatement(sql: "SELECT 5"), for: "5")
            let cached = ["1", "2", "3", "4", "5"].filter { isCached($0, in: &cache) }
            #expect(cached == ["2", "4", "5"])
        }
    }

    @Test func aStatementInConstantUseStays() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.cachedStatement(sql: "SELECT 0")
            let isAlwaysThere = try (1...600).allSatisfy { number in
                _ = try db.cachedStatement(sql: "SELECT \(number)")
                return try db.cachedStatement(sql: "SELECT 0") === statement
            }
            #expect(isAlwaysThere)
        }
    }

    @Test func removing() throws {
        try DatabaseKind.memory.run { db in
            var cache = StatementCache(capacity: 4)
            cache.insert(try db.makeStatement(sql: "SELECT 1"), for: "1")
            #expect(isCached("1", in: &cache))
            cache.remove("1")
            #expect(!isCached("1", in: &cache))
            cache.insert(try db.makeStatement(sql: "SELECT 2"), for: "2")
            #expect(isCached("2", in: &cache))
            cache.removeAll()
            #expect(!isCached("2", in: &cache))
        }
    }

    @Test func recentSQL() {
        var recent = RecentSQL(capacity: 64)
        let answers = ["SELECT 1", "SELECT 1", "SELECT 2", "SELECT 2"].map { recent.hasSeen($0) }
        #expect(answers == [false, true, false, true])
    }
}
