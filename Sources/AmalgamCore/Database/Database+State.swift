import CAmalgam

extension Database {
    /// The rowid of the last inserted row: <https://sqlite.org/c3ref/last_insert_rowid.html>.
    public var lastInsertedRowID: Int64 { sqliteConnection.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed: <https://sqlite.org/c3ref/changes.html>.
    public var changesCount: Int { sqliteConnection.map { Int(sqlite3_changes64($0)) } ?? 0 }

    /// The number of rows changed since the connection was opened: <https://sqlite.org/c3ref/total_changes.html>.
    public var totalChangesCount: Int { sqliteConnection.map { Int(sqlite3_total_changes64($0)) } ?? 0 }

    /// The extended code of the last call of SQLite that failed, or of the last call.
    public var lastErrorCode: ResultCode {
        ResultCode(rawValue: sqliteConnection.map { sqlite3_extended_errcode($0) } ?? SQLITE_MISUSE)
    }

    /// The message of the last call of SQLite that failed.
    public var lastErrorMessage: String? {
        sqliteConnection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
    }

    /// Frees as much memory as possible: <https://sqlite.org/c3ref/db_release_memory.html>.
    public func releaseMemory() {
        guard let sqliteConnection else { return }
        clearStatements()
        schema.cache.removeAll()
        sqlite3_db_release_memory(sqliteConnection)
    }

    /// Whether the table is one of SQLite's own.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        tableName.hasPrefix("sqlite_") || tableName.hasPrefix("pragma_")
    }

    /// The number of the SQLite version, such as 3053004.
    public static var sqliteLibVersionNumber: CInt { sqlite3_libversion_number() }
}
