import CAmalgam

extension Database {
    /// What a connection holds of a schema: <https://sqlite.org/c3ref/c_txn_none.html>.
    public enum TransactionState: CInt, Sendable {
        /// `SQLITE_TXN_NONE`: nothing. A deferred transaction that has read nothing is in this state.
        case none = 0
        /// `SQLITE_TXN_READ`: one state of the database, for reading.
        case read = 1
        /// `SQLITE_TXN_WRITE`: the write lock.
        case write = 2
    }

    /// What the connection holds of a schema.
    ///
    /// ```swift
    /// try db.inTransaction(.deferred) {
    ///     db.transactionState()                   // .none
    ///     _ = try Row.fetchOne(db, sql: "SELECT * FROM player")
    ///     db.transactionState()                   // .read
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Parameter schema: `main`, `temp`, or the name of an attached database; nil for the most that is held of any.
    /// - Returns: `.none` also when there is no such schema, and when the connection is closed.
    public func transactionState(_ schema: String? = nil) -> TransactionState {
        guard let sqliteConnection, schema?.utf8.contains(0) != true else { return .none }
        return TransactionState(rawValue: sqlite3_txn_state(sqliteConnection, schema)) ?? .none
    }

    /// The path of the file of a schema, as the operating system knows it: absolute, without links.
    ///
    /// - Parameter schema: `main`, or the name of an attached database.
    /// - Returns: nil for a database in memory or a temporary one, when there is no such schema, and when the
    ///   connection is closed.
    ///
    /// See <https://sqlite.org/c3ref/db_filename.html>.
    public func filePath(_ schema: String = "main") -> String? {
        guard let sqliteConnection, !schema.utf8.contains(0),
            let path = sqlite3_db_filename(sqliteConnection, schema), path.pointee != 0
        else { return nil }
        return String(cString: path)
    }

    /// Whether the file of a schema cannot be written, because of how it was opened, or of its permissions:
    /// <https://sqlite.org/c3ref/db_readonly.html>.
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such schema.
    public func isReadOnly(_ schema: String = "main") throws -> Bool {
        try checkAccess()
        try Self.checkName(schema)
        if let isReadOnly = isFileReadOnly(schema) { return isReadOnly }
        // The temporary schema has no file before its first table.
        if schema.equalsIgnoringCase("temp") { return false }
        throw Self.noSchema(schema)
    }

    /// Whether the file of a schema cannot be written; nil when there is no such schema.
    package func isFileReadOnly(_ schema: String) -> Bool? {
        let answer = sqlite3_db_readonly(sqliteConnection, schema)
        return answer < 0 ? nil : answer == 1
    }

    /// Whether other databases are attached.
    package var hasAttachedDatabases: Bool {
        // The first two are the main database and the temporary one.
        sqliteConnection.map { sqlite3_db_name($0, 2) != nil } ?? false
    }

    /// Writes the changed pages of the page cache to the files, in the middle of a transaction:
    /// <https://sqlite.org/c3ref/db_cacheflush.html>.
    ///
    /// - throws: `SQLITE_BUSY` when a lock is not granted; errors of the files.
    public func flushCache() throws {
        try checkAccess()
        try checkMayWrite()
        let code = sqlite3_db_cacheflush(sqliteConnection)
        if code != SQLITE_OK { throw error(code) }
    }

    /// A number that changes with each change of a schema's content, whoever makes it: this connection, another one of
    /// the process, or another process.
    ///
    /// ```swift
    /// let before = try db.dataVersion()
    /// // …
    /// if try db.dataVersion() != before { reload() }
    /// ```
    ///
    /// Two connections have different numbers for the same content: compare those of one connection. `PRAGMA
    /// data_version` is another number, which stays when the connection itself writes. See `SQLITE_FCNTL_DATA_VERSION`
    /// in <https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>.
    ///
    /// - throws: `SQLITE_ERROR` when there is no such schema; errors of the file, which is looked at.
    public func dataVersion(_ schema: String = "main") throws -> Int {
        try checkAccess()
        try Self.checkName(schema)
        // SQLite learns at the beginning of a read what others have written.
        _ = try Int.fetchOne(self, sql: "PRAGMA \(schema.quotedDatabaseIdentifier).data_version")
        var version: UInt32 = 0
        try control(schema, SQLITE_FCNTL_DATA_VERSION, &version)
        return Int(version)
    }

