import CAmalgam

extension Database {
    /// The state of a connection's transaction on a schema: <https://sqlite.org/c3ref/c_txn_none.html>.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     let isWriting = db.transactionState("main") == .write   // true
    /// }
    /// ```
    public enum TransactionState: CInt, Sendable {
        /// `SQLITE_TXN_NONE`: no transaction, or a deferred one that hasn't read yet.
        case none = 0
        /// `SQLITE_TXN_READ`: a read transaction.
        case read = 1
        /// `SQLITE_TXN_WRITE`: a write transaction, which holds the write lock.
        case write = 2
    }

    /// Returns the state of the connection's transaction on a schema.
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
    /// - Parameter schema: `main`, `temp`, or the name of an attached database. With nil, the highest state of all
    ///   schemas.
    /// - Returns: The state; `.none` if there is no such schema, or if the connection is closed.
    public func transactionState(_ schema: String? = nil) -> TransactionState {
        guard let sqliteConnection, schema?.utf8.contains(0) != true else { return .none }
        return TransactionState(rawValue: sqlite3_txn_state(sqliteConnection, schema)) ?? .none
    }

    /// Returns the absolute path of a schema's file, with symbolic links resolved.
    ///
    /// ```swift
    /// let path = db.filePath()   // /path/to/db.sqlite
    /// ```
    ///
    /// - Parameter schema: `main`, or the name of an attached database.
    /// - Returns: The path; nil if the database is temporary or in memory, if there is no such schema, or if the
    ///   connection is closed.
    ///
    /// See <https://sqlite.org/c3ref/db_filename.html>.
    public func filePath(_ schema: String = "main") -> String? {
        guard let sqliteConnection, !schema.utf8.contains(0),
            let path = sqlite3_db_filename(sqliteConnection, schema), path.pointee != 0
        else { return nil }
        return String(cString: path)
    }

    /// Returns whether the file of a schema can't be written, because it was opened read-only, or because of its
    /// permissions: <https://sqlite.org/c3ref/db_readonly.html>.
    ///
    /// ```swift
    /// if try db.isReadOnly() { print("\(db.filePath() ?? "") can't be written") }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such schema, or outside of a database access.
    public func isReadOnly(_ schema: String = "main") throws -> Bool {
        try checkAccess()
        try Self.checkName(schema)
        if let isReadOnly = isFileReadOnly(schema) { return isReadOnly }
        // The temporary schema has no file until its first table is created.
        if schema.equalsIgnoringCase("temp") { return false }
        throw Self.noSchema(schema)
    }

    /// Returns whether the file of a schema can't be written, or nil if there is no such schema.
    package func isFileReadOnly(_ schema: String) -> Bool? {
        let answer = sqlite3_db_readonly(sqliteConnection, schema)
        return answer < 0 ? nil : answer == 1
    }

    /// Whether other databases are attached.
    package var hasAttachedDatabases: Bool {
        // The first two databases are the main one and the temporary one.
        sqliteConnection.map { sqlite3_db_name($0, 2) != nil } ?? false
    }

    /// Writes the changed pages of the page cache to the files, during a transaction:
    /// <https://sqlite.org/c3ref/db_cacheflush.html>.
    ///
    /// ```swift
    /// try db.inTransaction {
    ///     try db.execute(sql: "UPDATE player SET score = 0")
    ///     try db.flushCache()
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Throws: `SQLITE_BUSY` if another connection holds a lock; `SQLITE_MISUSE` outside of a database access; I/O
    ///   errors.
    public func flushCache() throws {
        try checkAccess()
        try checkMayWrite()
        let code = sqlite3_db_cacheflush(sqliteConnection)
        if code != SQLITE_OK { throw error(code) }
    }

