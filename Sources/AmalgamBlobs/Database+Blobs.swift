public import AmalgamCore
import CAmalgam

/// The column that a blob belongs to.
struct BlobLocation {
    let schema: String
    let table: String
    let column: String

    /// The region of the column in one row, which a `ValueObservation` tracks if its fetch opens the blob.
    func region(_ rowID: Int64) -> DatabaseRegion {
        DatabaseRegion(table: table, columns: [column]).tableIntersection(table, rows: KnownRows(rowIDs: [rowID]))
    }

    /// Returns the kind of a write to the column, with table and column names spelled as in the schema.
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
    /// The kind of access to a blob.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "note", column: "attachment", rowID: 1, access: .readWrite)
    /// ```
    public enum BlobAccess: Sendable {
        /// The blob is read only.
        case read
        /// The blob is read and written.
        case readWrite
    }

    /// Opens the BLOB or TEXT value of one row.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
    /// let header = try blob.read(count: 16)
    /// try blob.close()
    /// ```
    ///
    /// Prefer ``withBlob(table:column:rowID:schema:access:_:)``, which closes the blob, and throws an error of closing.
    ///
    /// See <https://sqlite.org/c3ref/blob_open.html>.
    ///
    /// - Parameters:
    ///   - table: a rowid table without generated columns.
    ///   - column: a column with a BLOB or TEXT value in this row. For writing, the column must not be part of an index
    ///     or of a foreign key.
    ///   - rowID: the rowid of the row.
    ///   - schema: `main`, `temp`, or the name of an attached database.
    ///   - access: whether the blob can be written.
    /// - Throws: `SQLITE_ERROR`, with SQLite's message, if the table, column or row doesn't exist, if the value is a
    ///   number or NULL, or if the table or column doesn't meet the conditions above; `SQLITE_READONLY` if the blob
    ///   can't be opened for writing; `SQLITE_BUSY` if another connection writes.
    public func openBlob(
        table: String, column: String, rowID: Int64, schema: String = "main", access: BlobAccess = .read
    ) throws -> DatabaseBlob {
        try DatabaseBlob(
            self, BlobLocation(schema: schema, table: table, column: column), rowID: rowID, access: access)
    }

    /// Opens the BLOB or TEXT value of one row, calls a closure with the blob, and closes the blob.
    ///
    /// ```swift
    /// try dbQueue.inDatabase { db in
    ///     try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
    ///         try blob.write(Data("v2".utf8))
    ///         try blob.write(data, at: 2)
    ///     }
    /// }
    /// ```
    ///
    /// With `.readWrite` outside of a transaction, the closure runs in a new transaction, which is committed at the
    /// end, or rolled back if the closure throws. Inside a transaction, the writes are part of that transaction.
    ///
    /// - Parameters:
    ///   - table: a rowid table without generated columns.
    ///   - column: a column with a BLOB or TEXT value in this row. For writing, the column must not be part of an index
    ///     or of a foreign key.
    ///   - rowID: the rowid of the row.
    ///   - schema: `main`, `temp`, or the name of an attached database.
    ///   - access: whether the blob can be written.
    ///   - body: uses the blob.
    /// - Throws: the error thrown by the closure; the errors of opening the blob, and of the commit.
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

    // MARK: sqlite3_blob

    func openBlob(_ location: BlobLocation, _ rowID: Int64, _ access: BlobAccess) throws -> OpaquePointer {
        try registerAccess(to: location.region(rowID))
        for name in [location.schema, location.table, location.column] { try Self.checkName(name) }
        if access == .readWrite && Self.isSQLiteInternalTable(location.table.lowercased()) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The table \(location.table) is SQLite's own: it may be read only."
            )
        }
        if access == .read {
            try checkMayRead()
        } else {
            try checkMayWrite()
            willOpenWriter()
        }
        var handle: OpaquePointer?
        let code = sqlite3_blob_open(
            sqliteConnection, location.schema, location.table, location.column, rowID, access == .read ? 0 : 1, &handle)
        guard code == SQLITE_OK, let handle else { throw blobFailure(code, error(code)) }
        return handle
    }

    /// Returns the error to throw after a failed call on a blob handle. First notifies the transaction observers,
    /// because the failure ends the statement inside the handle, and this may commit or roll back the transaction.
    func blobFailure(_ code: CInt, _ databaseError: DatabaseError) -> any Error {
        do {
            try didEndRun()
        } catch {
            return error
        }
        return cancellation(code) ?? suspension(code, databaseError) ?? databaseError
    }

    /// Closes a blob handle, and notifies the transaction observers if closing it commits.
    func close(_ handle: OpaquePointer) throws {
        let code = sqlite3_blob_close(handle)
        if code != SQLITE_OK { throw blobFailure(code, error(code)) }
        try didEndRun()
    }

    /// Closes the handle of a deallocated blob. If the current thread can't do this, the next access closes the handle.
    func release(_ handle: OpaquePointer) {
        if mayEndStatements {
            try? close(handle)
        } else {
            deferRelease(of: handle) { sqlite3_blob_close($0) }
        }
    }
}
