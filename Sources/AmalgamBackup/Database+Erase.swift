package import AmalgamCore
import CAmalgam

extension Database {
    /// Removes everything from the database: tables, views, triggers, data, settings of the file.
    ///
    /// The file becomes that of a new database, in the same journal mode. This is the only way that works whatever
    /// there is: foreign keys, virtual tables whose module is missing, even damage. See
    /// `SQLITE_DBCONFIG_RESET_DATABASE` in <https://sqlite.org/c3ref/c_dbconfig_defensive.html>.
    ///
    /// - throws: `SQLITE_MISUSE` inside a transaction; `SQLITE_READONLY`; `SQLITE_BUSY` when the database is in use.
    package func erase() throws {
        try checkAccess()
        if isReadOnlyAccess { throw DatabaseError(resultCode: .SQLITE_READONLY) }
        if isInsideTransaction {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "A database cannot be erased inside a transaction.")
        }
        try checkMayWrite()
        // Other connections recognise a new schema by its version, which must be one that they have not seen. A
        // damaged database may have none that can be read.
        let version = (try? Int32.fetchOne(self, sql: "PRAGMA main.schema_version")) ?? 0
        clearStatements()
        try replacingContent {
            try reset()
            schemaDidChange()
        }
        try execute(sql: "PRAGMA main.schema_version = \(version &+ 1)")
    }

    private func reset() throws {
        set(SQLITE_DBCONFIG_RESET_DATABASE, true)
        defer { set(SQLITE_DBCONFIG_RESET_DATABASE, false) }
        try execute(sql: "VACUUM")
    }
}
