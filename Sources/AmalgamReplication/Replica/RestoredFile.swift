#if Replication && (os(Linux) || os(macOS))
import AmalgamConcurrency
import AmalgamCore
import AmalgamInspection

/// A database file that Litestream has restored, and that no other process uses yet.
///
/// This module checks the file: Litestream's own SQLite has none of the collations, functions and tokenizers that a schema
/// may need, and its check fails without them.
struct RestoredFile {
    let path: String
    /// The configuration of the application's connections, whose closures add collations, functions and tokenizers.
    var configuration = AmalgamCore.Configuration()

    /// Opens the file, and changes nothing. If a closure of the application throws an error, such as one that has to write
    /// to the database, opens the file without the closures.
    func open() throws -> DatabaseQueue {
        if let queue = try? DatabaseQueue(path: path, configuration: configuration.forRestoredFiles) { return queue }
        return try openPlain()
    }

    private func openPlain() throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: AmalgamCore.Configuration().forRestoredFiles)
    }

    /// Throws an error if the file is damaged: its pages, or a table that can be checked.
    func check() async throws {
        let problems: [String]
        do {
            problems = try await self.problems()
        } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
        {
            problems = ["\(error)"]
        }
        if problems.isEmpty { return }
        throw ReplicationError(
            .verificationFailed, "The restored database has errors: \(problems.prefix(5).joined(separator: "; ")).")
    }

    private func problems() async throws -> [String] {
        let queue = try open()
        defer { try? queue.close() }
        // If a function or collation is missing, SQLite checks nothing.
        let found = try await queue.read { db in try Self.unlessUnavailable { try db.integrityCheck(in: "main") } }
        if let found, found.isEmpty { return [] }
        let plain = try openPlain()
        defer { try? plain.close() }
        let pages = try await plain.read { db in try db.pageCheck() }
        if !pages.isEmpty { return pages }
        let tables = try await plain.read { db in try Self.comparableTables(db) }
        return try await queue.read { db in
            try tables.flatMap { table in try Self.unlessUnavailable { try Self.problems(of: table, db) } ?? [] }
        }
    }

    /// The tables whose indexes have SQLite's own collations only. Other collations may have another order here than on the
    /// machine that has written the index: by the language of the user, or the version of Unicode.
    private static func comparableTables(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT name FROM sqlite_schema AS item
                WHERE type = 'table' AND NOT EXISTS (
                    SELECT 1 FROM pragma_index_list(item.name, 'main') AS list,
                        pragma_index_xinfo(list.name, 'main') AS term
                    WHERE term.coll COLLATE NOCASE NOT IN ('BINARY', 'NOCASE', 'RTRIM'))
                """)
    }

    private static func problems(of table: String, _ db: Database) throws -> [String] {
        let answer = try String.fetchAll(db, sql: "PRAGMA main.integrity_check(\(table.quotedDatabaseIdentifier))")
        return answer.filter { $0 != "ok" }
    }

    /// Returns nil for an error that isn't one of the file, such as a missing function, or one that throws.
    private static func unlessUnavailable<T>(_ body: () throws -> T) throws -> T? {
        do {
            return try body()
        } catch let error as DatabaseError where errorsOfFiles.contains(error.resultCode) {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    private static let errorsOfFiles: [ResultCode] = [
        .SQLITE_ABORT, .SQLITE_BUSY, .SQLITE_CANTOPEN, .SQLITE_CORRUPT, .SQLITE_INTERRUPT, .SQLITE_IOERR, .SQLITE_NOMEM,
        .SQLITE_NOTADB,
    ]
}

extension AmalgamCore.Configuration {
    /// The configuration of a connection that checks and compares a restored file.
    fileprivate var forRestoredFiles: AmalgamCore.Configuration {
        var configuration = self
        configuration.readonly = true
        configuration.walPolicy = nil
        configuration.observesSuspensionNotifications = false
        // An access of the application may occupy one of these queues until the restore ends.
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        return configuration
    }
}
#endif
