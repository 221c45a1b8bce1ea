public import AmalgamCore
import CAmalgam
public import Foundation

extension Database {
    /// The bytes of a database: those of its file, had it been closed now.
    ///
    /// ```swift
    /// let bytes = try dbQueue.read { try $0.serialize() }
    /// try bytes.write(to: url)
    /// let copy = try DatabaseQueue(deserializing: bytes)
    /// ```
    ///
    /// Inside a transaction, its uncommitted changes are there. A database that never had any content is no byte.
    ///
    /// Each page is copied once: the cost is that of reading the file, and the memory of all of it.
    ///
    /// - Parameter schema: `main`, `temp`, or the name of an attached database.
    /// - throws: `SQLITE_ERROR` when there is no such schema; errors of the file; `SQLITE_NOMEM`.
    public func serialize(schema: String = "main") throws -> Data {
        try checkAccess()
        try Self.checkName(schema)
        // The statement, in the middle of its rows, holds the read lock.
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

    /// Calls a closure with the bytes of a database, without a copy where SQLite has them in one piece: in a
    /// database that was deserialized.
    ///
    /// ```swift
    /// try db.withSerializedBytes { bytes in
    ///     try socket.send(bytes)
    /// }
    /// ```
    ///
    /// The bytes are valid during the call, as long as the closure does not write to the database.
    ///
    /// - Parameter schema: `main`, `temp`, or the name of an attached database.
    /// - throws: the error thrown by the closure; `SQLITE_ERROR` when there is no such schema; errors of the file.
    public func withSerializedBytes<T>(
        schema: String = "main", _ body: (UnsafeRawBufferPointer) throws -> T
    ) throws -> T {
        try checkAccess()
        try Self.checkName(schema)
        try checkMayRead()
        // Changes that are not committed are in the page cache, and not in the bytes.
        if transactionState(schema) != .write {
            var count: Int64 = 0
            if let bytes = sqlite3_serialize(
                sqliteConnection, schema, &count, UInt32(SQLITE_SERIALIZE_NOCOPY)), count >= 0
            {
                return try body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            }
        }
        return try serialize(schema: schema).withUnsafeBytes { try body($0) }
    }
}
