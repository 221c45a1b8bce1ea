import AmalgamCore
import CAmalgam
public import Foundation

/// The BLOB or TEXT value of one row, which can be read and written in parts: <https://sqlite.org/c3ref/blob.html>.
///
/// ``Database/withBlob(table:column:rowID:schema:access:_:)`` and
/// ``Database/openBlob(table:column:rowID:schema:access:)`` open blobs.
///
/// ```swift
/// try dbQueue.write { db in
///     // SQL inserts a blob of zeros, which is then overwritten.
///     try db.execute(sql: "INSERT INTO file (id, content) VALUES (1, ?)", arguments: [ZeroBlob(count: 1_000_000)])
///     try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
///         try blob.write([0xCA, 0xFE] as [UInt8], at: 500_000)
///         let bytes = try blob.read(at: 499_999, count: 4)    // 00 CA FE 00
///     }
/// }
/// ```
///
/// A blob has a fixed size. Writes check no constraints, and run no triggers. Transaction observers are notified of
/// each write as an update of the column. Inside a savepoint, consecutive writes to the same blob are one event.
///
/// Like an unfinished statement, an open blob holds a read transaction or, with `.readWrite`, a write transaction.
/// While a blob is open for writing, its transaction can't be committed, and savepoints can't be opened or released.
/// Outside of a transaction, closing the blob commits its writes.
///
/// A blob expires when a statement changes its row, when the transaction is rolled back, at the first write after an
/// `ALTER TABLE`, or at the end of the `read` of a pool that has opened it. Reads and writes then throw `SQLITE_ABORT`,
/// until ``reopen(rowID:)`` opens the blob again.
///
/// A blob can be used only inside a database access of its connection. It may be released on any thread.
public final class DatabaseBlob {
    // All state is guarded by the rule that one thread at a time uses a connection.

    private enum State {
        case open(OpaquePointer)
        case expired
        case closed
    }

    private let database: Database
    private let location: BlobLocation
    private let access: Database.BlobAccess
    private var state = State.closed

    /// The schema stamp, a value that changes with the schema, when the handle was last known to be valid.
    private var schemaStamp = SchemaState.Stamp()

    /// The cached decision whether observers track the column.
    private let observation = BlobObservation()

    /// The rowid of the row.
    public private(set) var rowID: Int64

    /// The size of the value in bytes. The size of a TEXT value depends on the encoding of the database. 0 if the blob
    /// is closed or has expired.
    public private(set) var count = 0

    init(_ database: Database, _ location: BlobLocation, rowID: Int64, access: Database.BlobAccess) throws {
        self.database = database
        self.location = location
        self.rowID = rowID
        self.access = access
        try open(rowID)
    }

    deinit {
        if case .open(let handle) = state { database.release(handle) }
    }

    // MARK: Opening and closing

    /// Moves the blob to the same column of a different row. This is faster than opening another blob.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
    /// var archive = Data()
    /// for id in ids {
    ///     try blob.reopen(rowID: id)
    ///     try archive.append(blob.readAll())
    /// }
    /// ```
    ///
    /// A blob that has expired can be opened again in this way, on the same row or on a different one.
    ///
    /// - Throws: `SQLITE_ERROR` if the row doesn't exist, or if its value is a number or NULL (the blob then expires,
    ///   and can be reopened again); `SQLITE_MISUSE` if the blob is closed.
    public func reopen(rowID: Int64) throws {
        try database.registerAccess(to: location.region(rowID))
        switch state {
        case .closed: throw Self.isClosed
        case .expired: try open(rowID)
        case .open(let handle): try move(handle, rowID)
        }
    }

    private func open(_ rowID: Int64) throws {
        if database.configuration.readonly {
            database.attachment(OpenBlobs.key, orInsert: OpenBlobs()).add(self)
        }
        let handle = try database.openBlob(location, rowID, access)
        database.noticeSchemaChanges()
        schemaStamp = database.schemaStamp
        didOpen(handle, rowID)
    }

    private func move(_ handle: OpaquePointer, _ rowID: Int64) throws {
        let code = sqlite3_blob_reopen(handle, rowID)
        guard code == SQLITE_OK else {
            let error = database.error(code)
            expire(handle)
            throw database.blobFailure(code, error)
        }
        didOpen(handle, rowID)
    }

    private func didOpen(_ handle: OpaquePointer, _ rowID: Int64) {
        state = .open(handle)
        self.rowID = rowID
        count = Int(sqlite3_blob_bytes(handle))
    }

    /// Closes the blob. Outside of a transaction, its writes are committed.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "note", column: "attachment", rowID: 1, access: .readWrite)
    /// try blob.write([1, 2, 3] as [UInt8])
    /// try blob.close()
    /// ```
    ///
    /// Closing a closed blob has no effect. A blob that isn't closed explicitly is closed when it is deallocated, but
    /// an error of the commit is then lost.
    ///
    /// - Throws: errors of the commit, such as the error of an observer that rejects the commit; `SQLITE_MISUSE` in a
    ///   method of an observer that must not use the connection, such as `databaseDidChange(with:)`.
    public func close() throws {
        guard case .open(let handle) = state else { return state = .closed }
        try database.checkMayEndStatements()
        state = .closed
        count = 0
        try database.close(handle)
    }

