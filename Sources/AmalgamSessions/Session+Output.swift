import AmalgamCore
import CAmalgam

extension Session {
    /// Returns the changes recorded so far, with old and new values.
    ///
    /// ```swift
    /// let changeset = try session.changeset()
    /// print(changeset)
    /// // INSERT player(1*, "Anna", 10)
    /// // UPDATE team(1*, "Reds" -> "Greens")
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` for a closed session or outside of a database access; an error of SQLite.
    ///
    /// Cost: one query by primary key for each recorded row.
    public func changeset() throws -> Changeset {
        try Changeset(bytes: output { sqlite3session_changeset(try readingPointer(), $0, $1) })
    }

    /// Returns the changes recorded so far, without the old values of columns outside of the primary key.
    ///
    /// ```swift
    /// let patchset = try session.patchset()
    /// ```
    ///
    /// A patchset is smaller than a changeset, and can't be inverted. Applying it doesn't compare old values of rows.
    ///
    /// - Throws: `SQLITE_MISUSE` for a closed session or outside of a database access; an error of SQLite.
    public func patchset() throws -> Patchset {
        try Patchset(bytes: output { sqlite3session_patchset(try readingPointer(), $0, $1) })
    }

    /// Returns the C session for a call that reads tables, after checking that the connection may read.
    private func readingPointer() throws -> OpaquePointer {
        let pointer = try pointer()
        try database.checkMayRead()
        return pointer
    }

    private func output(
        _ function: (UnsafeMutablePointer<CInt>, UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws -> CInt
    ) throws -> ChangesetBytes {
        try endingTransaction {
            try ChangesetBytes { count, bytes in try check(function(count, bytes)) }
        }
    }

    /// Runs a closure that calls a function of SQLite, which opens a savepoint to read rows. If SQLite fails to release
    /// this savepoint, for example because memory is exhausted, the function returns no error, and a transaction
    /// remains open. This method then ends the transaction.
    private func endingTransaction<T>(_ body: () throws -> T) rethrows -> T {
        let wasInsideTransaction = database.isInsideTransaction
        defer {
            if !wasInsideTransaction && database.isInsideTransaction { database.endLeftTransaction() }
        }
        return try body()
    }

    /// Writes the changeset of the changes recorded so far, in chunks. The whole changeset is never in memory.
    ///
    /// ```swift
    /// try session.writeChangeset(to: .file(url))
    /// try session.writeChangeset(to: ChangesetOutput { bytes in try socket.send(bytes) })
    /// ```
    ///
    /// - Throws: the error of the output, or an error of SQLite.
    public func writeChangeset(to output: ChangesetOutput) throws {
        let pointer = try readingPointer()
        try endingTransaction {
            try output.write(onFailure: { database.error($0) }) { sqlite3session_changeset_strm(pointer, $0, $1) }
        }
    }

    /// Writes the patchset of the changes recorded so far, in chunks.
    ///
    /// ```swift
    /// try session.writePatchset(to: .file(url))
    /// ```
    ///
    /// - Throws: the error of the output, or an error of SQLite.
    public func writePatchset(to output: ChangesetOutput) throws {
        let pointer = try readingPointer()
        try endingTransaction {
            try output.write(onFailure: { database.error($0) }) { sqlite3session_patchset_strm(pointer, $0, $1) }
        }
    }

    /// Compares a table in the schema of this session with the table of the same name in another schema. Records the
    /// changes that make the table in the other schema equal to the table in the schema of this session.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH DATABASE 'yesterday.sqlite' AS yesterday")
    /// let session = try Session(db)
    /// try session.recordDifference(from: "yesterday", table: "player")
    /// let changeset = try session.changeset()  // makes yesterday.player equal to main.player
    /// ```
    ///
    /// For a table without a primary key, nothing is recorded unless the session has the option
    /// ``Options/recordsImplicitRowIDs``. `Database.difference(from:to:tables:options:)` compares all tables.
    ///
    /// - Throws: `SQLITE_SCHEMA` if the table doesn't exist in the other schema, or has different columns or a
    ///   different primary key there.
    public func recordDifference(from otherSchemaName: String, table tableName: String) throws {
        try checkName(otherSchemaName)
        try checkName(tableName)
        // SQLite's query can't distinguish two tables in the same schema.
        if otherSchemaName.equalsIgnoringCase(schemaName) { return }
        try database.registerAccess(to: DatabaseRegion(table: tableName))
        var message: UnsafeMutablePointer<CChar>?
        let code = sqlite3session_diff(try readingPointer(), otherSchemaName, tableName, &message)
        defer { sqlite3_free(message) }
        guard code != SQLITE_OK else { return }
        throw message.map { DatabaseError(code: code, message: String(cString: $0)) } ?? database.error(code)
    }
}
