package import Amalgam
package import AmalgamCore
import CAmalgam
package import Foundation
import Testing

/// The storage of the connection under test, and the type of its database.
package enum DatabaseKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, file, pool

    package var testDescription: String { rawValue }

    /// Opens a database, runs a test with its writing connection outside of a transaction, and closes the database.
    package func run(_ configuration: Configuration = Configuration(), _ test: (Database) throws -> Void) throws {
        try open(configuration) { writer in
            try writer.writeWithoutTransaction(test)
        }
    }

    /// Opens a database, runs a test, and closes the database. The test fails if a statement is still running, or still
    /// alive.
    package func open(_ configuration: Configuration = Configuration(), _ test: (any DatabaseWriter) throws -> Void)
        throws
    {
        try withTemporaryDirectory { directory in
            var configuration = configuration
            configuration.onConnectionWillClose(expectNoBusyStatement)
            let path = directory.appendingPathComponent("teams.sqlite").path
            let writer: any DatabaseWriter =
                switch self {
                case .memory: try DatabaseQueue(configuration: configuration)
                case .file: try DatabaseQueue(path: path, configuration: configuration)
                case .pool: try DatabasePool(path: path, configuration: configuration)
                }
            try test(writer)
            // Closing releases the cached statements of the connection, so they are checked before.
            writer.unsafeReentrantWrite { db in db.sqliteConnection.map(expectNoBusyStatement) }
            try writer.close()
        }
    }
}

/// Calls a closure with a new directory, which is removed afterwards.
package func withTemporaryDirectory(_ body: (URL) throws -> Void) throws {
    let folder = Folder()
    try withExtendedLifetime(folder) { try body(folder.url) }
}

/// Expects that no statement is running, because it would hold a lock.
@Sendable package func expectNoBusyStatement(_ connection: SQLiteConnection) {
    for statement in statements(of: connection) where sqlite3_stmt_busy(statement) != 0 {
        Issue.record("busy statement: \(String(cString: sqlite3_sql(statement)))")
    }
}

/// The live statements of a connection.
package func statements(of connection: SQLiteConnection?) -> [SQLiteStatement] {
    Array(
        sequence(state: nil as SQLiteStatement?) { statement in
            statement = sqlite3_next_stmt(connection, statement)
            return statement
        })
}
