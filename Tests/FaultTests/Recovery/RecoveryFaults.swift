import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Recoveries: afterwards there is either a new file with all rows, or none; the damaged file is unchanged in both cases.
@Suite("Recovery when operations fail", .enabled(if: SQLiteBuild.hasRecovery, "this SQLite has no recover.c"))
struct RecoveryFaults {
    @Test("A recovery with a full-text table and an index", arguments: Weather.allocations([.journal, .wal]))
    func recovery(weather: Weather) throws {
        try everyFault(of: weather, stride: 23, allowing: [.SQLITE_CANTOPEN], setUp: Self.fill) { attempt in
            try attempt.connect()
            let newPath = attempt.path + "-recovered"
            attempt.calmly { try? FileManager.default.removeItem(atPath: newPath) }
            do {
                try attempt.step {
                    let report = try DatabaseRecovery(of: attempt.path).recover(into: newPath)
                    attempt.calmly { attempt.note(report) }
                }
            } catch {
                #expect(!FileManager.default.fileExists(atPath: newPath))
                throw error
            }
            let sql = "SELECT name FROM city UNION ALL SELECT text FROM note WHERE note MATCH 'word'"
            let rows = try DatabaseQueue(path: newPath).inDatabase { db in try String.fetchAll(db, sql: sql) }
            attempt.note(rows)
            try FileManager.default.removeItem(atPath: newPath)
        }
    }

    private static func fill(_ db: Database) throws {
        try db.createTeams()
        try db.execute(
            sql: """
                CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);
                CREATE INDEX city_name ON city (name);
                INSERT INTO city (name) VALUES ('Oslo'), ('Rome');
                CREATE VIRTUAL TABLE note USING fts5 (text);
                INSERT INTO note VALUES ('a word');
                """)
    }
}
