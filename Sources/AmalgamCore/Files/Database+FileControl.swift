import CAmalgam

// What SQLite's file layer is asked through sqlite3_file_control:
// https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html.

extension Database {
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
