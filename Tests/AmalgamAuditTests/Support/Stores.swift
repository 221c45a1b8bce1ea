import Amalgam
import AmalgamConcurrency
import AmalgamCore
import Foundation
import Testing

/// The location of the database under test.
enum Store: String, CaseIterable, CustomTestStringConvertible {
    case memory, queue, pool

    var testDescription: String { rawValue }

    /// Opens a database, and closes it after the test.
    func open(
        _ configuration: Configuration = Configuration(), _ test: (any DatabaseWriter) throws -> Void
    ) throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("amalgam-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("teams.sqlite").path
        // A test that fails during a transaction reports its own error.
        var configuration = configuration
        configuration.allowsUnsafeTransactions = true
        let writer: any DatabaseWriter =
            switch self {
            case .memory: try DatabaseQueue(configuration: configuration)
            case .queue: try DatabaseQueue(path: path, configuration: configuration)
            case .pool: try DatabasePool(path: path, configuration: configuration)
            }
        try test(writer)
        try writer.close()
    }

    /// Runs a test with a connection outside of a transaction, on which the tables of the tests exist, and are audited.
    func audit(_ tables: AuditLog.Table..., test: (Database) throws -> Void) throws {
        try open { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.audit(tables)
                try test(db)
            }
        }
    }
}

extension Database {
    /// Creates the content of most tests: two teams, and three players.
    func createTeams() throws {
        try execute(
            sql: """
                CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE player (
                  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER,
                  teamId INTEGER REFERENCES team(id) ON DELETE CASCADE ON UPDATE CASCADE);
                INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
                INSERT INTO player VALUES (1, 'Anna', 10, 1), (2, 'Bo', 20, 1), (3, 'Cleo', NULL, 2);
                """)
    }

    /// The entries of the log, as strings.
    var log: [String] {
        get throws { try AuditLog.Entry.order(AuditLog.Entry.Columns.id).fetchAll(self).map(\.description) }
    }

    /// The path of the main database.
    var filePath: String {
        get throws {
            try #require(try String.fetchOne(self, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'"))
        }
    }

    /// Returns the entries that a closure adds to the log.
    func logged(_ body: () throws -> Void) throws -> [String] {
        let count = try log.count
        try body()
        return try Array(log.dropFirst(count))
    }
}

/// A clock that is set by the test.
final class TestClock: TransactionClock, @unchecked Sendable {
    // Sendable: only the thread that uses the connection uses it.
    var date = Date(timeIntervalSince1970: 1_700_000_000)

    func now(_ db: Database) throws -> Date { date }

    func advance(_ seconds: TimeInterval) { date += seconds }
}