    /// Returns a number that changes when the content of a schema changes, by this connection, by other connections in
    /// the process, or by other processes.
    ///
    /// ```swift
    /// let before = try dbQueue.read { db in try db.dataVersion() }
    /// try dbQueue.write { db in try db.execute(sql: "UPDATE player SET score = 0") }
    /// let hasChanged = try dbQueue.read { db in try db.dataVersion() } != before   // true
    /// ```
    ///
    /// Compare only numbers from the same connection: two connections have different numbers for the same content.
    /// Unlike the number of `PRAGMA data_version`, this number also changes when the connection itself writes. See
    /// `SQLITE_FCNTL_DATA_VERSION` in <https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>.
    ///
    /// - Throws: `SQLITE_ERROR` if there is no such schema; errors of reading the file.
    public func dataVersion(_ schema: String = "main") throws -> Int {
        try checkAccess()
        try Self.checkName(schema)
        // At the beginning of a read, SQLite detects the changes of other connections.
        _ = try Int.fetchOne(self, sql: "PRAGMA \(schema.quotedDatabaseIdentifier).data_version")
        var version: UInt32 = 0
        try control(schema, SQLITE_FCNTL_DATA_VERSION, &version)
        return Int(version)
    }

    // MARK: Names

    /// - Throws: `SQLITE_MISUSE` if a name contains a NUL character, at which C code would cut it.
    package static func checkName(_ name: String) throws {
        if name.utf8.contains(0) {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "A name must not contain a NUL character.")
        }
    }

    /// - Throws: `SQLITE_ERROR` if there is no such schema.
    package func checkSchemaExists(_ schema: String) throws {
        guard sqlite3_txn_state(sqliteConnection, schema) >= 0 else {
            throw DatabaseError(message: "no such database: \(schema)")
        }
    }

    static func noSchema(_ schema: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "There is no schema named \(schema).")
    }

    // MARK: sqlite3_file_control: https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html

    /// Returns whether the WAL file remains when the last connection to a database is closed:
    /// `SQLITE_FCNTL_PERSIST_WAL`.
    ///
    /// A read-only connection to a database in WAL mode needs the WAL file and the WAL index (`-wal` and `-shm`). If
    /// the connection can't create these files, they must remain.
    ///
    /// ```swift
    /// try db.setPersistsWAL(true)
    /// let remains = try db.persistsWAL()   // true
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such schema; `SQLITE_NOTFOUND` if the VFS of the schema doesn't support
    ///   the setting, as for databases in memory.
    public func persistsWAL(_ schema: String = "main") throws -> Bool {
        var value: CInt = -1
        try fileControl(schema, SQLITE_FCNTL_PERSIST_WAL, &value)
        return value == 1
    }

    /// Sets whether the WAL file remains when the last connection to a database is closed: `SQLITE_FCNTL_PERSIST_WAL`.
    ///
    /// ```swift
    /// try db.setPersistsWAL(true)
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such schema; `SQLITE_NOTFOUND` if the VFS of the schema doesn't support
    ///   the setting, as for databases in memory.
    public func setPersistsWAL(_ persists: Bool, schema: String = "main") throws {
        var value: CInt = persists ? 1 : 0
        try fileControl(schema, SQLITE_FCNTL_PERSIST_WAL, &value)
    }

    /// Sets the size of the chunks, in bytes, by which a database file grows and shrinks: `SQLITE_FCNTL_CHUNK_SIZE`.
    ///
    /// ```swift
    /// try db.setChunkSize(1_048_576)
    /// ```
    ///
    /// With larger chunks, a file that grows steadily has fewer fragments. The setting applies to this connection only.
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such schema, or if the size is negative or more than 2 GB;
    ///   `SQLITE_NOTFOUND` for a database in memory.
    public func setChunkSize(_ size: Int, schema: String = "main") throws {
        guard var size = CInt(exactly: size), size >= 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The size of a chunk is between 0 and \(CInt.max) bytes.")
        }
        try fileControl(schema, SQLITE_FCNTL_CHUNK_SIZE, &size)
    }

    /// Returns the maximum number of bytes of a database file that are read through memory mapping:
    /// `SQLITE_FCNTL_MMAP_SIZE`, <https://sqlite.org/mmap.html>.
    ///
    /// ```swift
    /// let limit = try db.mappedByteLimit()   // the value of PRAGMA mmap_size
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such schema; `SQLITE_NOTFOUND` for a database in memory.
    public func mappedByteLimit(_ schema: String = "main") throws -> Int {
        var size: Int64 = -1
        try fileControl(schema, SQLITE_FCNTL_MMAP_SIZE, &size)
        return Int(size)
    }

    /// Returns the name of a schema's VFS, such as `unix`, `memdb(…)` for a deserialized database, or an application's
    /// VFS: `SQLITE_FCNTL_VFSNAME`.
    ///
    /// ```swift
    /// let name = try db.vfsName()
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such schema.
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
