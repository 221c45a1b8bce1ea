import AmalgamCore
import CAmalgam
public import Foundation

/// A blob or text of one row, read and written in parts: <https://sqlite.org/c3ref/blob.html>.
///
/// Get one from ``Database/withBlob(table:column:rowID:schema:access:_:)``, or from
/// ``Database/openBlob(table:column:rowID:schema:access:)``.
///
/// ```swift
/// try dbQueue.write { db in
///     // The room is made by SQL, and filled through the blob.
///     try db.execute(sql: "INSERT INTO file (id, content) VALUES (1, ?)", arguments: [ZeroBlob(count: 1_000_000)])
///     try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
///         try blob.write([0xCA, 0xFE], at: 500_000)
///         let bytes = try blob.read(at: 499_999, count: 4)    // 00 CA FE 00
///     }
/// }
/// ```
///
/// The size cannot change. Writing checks no constraint, and runs no trigger. Transaction observers hear of each write
/// as of an update of the column: an event in a savepoint stands for all writes through the blob that follow each
/// other.
///
/// A blob is in use until it is closed, like a statement in the middle of its rows: it holds a read transaction, or
/// with `.readWrite` a write transaction. While it is open for writing, its transaction cannot be committed, and no
/// savepoint can be opened or released. Outside of a transaction, what was written is committed when the blob is
/// closed.
///
/// A blob expires when a statement changes its row, or when the transaction is rolled back: then reading and writing
/// throw `SQLITE_ABORT`, until it is opened again with ``reopen(rowID:)``. After `ALTER TABLE`, writing does so as well.
///
/// A blob belongs to its connection, and is used where that connection may be used. It may be released on any thread.
public final class DatabaseBlob {
    // Guarded, as all of this type, by the rule that a connection is used from one thread at a time.

    private enum State {
        case open(OpaquePointer)
        case expired
        case closed
    }

    private let database: Database
    private let location: BlobLocation
    private let access: Database.BlobAccess
    private var state = State.closed

    /// The state of the schemas that the handle is known to be valid for.
    private var schemaStamp = SchemaState.Stamp()

    /// What observers are asked about.
    private let observation = BlobObservation()

    /// The row.
    public private(set) var rowID: Int64

    /// The number of bytes, in the encoding of the database for a text; 0 once the blob has expired.
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

    /// Moves to the same column of another row, which is faster than opening another blob.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
    /// for id in ids {
    ///     try blob.reopen(rowID: id)
    ///     try archive.append(blob.readAll())
    /// }
    /// ```
    ///
    /// A blob that has expired is opened again, with its own row or with another one.
    ///
    /// - throws: `SQLITE_ERROR` when there is no such row, or when its value is a number or NULL: the blob has expired
    ///   then, and may be reopened; `SQLITE_MISUSE` once the blob is closed.
    public func reopen(rowID: Int64) throws {
        try database.checkAccess()
        switch state {
        case .closed: throw Self.isClosed
        case .expired: try open(rowID)
        case .open(let handle): try move(handle, rowID)
        }
    }

    private func open(_ rowID: Int64) throws {
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

    /// Ends the use of the blob, and commits what was written outside of a transaction.
    ///
    /// Closing twice does nothing. A blob that is released is closed, and an error of its commit is lost.
    ///
    /// - Throws: errors of the commit, such as that of an observer that refuses it; `SQLITE_MISUSE` in the methods of
    ///   observers that are called for each row.
    public func close() throws {
        guard case .open(let handle) = state else { return state = .closed }
        try database.checkMayEndStatements()
        state = .closed
        count = 0
        try database.close(handle)
    }

    /// SQLite has ended the use of the blob.
    private func expire(_ handle: OpaquePointer) {
        state = .expired
        count = 0
        sqlite3_blob_close(handle)
    }

    // MARK: Reading

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - offset: the position of the first byte.
    ///   - count: how many bytes are read; all that follow when nil.
    /// - throws: `SQLITE_MISUSE` when the blob has no such bytes; `SQLITE_ABORT` when it has expired.
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

    /// Reads bytes into memory of the caller, which fills.
    ///
    /// - throws: `SQLITE_MISUSE` when the blob has fewer bytes; `SQLITE_ABORT` when it has expired.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int = 0) throws {
        let handle = try check(offset, buffer.count)
        if buffer.count == 0 { return }
        try finish(
            handle, sqlite3_blob_read(handle, buffer.baseAddress, CInt(buffer.count), CInt(truncatingIfNeeded: offset)))
    }

    // MARK: Writing

    /// Writes bytes over those that are there.
    ///
    /// - throws: `SQLITE_MISUSE` when the bytes do not fit in the blob, which does not grow; `SQLITE_READONLY` when it
    ///   was not opened for writing; `SQLITE_ABORT` when it has expired.
    public func write(_ bytes: some ContiguousBytes, at offset: Int = 0) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    /// Writes bytes over those that are there.
    ///
    /// - throws: `SQLITE_MISUSE` when the bytes do not fit in the blob, which does not grow; `SQLITE_READONLY` when it
    ///   was not opened for writing; `SQLITE_ABORT` when it has expired.
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

    /// The handle, whose pointer to its table SQLite passes on when it writes.
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
                The blob has expired, because its row or its table has changed, or its transaction was rolled back: \
                open it again with reopen(rowID:).
                """)
    }
}
