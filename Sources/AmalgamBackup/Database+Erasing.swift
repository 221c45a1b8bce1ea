package import AmalgamCore
import CAmalgam

extension Database {
    /// Removes all content of the database: tables, views, triggers, rows, and the settings in the file header.
    ///
    /// Afterwards, the file is that of an empty database. Its journal mode doesn't change. The method also works for
    /// corrupt files, for tables with foreign keys, and for virtual tables whose module isn't registered.
    ///
    /// - Throws: `SQLITE_MISUSE` inside a transaction; `SQLITE_READONLY` if the connection can't write; `SQLITE_BUSY`
    ///   if the database is in use; I/O errors. If an error is thrown, nothing is removed.
    package func erase() throws {
        try checkAccess()
        if isReadOnlyAccess { throw DatabaseError(resultCode: .SQLITE_READONLY) }
        if isInsideTransaction {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "A database cannot be erased inside a transaction.")
        }
        try checkMayWrite()
        clearStatements()
        try replacingContent {
            if try !eraseReadable() { try reset() }
            schemaDidChange()
        }
    }

    /// Erases a database whose header can be read.
    ///
    /// One transaction removes the content and increases the schema version. With an unchanged version, connections that
    /// know the schema would read pages that are gone.
    ///
    /// - Returns: false if the database is corrupt.
    private func eraseReadable() throws -> Bool {
        do {
            _ = try Int32.fetchOne(self, sql: "PRAGMA main.schema_version")
            let code = amalgam_erase(sqliteConnection)
            if code != SQLITE_OK { throw error(code) }
        } catch let error as DatabaseError where Self.corruption.contains(error.resultCode) {
            return false
        }
        // Applies PRAGMA page_size and PRAGMA auto_vacuum, which wait for it. The content is gone even if this fails.
        try? execute(sql: "VACUUM")
        return true
    }

    private static let corruption: [ResultCode] = [.SQLITE_CORRUPT, .SQLITE_NOTADB]

    /// Erases a corrupt database, whose schema other connections can't know:
    /// <https://sqlite.org/c3ref/c_dbconfig_defensive.html>.
    private func reset() throws {
        set(SQLITE_DBCONFIG_RESET_DATABASE, true)
        defer { set(SQLITE_DBCONFIG_RESET_DATABASE, false) }
        try execute(sql: "VACUUM")
    }
}
