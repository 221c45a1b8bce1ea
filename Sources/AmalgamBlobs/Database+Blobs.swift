public import AmalgamCore
import CAmalgam

/// A column of a table, whose values are opened as blobs.
struct BlobLocation {
    let schema: String
    let table: String
    let column: String

    /// What a write to the column does, with the names that the schema has for it.
    func eventKind(in db: Database) throws -> DatabaseEventKind {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT t.name, c.name FROM \(schema.quotedDatabaseIdentifier).sqlite_master AS t,
                  pragma_table_info(t.name, ?) AS c
                WHERE t.type = 'table' AND t.name = ? COLLATE NOCASE AND c.name = ? COLLATE NOCASE
                """, arguments: [schema, table, column])
        return .update(tableName: row?[0] ?? table, columnNames: [row?[1] ?? column])
    }
}

extension Database {
    /// What a blob is opened for.
    public enum BlobAccess: Sendable {
        /// Reading.
        case read
        /// Reading and writing.
        case readWrite
    }

    /// Opens the blob or text of one row.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
    /// let header = try blob.read(count: 16)
    /// try blob.close()
    /// ```
    ///
    /// Prefer ``withBlob(table:column:rowID:schema:access:_:)``, which closes the blob, and tells the error of that.
    ///
    /// - Parameters:
    ///   - table: a table with rowids, without generated columns.
    ///   - column: a column that holds a blob or a text in this row. For writing, it must not be indexed, nor refer to
    ///     another table.
    ///   - rowID: the rowid of the row.
    ///   - schema: `main`, `temp`, or the name of an attached database.
    /// - throws: `SQLITE_ERROR`, with SQLite's message, when there is no such table, column or row, or when the column
    ///   or its value does not fit; `SQLITE_READONLY` for writing where it is not allowed; `SQLITE_BUSY` when another
    ///   connection writes.
    ///
    /// See <https://sqlite.org/c3ref/blob_open.html>.
    public func openBlob(
        table: String, column: String, rowID: Int64, schema: String = "main", access: BlobAccess = .read
    ) throws -> DatabaseBlob {
        try DatabaseBlob(
            self, BlobLocation(schema: schema, table: table, column: column), rowID: rowID, access: access)
    }

    /// Calls a closure with the blob or text of one row, and closes it.
    ///
    /// ```swift
    /// try dbQueue.inDatabase { db in
    ///     try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
    ///         try blob.write(header)
    ///         try blob.write(body, at: header.count)
    ///     }
    /// }
    /// ```
    ///
    /// Outside of a transaction, what the closure writes is one: it is committed at the end, and undone by an error.
    /// Inside of a transaction, the transaction decides.
    ///
    /// - Parameters: as of ``openBlob(table:column:rowID:schema:access:)``.
    /// - throws: the error thrown by the closure; the errors of opening, and of the commit.
    @discardableResult
    public func withBlob<T>(
        table: String, column: String, rowID: Int64, schema: String = "main", access: BlobAccess = .read,
        _ body: (DatabaseBlob) throws -> T
    ) throws -> T {
        let location = BlobLocation(schema: schema, table: table, column: column)
        guard access == .readWrite, !isInsideTransaction else {
            return try use(DatabaseBlob(self, location, rowID: rowID, access: access), body)
        }
        var result: T?
        try inTransaction(.immediate) {
            result = try use(DatabaseBlob(self, location, rowID: rowID, access: access), body)
            return .commit
        }
        return result!
    }

    private func use<T>(_ blob: DatabaseBlob, _ body: (DatabaseBlob) throws -> T) throws -> T {
        do {
            let result = try body(blob)
            try blob.close()
            return result
        } catch {
            try? blob.close()
            throw error
        }
    }

    // MARK: SQLite's object

    func openBlob(_ location: BlobLocation, _ rowID: Int64, _ access: BlobAccess) throws -> OpaquePointer {
        try checkAccess()
        for name in [location.schema, location.table, location.column] { try Self.checkName(name) }
        if access == .readWrite && Self.isSQLiteInternalTable(location.table.lowercased()) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The table \(location.table) is SQLite's own: it may be read only."
            )
        }
        try access == .read ? checkMayRead() : checkMayWrite()
        var handle: OpaquePointer?
        let code = sqlite3_blob_open(
            sqliteConnection, location.schema, location.table, location.column, rowID, access == .read ? 0 : 1, &handle)
        guard code == SQLITE_OK, let handle else { throw blobFailure(code, error(code)) }
        return handle
    }

    /// The error of a call about a blob, once observers know what became of the transaction: a handle that fails ends
    /// the statement that it holds, and may commit or roll back so.
    func blobFailure(_ code: CInt, _ databaseError: DatabaseError) -> any Error {
        do {
            try didEndRun()
        } catch {
            return error
        }
        return cancellation(code) ?? suspension(code, databaseError) ?? databaseError
    }

    /// Closes a handle, and tells observers when this was a commit.
    func close(_ handle: OpaquePointer) throws {
        let code = sqlite3_blob_close(handle)
        if code != SQLITE_OK { throw blobFailure(code, error(code)) }
        try didEndRun()
    }

    /// Closes a handle that is released, now or at the next access.
    func release(_ handle: OpaquePointer) {
        if mayEndStatements {
            try? close(handle)
        } else {
            deferRelease(of: handle) { sqlite3_blob_close($0) }
        }
    }
}
