import CAmalgam

/// One historical state of a database in WAL mode: <https://sqlite.org/c3ref/snapshot.html>.
package final class WALSnapshot: @unchecked Sendable {
    // Sendable: SQLite only reads a snapshot once it was taken.
    private let snapshot: UnsafeMutablePointer<sqlite3_snapshot>

    /// The state that the current transaction of a connection sees.
    ///
    /// - throws: `SQLITE_ERROR` when the connection is not in a read transaction of a database in WAL mode, or when
    ///   its WAL file is missing or empty.
    package init(_ db: Database) throws {
        var snapshot: UnsafeMutablePointer<sqlite3_snapshot>?
        let code = sqlite3_snapshot_get(db.sqliteConnection, "main", &snapshot)
        guard code == SQLITE_OK, let snapshot else {
            throw DatabaseError(
                code: code,
                message: """
                    could not take a snapshot: this needs a read transaction, in a database in WAL mode whose WAL file \
                    is not empty
                    """)
        }
        self.snapshot = snapshot
    }

    deinit { sqlite3_snapshot_free(snapshot) }

    /// Opens a transaction that sees this state.
    ///
    /// - throws: `SQLITE_ERROR_SNAPSHOT` when a checkpoint has overwritten the state.
    package func beginTransaction(_ db: Database) throws {
        try db.beginTransaction(.deferred)
        let code = sqlite3_snapshot_open(db.sqliteConnection, "main", snapshot)
        if code == SQLITE_OK { return }
        try? db.rollback()
        let isLost = ResultCode(rawValue: code) == .SQLITE_ERROR_SNAPSHOT
        throw DatabaseError(code: code, message: isLost ? "Snapshot is lost." : nil)
    }
}