    /// Closes the handle, if the blob is open.
    func expire() {
        if case .open(let handle) = state { expire(handle) }
    }

    /// Closes the handle of a blob that has expired.
    private func expire(_ handle: OpaquePointer) {
        state = .expired
        count = 0
        sqlite3_blob_close(handle)
    }

    // MARK: Reading

    /// Reads bytes.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "note", column: "attachment", rowID: 1)
    /// let header = try blob.read(count: 16)
    /// let rest = try blob.read(at: 16)
    /// ```
    ///
    /// - Parameters:
    ///   - offset: the position of the first byte.
    ///   - count: the number of bytes. If nil, all bytes from the offset are read.
    /// - Throws: `SQLITE_MISUSE` if the range exceeds the blob, or if the blob is closed; `SQLITE_ABORT` if the blob
    ///   has expired, for example because its row was changed.
    public func read(at offset: Int = 0, count: Int? = nil) throws -> Data {
        let count = count ?? ((0...self.count).contains(offset) ? self.count - offset : 0)
        try check(offset, count)
        if count == 0 { return Data() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        do {
            try read(into: buffer, at: offset)
        } catch {
            buffer.deallocate()
            throw error
        }
        return Data(
            bytesNoCopy: buffer.baseAddress!, count: count, deallocator: .custom { bytes, _ in bytes.deallocate() })
    }

    /// Fills a buffer of the caller with bytes of the blob.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "note", column: "attachment", rowID: 1)
    /// try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
    ///     try blob.read(into: buffer)
    /// }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the blob has too few bytes, or is closed; `SQLITE_ABORT` if the blob has expired,
    ///   for example because its row was changed.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int = 0) throws {
        let handle = try check(offset, buffer.count)
        if buffer.count == 0 { return }
        try finish(
            handle, sqlite3_blob_read(handle, buffer.baseAddress, CInt(buffer.count), CInt(truncatingIfNeeded: offset)))
    }

    // MARK: Writing

    /// Overwrites bytes.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "note", column: "attachment", rowID: 1, access: .readWrite)
    /// try blob.write([0xCA, 0xFE] as [UInt8], at: 100)
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the bytes exceed the blob, whose size is fixed, or if the blob is closed;
    ///   `SQLITE_READONLY` if the blob wasn't opened for writing; `SQLITE_ABORT` if the blob has expired, for example
    ///   because its row was changed.
    public func write(_ bytes: some ContiguousBytes, at offset: Int = 0) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    /// Overwrites bytes.
    ///
    /// - Throws: `SQLITE_MISUSE` if the bytes exceed the blob, whose size is fixed, or if the blob is closed;
    ///   `SQLITE_READONLY` if the blob wasn't opened for writing; `SQLITE_ABORT` if the blob has expired, for example
    ///   because its row was changed.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) throws {
        try check(offset, bytes.count)
        if access == .read {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "The blob was not opened for writing: open it with .readWrite.")
        }
        if database.isReadOnlyAccess { throw DatabaseError(resultCode: .SQLITE_READONLY) }
        if bytes.isEmpty { return }
        try database.checkMayWrite()
        try database.observingWrite(
            of: bytes, at: offset, rowID: rowID, observation, location.eventKind(in: database)
        ) {
            let handle = try currentHandle()
            let code = sqlite3_blob_write(
                handle, bytes.baseAddress, CInt(bytes.count), CInt(truncatingIfNeeded: offset))
            try finish(handle, code)
        }
    }

    // MARK: Checks

    @discardableResult
    private func check(_ offset: Int, _ count: Int) throws -> OpaquePointer {
        try database.checkAccess()
        switch state {
        case .closed: throw Self.isClosed
        case .expired: throw Self.hasExpired
        case .open(let handle):
            guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "The blob has \(self.count) bytes: there are no \(count) bytes at offset \(offset).")
            }
            return handle
        }
    }

    /// Returns the handle for a write. During the write, SQLite uses the handle's pointer to the table. Throws
    /// `SQLITE_ABORT` if a schema change has invalidated this pointer.
    private func currentHandle() throws -> OpaquePointer {
        guard case .open(let handle) = state else { throw Self.hasExpired }
        database.noticeSchemaChanges()
        if schemaStamp == database.schemaStamp { return handle }
        guard amalgam_blob_is_current(handle, location.table) != 0 else {
            expire(handle)
            throw database.blobFailure(SQLITE_ABORT, Self.hasExpired)
        }
        schemaStamp = database.schemaStamp
        return handle
    }

    private func finish(_ handle: OpaquePointer, _ code: CInt) throws {
        if code == SQLITE_OK { return }
        let isExpired = ResultCode(rawValue: code).primaryResultCode == .SQLITE_ABORT
        let error = isExpired ? Self.hasExpired : database.error(code)
        if isExpired { expire(handle) }
        throw database.blobFailure(code, error)
    }

    private static var isClosed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "The blob is closed.")
    }

    private static var hasExpired: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: """
                The blob has expired, because its row or its table has changed, or its transaction was rolled back, or \
                its read has ended: open it again with reopen(rowID:).
                """)
    }
}