    // MARK: Names

    /// - throws: `SQLITE_MISUSE` for a name that C code would cut.
    package static func checkName(_ name: String) throws {
        if name.utf8.contains(0) {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "A name must not contain a NUL character.")
        }
    }

    /// - throws: `SQLITE_ERROR` when there is no such schema.
    package func checkSchemaExists(_ schema: String) throws {
        guard sqlite3_txn_state(sqliteConnection, schema) >= 0 else {
            throw DatabaseError(message: "no such database: \(schema)")
        }
    }

    static func noSchema(_ schema: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "There is no schema named \(schema).")
    }

    // MARK: sqlite3_file_control: https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html

    /// Whether the WAL file stays when the last connection to a database is closed: `SQLITE_FCNTL_PERSIST_WAL`.
    ///
    /// It must stay, and its index with it, for read-only connections that cannot create them.
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such schema; `SQLITE_NOTFOUND` when its file layer has no such
    ///   setting, as for databases in memory.
    public func persistsWAL(_ schema: String = "main") throws -> Bool {
        var value: CInt = -1
        try fileControl(schema, SQLITE_FCNTL_PERSIST_WAL, &value)
        return value == 1
    }

    /// Sets whether the WAL file stays when the last connection to a database is closed: `SQLITE_FCNTL_PERSIST_WAL`.
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such schema; `SQLITE_NOTFOUND` when its file layer has no such
    ///   setting, as for databases in memory.
    public func setPersistsWAL(_ persists: Bool, schema: String = "main") throws {
        var value: CInt = persists ? 1 : 0
        try fileControl(schema, SQLITE_FCNTL_PERSIST_WAL, &value)
    }

    /// Makes a database file grow and shrink by pieces of a size, in bytes: `SQLITE_FCNTL_CHUNK_SIZE`.
    ///
    /// Larger pieces keep a file that grows steadily in fewer fragments. The setting is the connection's.
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such schema, or when the size is negative or more than 2 GB;
    ///   `SQLITE_NOTFOUND` for a database in memory.
    public func setChunkSize(_ size: Int, schema: String = "main") throws {
        guard var size = CInt(exactly: size), size >= 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The size of a chunk is between 0 and \(CInt.max) bytes.")
        }
        try fileControl(schema, SQLITE_FCNTL_CHUNK_SIZE, &size)
    }

    /// How many bytes of a database file may be read through mapped memory: `SQLITE_FCNTL_MMAP_SIZE`,
    /// <https://sqlite.org/mmap.html>.
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such schema; `SQLITE_NOTFOUND` for a database in memory.
    public func mappedByteLimit(_ schema: String = "main") throws -> Int {
        var size: Int64 = -1
        try fileControl(schema, SQLITE_FCNTL_MMAP_SIZE, &size)
        return Int(size)
    }

    /// The name of the file layer of a schema: `unix`, `memdb(…)` for a deserialized database, or that of a VFS of
    /// yours: `SQLITE_FCNTL_VFSNAME`.
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such schema.
    public func vfsName(_ schema: String = "main") throws -> String? {
        var name: UnsafeMutablePointer<CChar>?
        defer { sqlite3_free(name) }
        try fileControl(schema, SQLITE_FCNTL_VFSNAME, &name)
        return name.map { String(cString: $0) }
    }

    private func fileControl(_ schema: String, _ operation: CInt, _ argument: UnsafeMutableRawPointer) throws {
        try checkAccess()
        try Self.checkName(schema)
        if isFileReadOnly(schema) == nil { throw Self.noSchema(schema) }
        try control(schema, operation, argument)
    }

    package func control(_ schema: String, _ operation: CInt, _ argument: UnsafeMutableRawPointer) throws {
        let code = sqlite3_file_control(sqliteConnection, schema, operation, argument)
        if code != SQLITE_OK { throw DatabaseError(code: code) }
    }
}
