import CAmalgam

extension Database {
    /// The rowid of the last inserted row: <https://sqlite.org/c3ref/last_insert_rowid.html>.
    public var lastInsertedRowID: Int64 { sqliteConnection.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed: <https://sqlite.org/c3ref/changes.html>.
    public var changesCount: Int { sqliteConnection.map { Int(sqlite3_changes64($0)) } ?? 0 }

    /// The number of rows changed since the connection was opened: <https://sqlite.org/c3ref/total_changes.html>.
    public var totalChangesCount: Int { sqliteConnection.map { Int(sqlite3_total_changes64($0)) } ?? 0 }

    /// The extended result code of the most recent call of SQLite: <https://sqlite.org/c3ref/errcode.html>.
    /// `SQLITE_MISUSE` if the connection is closed.
    public var lastErrorCode: ResultCode {
        ResultCode(rawValue: sqliteConnection.map { sqlite3_extended_errcode($0) } ?? SQLITE_MISUSE)
    }

    /// The message of the most recent call of SQLite that failed.
    public var lastErrorMessage: String? {
        sqliteConnection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
    }

    /// The encoding of TEXT values: `SQLITE_UTF8`, `SQLITE_UTF16LE` or `SQLITE_UTF16BE`.
    package var textEncoding: CInt { amalgam_encoding(sqliteConnection) }

    /// Releases cached statements and schema information, and frees as much of SQLite's memory as possible:
    /// <https://sqlite.org/c3ref/db_release_memory.html>.
    ///
    /// ```swift
    /// try dbQueue.write { db in db.releaseMemory() }
    /// ```
    public func releaseMemory() {
        guard let sqliteConnection else { return }
        clearStatements()
        schema.cache.removeAll()
        sqlite3_db_release_memory(sqliteConnection)
    }

    /// Returns whether a table belongs to SQLite: its name begins with `sqlite_` or `pragma_`.
    ///
    /// ```swift
    /// Database.isSQLiteInternalTable("sqlite_schema")   // true
    /// Database.isSQLiteInternalTable("player")          // false
    /// ```
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        tableName.hasPrefix("sqlite_") || tableName.hasPrefix("pragma_")
    }

    /// The version of SQLite as a number, such as 3053004.
    public static var sqliteLibVersionNumber: CInt { CInt(SQLiteBuild.versionNumber) }
}
