import Amalgam
import TestSupport
import Testing

/// SQLite stores NaN as NULL, which a column with NOT NULL refuses.
@Suite struct NotANumberTests {
    struct Measurement: Codable, PersistableRecord {
        var id: Int
        var value: Double
    }

    #if Macros
    @Record struct Sample {
        var id: Int
        var value: Double
    }
    #endif

    private let message = "NOT NULL constraint failed: %.value (an argument is NaN, which SQLite stores as NULL)"

    /// The first insertion of a type runs in a different way than the following ones.
    private func expectExplanations(_ table: String, insert: (Database, Int, Double) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, value REAL NOT NULL)")
            for id in 0..<6 {
                if id.isMultiple(of: 2) {
                    let error = expectCode(.SQLITE_CONSTRAINT) { try insert(db, id, .nan) }
                    #expect(error?.message == message.replacing("%", with: table))
                } else {
                    try insert(db, id, 1.5)
                }
            }
            try expectEqual(Double.fetchAll(db, sql: "SELECT value FROM \(table)"), [1.5, 1.5, 1.5])
        }
    }

    @Test func recordsOfCodableTypes() throws {
        try expectExplanations("measurement") { try Measurement(id: $1, value: $2).insert($0) }
    }

    #if Macros
    @Test func recordsOfMacros() throws {
        try expectExplanations("sample") { try Sample(id: $1, value: $2).insert($0) }
    }
    #endif
}
