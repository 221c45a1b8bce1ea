import AmalgamCore
import CAmalgam

extension Session {
    /// The changes recorded so far, with old and new values.
    ///
    /// ```swift
    /// let changeset = try session.changeset()
    /// print(changeset)
    /// // INSERT player(1*, "Anna", 10)
    /// // UPDATE team(1*, "Reds" -> "Greens")
    /// ```
    ///
    /// Cost: one query by primary key for each recorded row.
    public func changeset() throws -> Changeset {
        try Changeset(bytes: output { sqlite3session_changeset(try readingPointer(), $0, $1) })
    }

    /// The changes recorded so far, without the old values that are not part of a primary key.
    ///
    /// A patchset is smaller than a changeset. It cannot be inverted, and applying it does not notice that a row has
    /// other values than the sender's.
    public func patchset() throws -> Patchset {
        try Patchset(bytes: output { sqlite3session_patchset(try readingPointer(), $0, $1) })
    }

    /// The pointer, for a call that reads tables.
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

    /// SQLite reads the rows in a savepoint, and does not look whether it could release it: without memory it stays
    /// open, as a transaction in which nothing was written.
    private func endingTransaction<T>(_ body: () throws -> T) rethrows -> T {
        let wasInsideTransaction = database.isInsideTransaction
        defer {
            if !wasInsideTransaction && database.isInsideTransaction { database.endLeftTransaction() }
        }
        return try body()
    }

    /// Writes the changeset of the changes recorded so far, chunk by chunk: it is never in memory as a whole.
    ///
    /// ```swift
    /// try session.writeChangeset(to: .file(url))
    /// try session.writeChangeset(to: ChangesetOutput { bytes in try socket.send(bytes) })
    /// ```
    ///
    /// - throws: the error of the output; an error of SQLite.
    public func writeChangeset(to output: ChangesetOutput) throws {
        let pointer = try readingPointer()
        try endingTransaction {
            try output.write(onFailure: { database.error($0) }) { sqlite3session_changeset_strm(pointer, $0, $1) }
        }
    }

    /// Writes the patchset of the changes recorded so far, chunk by chunk.
    ///
    /// - throws: the error of the output; an error of SQLite.
    public func writePatchset(to output: ChangesetOutput) throws {
        let pointer = try readingPointer()
        try endingTransaction {
            try output.write(onFailure: { database.error($0) }) { sqlite3session_patchset_strm(pointer, $0, $1) }
        }
    }

    /// Records what turns the content of a table of another schema into the content of the table of the same name in
    /// this session's schema.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH DATABASE 'yesterday.sqlite' AS yesterday")
    /// let session = try Session(db)
    /// try session.recordDifference(from: "yesterday", table: "player")
    /// let changeset = try session.changeset()  // applied to yesterday.sqlite, makes its table the same
    /// ```
    ///
    /// A table without a primary key has no recorded difference, unless with ``Options/recordsImplicitRowIDs``.
    /// `Database.difference(from:to:tables:options:)` compares all tables.
    ///
    /// - throws: `SQLITE_SCHEMA` when the other schema has no such table, or one with other columns or another primary
    ///   key.
    public func recordDifference(from otherSchemaName: String, table tableName: String) throws {
        try checkName(otherSchemaName)
        try checkName(tableName)
        // SQLite's query does not know one from the other.
        if otherSchemaName.equalsIgnoringCase(schemaName) { return }
        var message: UnsafeMutablePointer<CChar>?
        let code = sqlite3session_diff(try readingPointer(), otherSchemaName, tableName, &message)
        defer { sqlite3_free(message) }
        guard code != SQLITE_OK else { return }
        throw message.map { DatabaseError(code: code, message: String(cString: $0)) } ?? database.error(code)
    }
}
