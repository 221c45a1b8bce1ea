import Amalgam
import Foundation
import Synchronization
import Testing

// A club: players and their teams, countries, and who is a citizen of which country.

struct Player: Codable, FetchableRecord, MutablePersistableRecord, Identifiable, Hashable {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
    }

    var id: Int64?
    var name: String
    var score: Int?

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
    var isoCode: String
    var name: String
}

struct Citizenship: Codable, FetchableRecord, PersistableRecord, Hashable {
    var playerId: Int64?
    var isoCode: String?
    var native: Bool
}

/// Runs a test on the club, in a transaction.
func withClub<T>(_ test: (Database) throws -> T) throws -> T {
    try DatabaseQueue().write { db in
        try db.execute(
            sql: """
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER DEFAULT 1000);
                CREATE TABLE country (isoCode TEXT NOT NULL PRIMARY KEY, name TEXT);
                CREATE TABLE citizenship (playerId INTEGER, isoCode TEXT, native BOOLEAN, PRIMARY KEY (playerId, isoCode));
                """)
        return try test(db)
    }
}

/// The SQL that a connection runs, with the values in it.
func tracedSQL(_ db: Database, _ body: () throws -> Void) throws -> [String] {
    let log = SQLLog()
    db.trace { event in log.append(event.expandedDescription) }
    defer { db.trace() }
    try body()
    return log.statements
}

private final class SQLLog: Sendable {
    private let log = Mutex<[String]>([])

    var statements: [String] { log.withLock { $0 } }

    func append(_ sql: String) { log.withLock { $0.append(sql) } }
}

/// Expects the SQL that a closure runs.
func expectSQL(
    _ db: Database, _ sql: [String], sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws {
    let actual = try tracedSQL(db, body)
    #expect(actual == sql, sourceLocation: sourceLocation)
}

/// Expects a value. Unlike `#expect(try …)`, a call of this function makes the closure around it a throwing one.
func expectEqual<T: Equatable>(
    _ value: T, _ expected: T, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, sourceLocation: sourceLocation)
}

/// Expects an error, by its text.
func expectThrows<E: Error>(
    _ type: E.Type, _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("no error", sourceLocation: sourceLocation)
    } catch let error as E {
        #expect("\(error)" == text, sourceLocation: sourceLocation)
    } catch {
        Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
}

/// Expects a `DatabaseError`, by its code and message.
func expectDatabaseError(
    _ code: ResultCode, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.resultCode == code, sourceLocation: sourceLocation)
    #expect(error?.message == message, sourceLocation: sourceLocation)
}
