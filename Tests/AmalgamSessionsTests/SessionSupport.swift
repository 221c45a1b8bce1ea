import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

extension Database {
    /// Runs SQL in a recorded session of all tables, and returns one line per change, sorted.
    func recorded(_ sql: String, options: Session.Options = []) throws -> [String] {
        try recordChanges(options: options) { try execute(sql: sql) }.lines
    }

    /// Creates a table of people with a unique index.
    func createPeople() throws {
        try execute(
            sql: """
                CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score);
                INSERT INTO person VALUES (1, 'Anna', 10), (2, 'Bo', 20), (3, 'Cleo', NULL);
                """)
    }
}

/// Runs a test with two connections in memory, which represent two devices.
func withTwoDatabases(_ setUp: (Database) throws -> Void, _ test: (Database, Database) throws -> Void) throws {
    let first = try DatabaseQueue()
    let second = try DatabaseQueue()
    try first.inDatabase { first in
        try setUp(first)
        try second.inDatabase { second in
            try setUp(second)
            try test(first, second)
        }
    }
}

/// Runs a test with a connection in memory, outside of a transaction.
func withDatabase(_ test: (Database) throws -> Void) throws {
    try DatabaseKind.memory.run { db in try test(db) }
}
