import Amalgam
import AmalgamCore
import Testing

/// Erased databases: afterwards, all connections see either the old database, or an empty one.
@Suite struct EraseFaults {
    /// The readers know the schema before the database is erased. Its version is 1, which is also that of a new database.
    @Test(arguments: Weather.all)
    func erase(weather: Weather) throws {
        try everyFault(of: weather, setUp: Self.makeCities) { attempt in
            let writer = try attempt.connect()
            _ = try writer.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM city") }
            try attempt.step { db in try db.erase() }
        }
    }

    @Test(arguments: Weather.files([.journal, .wal]))
    func otherConnections(weather: Weather) throws {
        try everyFault(of: weather, setUp: Self.makeCities) { attempt in
            try attempt.connect()
            let other = attempt.keep(try attempt.calmly { try DatabaseQueue(path: attempt.path) })
            let count = { @Sendable (db: Database) in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM city") }
            _ = try attempt.calmly { try other.read(count) }
            let result = Result { try attempt.step { db in try db.erase() } }
            try attempt.calmly {
                do {
                    let seen = try other.read(count)
                    #expect(seen == 1000)
                } catch let error as DatabaseError {
                    // The table is gone. A connection that still knows it would read other pages, or none.
                    #expect(error.resultCode != .SQLITE_CORRUPT)
                }
            }
            try result.get()
        }
    }

    private static func makeCities(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE city (name TEXT);
                WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
                INSERT INTO city SELECT 'city ' || n FROM number
                """)
    }
}
