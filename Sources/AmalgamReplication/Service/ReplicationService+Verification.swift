#if Replication && (os(Linux) || os(macOS))
public import AmalgamConcurrency
import AmalgamCore
import Foundation

extension ReplicationService {
    /// Restores the replica of a database to a temporary file, checks its integrity, and compares all tables with those
    /// of the database.
    ///
    /// ```swift
    /// try await service.verify(dbPool)
    /// ```
    ///
    /// The service must be running. Writes wait for a moment at the beginning, in which Litestream reads the WAL file.
    /// They run during the upload and the comparison.
    ///
    /// - Returns: the number of the transaction that was restored.
    /// - Throws: ``ReplicationError`` with the code `verificationFailed` that names the first table which differs, with
    ///   the code `notReplicated` if the upload isn't complete within the `shutdownTimeout` of the service; errors of the upload and of the restore.
    /// - Complexity: The whole database is restored and read.
    @discardableResult
    public func verify(_ pool: DatabasePool) async throws -> UInt64 {
        guard let database = databases.first(where: { $0.pool === pool }), let socket = socket else {
            throw ReplicationError(.unsuitableDatabase, "The service doesn't replicate \(pool.path) now.")
        }
        let path = database.local.database.path
        let timeout = max(1, Int(configuration.shutdownTimeout / .seconds(1)))
        _ = try await socket.sync(path, timeout: timeout)
        // No write runs between Litestream's look at the WAL file and the snapshot: they are the same state.
        let (transaction, snapshot) = try await pool.writeWithoutTransaction { _ in
            (try socket.readWAL(of: path).txid, try pool.makeSnapshot())
        }
        let answer = try await socket.sync(path, timeout: timeout)
        guard answer.replicated >= transaction else {
            throw ReplicationError(
                .notReplicated,
                "The transaction \(transaction) of \(pool.path) isn't in the replica \(database.replica).")
        }
        let temporary = try RestoreFolder(for: database.local.database)
        defer { temporary.remove() }
        _ = try await database.replica.restoreFile(temporary.path, at: .transaction(transaction), nil)
        let file = RestoredFile(path: temporary.path, configuration: pool.configuration)
        try await file.check()
        let restored = try file.open()
        defer { try? restored.close() }
        try await snapshot.read { original in
            try restored.read { copy in try Self.compare(original, copy) }
        }
        return transaction
    }

    /// Compares the schemas and the rows of two databases, without Litestream's tables.
    private static func compare(_ original: Database, _ copy: Database) throws {
        let schema = """
            SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_litestream\\_%' ESCAPE '\\'
            ORDER BY type, name
            """
        try compare(original, copy, schema, "the schema")
        let tables = try String.fetchAll(
            original,
            sql: """
                SELECT name FROM sqlite_schema
                WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE '\\_litestream\\_%' ESCAPE '\\'
                """)
        for table in tables {
            let name = table.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            try compare(original, copy, "SELECT * FROM \"\(name)\" NOT INDEXED", "the table \(table)")
        }
    }

    private static func compare(_ original: Database, _ copy: Database, _ sql: String, _ subject: String) throws {
        let (rows, others) = (try Row.fetchCursor(original, sql: sql), try Row.fetchCursor(copy, sql: sql))
        while true {
            let (row, other) = (try rows.next(), try others.next())
            if row != other {
                throw ReplicationError(
                    .verificationFailed, "The restored replica differs from the database in \(subject).")
            }
            if row == nil { return }
        }
    }
}
#endif
