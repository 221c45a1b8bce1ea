public import AmalgamCore
import CAmalgam
public import Foundation

extension Database {
    /// Replaces the content of an in-memory database with that of a serialized database.
    ///
    /// ```swift
    /// try dbQueue.inDatabase { db in
    ///     try db.execute(sql: "ATTACH DATABASE ':memory:' AS received")
    ///     try db.deserialize(data, schema: "received")
    ///     let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM received.player")
    /// }
    /// ```
    ///
    /// The bytes are those of a database file, or the result of ``serialize(schema:)``. The method copies the bytes.
    /// Empty data is an empty database. The WAL mode of a serialized database isn't preserved, because in-memory
    /// databases have no WAL file.
    ///
    /// The header and the schema are checked before the content is replaced. Other corruption is reported by later
    /// statements, as `SQLITE_CORRUPT`. Check bytes from an untrusted source with `PRAGMA integrity_check`, and set
    /// `PRAGMA trusted_schema` to 0: see <https://sqlite.org/security.html>. Transaction observers are notified with
    /// ``TransactionObserver/databaseDidChange()`` and ``TransactionObserver/databaseDidCommit(_:)``.
    ///
    /// See <https://sqlite.org/c3ref/deserialize.html>.
    ///
    /// - Parameters:
    ///   - bytes: a serialized database.
    ///   - schema: `main`, or the name of an attached in-memory database.
    ///   - readonly: whether writes throw `SQLITE_READONLY`.
    ///   - maximumSize: the maximum size of the database in bytes. Writes beyond it throw `SQLITE_FULL`. If nil,
    ///     SQLite's default of 1 GB applies.
    /// - Throws: `SQLITE_NOTADB` or `SQLITE_CORRUPT` if the bytes aren't a database (the content isn't replaced);
    ///   `SQLITE_MISUSE` if the schema is a file or `temp`, doesn't exist, or is in use; `SQLITE_NOMEM`.
    public func deserialize(
        _ bytes: Data, schema: String = "main", readonly: Bool = false, maximumSize: Int? = nil
    ) throws {
        try checkAccess()
        try checkCanDeserialize(schema)
        try checkMayWrite()
        let image = try DatabaseImage(bytes)
        try image.check()
        try replacingContent {
            try image.open(sqliteConnection, schema, isReadonly: readonly)
            expireStatements()
            contentEncodingMayHaveChanged()
            schemaDidChange()
        }
        if let maximumSize { try setMaximumSize(maximumSize, schema) }
    }

    private func checkCanDeserialize(_ schema: String) throws {
        try Self.checkName(schema)
        if isReadOnlyAccess { throw DatabaseError(resultCode: .SQLITE_READONLY) }
        if let defect = deserializeDefect(schema) {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: defect)
        }
    }

    private func deserializeDefect(_ schema: String) -> String? {
        if schema.equalsIgnoringCase("temp") { return "The temp schema cannot be deserialized." }
        if isFileReadOnly(schema) == nil { return "There is no schema named \(schema)." }
        if let path = filePath(schema) {
            return """
                The schema \(schema) is the file \(path): deserialize into a database in memory, or into one attached \
                with ATTACH DATABASE ':memory:'
                """
        }
        if isInsideTransaction { return "A database cannot be deserialized inside a transaction." }
        if transactionState(schema) != TransactionState.none { return "A statement uses the schema \(schema)." }
        return nil
    }

    private func setMaximumSize(_ size: Int, _ schema: String) throws {
        var size = Int64(max(0, size))
        try control(schema, SQLITE_FCNTL_SIZE_LIMIT, &size)
    }

    /// Returns the bytes that the database file would have if the database were closed now.
    ///
    /// ```swift
    /// let bytes = try dbQueue.read { try $0.serialize() }
    /// try bytes.write(to: url)
    /// let copy = try DatabaseQueue(deserializing: bytes)
    /// ```
    ///
    /// Uncommitted changes of the current transaction are included. A database that never had any content has 0 bytes.
    /// The bytes of an encrypted database aren't encrypted.
    ///
    /// The method takes about as long as reading the file once, and needs as much memory as the file has bytes.
    ///
    /// - Parameter schema: `main`, `temp`, or the name of an attached database.
    /// - Throws: `SQLITE_ERROR` if the schema doesn't exist; I/O errors; `SQLITE_NOMEM`.
    public func serialize(schema: String = "main") throws -> Data {
        try checkAccess()
        try Self.checkName(schema)
        try registerAccess(to: DatabaseRegion.fullDatabase)
        // The statement isn't finished, so it holds the read lock while the pages are copied.
        let pageCounts = try Int.fetchCursor(self, sql: "PRAGMA \(schema.quotedDatabaseIdentifier).page_count")
        let pageCount = try pageCounts.next() ?? 0
        return try withExtendedLifetime(pageCounts) { try copyPages(schema, count: pageCount) }
    }

    private func copyPages(_ schema: String, count: Int) throws -> Data {
        let size = Int(amalgam_page_size(sqliteConnection, schema)) * count
        if size == 0 { return Data() }
        guard let memory = sqlite3_malloc64(UInt64(size)) else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        let code = amalgam_copy_pages(sqliteConnection, schema, memory, CInt(clamping: count))
        guard code == SQLITE_OK else {
            sqlite3_free(memory)
            throw error(code)
        }
        return Data(bytesNoCopy: memory, count: size, deallocator: .custom { memory, _ in sqlite3_free(memory) })
    }

    /// Calls a closure with the bytes of a database.
    ///
    /// If the content was set with ``deserialize(_:schema:readonly:maximumSize:)``, SQLite holds the database in one
    /// block of memory, and the closure receives this block. For all other databases, and in a write transaction, the
    /// closure receives a copy: the result of ``serialize(schema:)``.
    ///
    /// ```swift
    /// let file = try FileHandle(forWritingTo: url)
    /// try db.withSerializedBytes { bytes in
    ///     try file.write(contentsOf: bytes)
    /// }
    /// ```
    ///
    /// The bytes are valid until the closure returns, or writes to the database. In the closure, closing the connection
    /// throws `SQLITE_BUSY`, and detaching or deserializing the database throws an error, too.
    ///
    /// - Parameters:
    ///   - schema: `main`, `temp`, or the name of an attached database.
    ///   - body: receives the bytes.
    /// - Throws: the error thrown by the closure; `SQLITE_ERROR` if the schema doesn't exist; I/O errors.
    public func withSerializedBytes<T>(
        schema: String = "main", _ body: (UnsafeRawBufferPointer) throws -> T
    ) throws -> T {
        try checkAccess()
        try Self.checkName(schema)
        try checkMayRead()
        try registerAccess(to: DatabaseRegion.fullDatabase)
        // Uncommitted changes are in the page cache, and not in the block of memory.
        if transactionState(schema) != .write {
            var count: Int64 = 0
            if let bytes = sqlite3_serialize(
                sqliteConnection, schema, &count, UInt32(SQLITE_SERIALIZE_NOCOPY)), count >= 0
            {
                return try whileReading(schema) { try body(UnsafeRawBufferPointer(start: bytes, count: Int(count))) }
            }
        }
        return try serialize(schema: schema).withUnsafeBytes { try body($0) }
    }

    /// Runs a closure while a statement reads a schema. SQLite neither closes the connection nor detaches the schema then,
    /// so it doesn't free the bytes of the schema.
    private func whileReading<T>(_ schema: String, _ body: () throws -> T) throws -> T {
        let pageCounts = try Int.fetchCursor(self, sql: "PRAGMA \(schema.quotedDatabaseIdentifier).page_count")
        _ = try pageCounts.next()
        return try withExtendedLifetime(pageCounts) { try body() }
    }
}

