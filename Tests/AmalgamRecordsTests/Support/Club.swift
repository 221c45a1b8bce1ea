#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// Runs a test on a club, in a transaction: players, countries, and citizenships.
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

/// Expects the SQL that a closure runs.
func expectSQL(
    _ db: Database, _ sql: [String], sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws {
    let actual = try db.tracing(body)
    #expect(actual == sql, sourceLocation: sourceLocation)
}

/// Expects an error with this description.
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

/// Expects a `DatabaseError` with this code and message.
func expectDatabaseError(
    _ code: ResultCode, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.resultCode == code, sourceLocation: sourceLocation)
    #expect(error?.message == message, sourceLocation: sourceLocation)
}
#endif
