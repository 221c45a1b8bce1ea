import Amalgam
import TestSupport
import Testing

/// The counters of connections and statements.
struct StatusTests {
    // MARK: Connections

    static let counters: [Database.Counter] = [
        .lookasideUsed, .lookasideHits, .lookasideMissesBySize, .lookasideMissesByFullness, .cacheBytes,
        .sharedCacheBytes, .cacheHits, .cacheMisses, .cacheWrites, .cacheSpills, .temporaryBytesSpilled,
        .schemaBytes, .statementBytes, .unresolvedForeignKeys,
    ]

    @Test(arguments: counters)
    func allAreKnown(counter: Database.Counter) throws {
        try DatabaseKind.file.run { db in
            try db.createTeams()
            let value = try db.status(counter)
            #expect(value.current >= 0)
            #expect(value.highest >= 0)
        }
    }

    @Test func pageCache() throws {
        try DatabaseKind.file.run { db in
            try db.createTeams()
            #expect(try db.status(.cacheWrites, resets: true).current >= 3)
            #expect(try db.status(.cacheWrites).current == 0)
            _ = try db.status(.cacheHits, resets: true)
            _ = try db.playerNames
            #expect(try db.status(.cacheHits).current > 0)
            #expect(try db.status(.cacheBytes).current > 4096)
            #expect(try db.status(.schemaBytes).current > 0)
        }
    }

    @Test func spills() throws {
        try DatabaseKind.file.run { db in
            try db.execute(sql: "CREATE TABLE t (a); PRAGMA cache_size = 10; PRAGMA cache_spill = 10")
            try db.inTransaction {
                for _ in 1...100 { try db.execute(sql: "INSERT INTO t VALUES (randomblob(3000))") }
                #expect(try db.status(.cacheSpills).current > 0)
                return .commit
            }
        }
    }

    @Test func deferredForeignKeys() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            try db.inTransaction {
                try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
                #expect(try db.status(.unresolvedForeignKeys).current == 0)
                try db.execute(sql: "INSERT INTO player VALUES (9, 'Zoe', 1, 99)")
                #expect(try db.status(.unresolvedForeignKeys).current == 1)
                return .rollback
            }
        }
    }

    @Test func statementMemory() throws {
        try DatabaseQueue().inDatabase { db in
            let before = try db.status(.statementBytes).current
            let statement = try db.makeStatement(sql: "SELECT * FROM sqlite_master ORDER BY name")
            #expect(try db.status(.statementBytes).current > before)
            withExtendedLifetime(statement) {}
        }
    }

    // MARK: Statements

    @Test func fullScans() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE name = 'Bo' ORDER BY score")
            _ = try Row.fetchAll(statement)
            #expect(try statement.status(.fullScanSteps) == 2)
            #expect(try statement.status(.sorts) == 1)
            #expect(try statement.status(.runs) == 1)
            #expect(try statement.status(.instructions) > 5)
            #expect(try statement.status(.bytes) > 100)
            #expect(try statement.status(.automaticIndexRows) == 0)
            #expect(try statement.status(.filterHits) == 0)
            #expect(try statement.status(.filterMisses) == 0)
            // The value is returned once more, and then reset.
            #expect(try statement.status(.sorts, resets: true) == 1)
            #expect(try statement.status(.sorts) == 0)
        }
    }

    @Test func recompilations() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            _ = try Row.fetchAll(statement)
            try db.execute(sql: "ALTER TABLE player ADD COLUMN email")
            #expect(try Row.fetchAll(statement).first?.count == 5)
            #expect(try statement.status(.recompilations, resets: true) == 1)
            // Statements use this counter to detect new columns, so it isn't reset.
            #expect(try statement.status(.recompilations) == 1)
            #expect(statement.columnNames.count == 5)
        }
    }

    // MARK: Misuse

    @Test func misuse() throws {
        let queue = try DatabaseQueue()
        let (leaked, statement) = try queue.inDatabase { db in
            expectError(.SQLITE_MISUSE, "SQLite has no counter with the number 99.") {
                _ = try db.status(Database.Counter(rawValue: 99))
            }
            let statement = try db.makeStatement(sql: "SELECT 1")
            for number in [-1, 0, 9, 98, 1000] as [Int32] {
                expectError(.SQLITE_MISUSE, "SQLite has no counter with the number \(number).", sql: "SELECT 1") {
                    try statement.status(Statement.Counter(rawValue: number))
                }
            }
            return (db, statement)
        }
        _ = expectFailure(.SQLITE_MISUSE) { _ = try leaked.status(.cacheHits) }
        _ = expectFailure(.SQLITE_MISUSE) { try statement.status(.runs) }
    }
}