/// The bytes of a database, in memory allocated by SQLite. This object owns the memory until ``open(_:_:isReadonly:)``.
private final class DatabaseImage {
    private var memory: UnsafeMutablePointer<UInt8>?
    private let count: Int

    init(_ bytes: Data) throws {
        count = bytes.count
        // SQLite requires an address, even for 0 bytes.
        guard let memory = sqlite3_malloc64(UInt64(max(count, 1))) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
        bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
        Self.leaveWAL(buffer)
        self.memory = memory.assumingMemoryBound(to: UInt8.self)
    }

    deinit { sqlite3_free(memory) }

    /// Changes the journal mode in a file header from WAL to rollback: bytes 18 and 19 are 2 in WAL mode, and 1
    /// otherwise. See <https://sqlite.org/fileformat2.html>.
    private static func leaveWAL(_ bytes: UnsafeMutableRawBufferPointer) {
        guard bytes.count >= 100 else { return }
        for offset in 18...19 where bytes[offset] == 2 { bytes[offset] = 1 }
    }

    /// Checks that the bytes are a database, by reading the schema on a temporary connection.
    func check() throws {
        var connection: SQLiteConnection?
        defer { sqlite3_close_v2(connection) }
        let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE
        var code = sqlite3_open_v2(":memory:", &connection, flags, nil)
        if code == SQLITE_OK {
            code = sqlite3_deserialize(
                connection, "main", memory, Int64(count), Int64(count), UInt32(SQLITE_DESERIALIZE_READONLY))
        }
        if code == SQLITE_OK {
            code = sqlite3_exec(connection, "SELECT rootpage FROM sqlite_master LIMIT 1", nil, nil, nil)
        }
        guard code == SQLITE_OK else {
            throw DatabaseError(code: code, message: connection.map { String(cString: sqlite3_errmsg($0)) })
        }
        if count % Int(max(1, amalgam_page_size(connection, "main"))) != 0 {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "the bytes are not a whole number of database pages")
        }
    }

    /// Transfers the bytes to a connection, which frees them.
    func open(_ connection: SQLiteConnection?, _ schema: String, isReadonly: Bool) throws {
        var flags = SQLITE_DESERIALIZE_FREEONCLOSE
        flags |= isReadonly ? SQLITE_DESERIALIZE_READONLY : SQLITE_DESERIALIZE_RESIZEABLE
        let given = memory
        memory = nil
        let code = amalgam_deserialize(connection, schema, given, Int64(count), UInt32(flags))
        guard code == SQLITE_OK else {
            throw DatabaseError(code: code, message: connection.map { String(cString: sqlite3_errmsg($0)) })
        }
    }
}
