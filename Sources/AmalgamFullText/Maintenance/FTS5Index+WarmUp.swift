public import AmalgamCore
import CAmalgam

extension FTS5Index {
    /// What is held in memory for searches that are ordered by rank. See ``warmUp(_:)``.
    public struct Lengths: Hashable, Sendable {
        /// The number of rows whose lengths are in memory. It is zero if the table is empty or corrupt: then, searches read
        /// the lengths of rows that match from the database.
        public let rowCount: Int

        /// The size of the lengths in memory, in bytes: two bytes per row if the rowids follow on each other, four if they
        /// have small gaps, and ten if they are far apart, such as random numbers. Searches for frequent words use two more
        /// bytes per row.
        public let byteCount: Int
    }

    /// Reads the lengths of all rows into memory, for searches that are ordered by rank.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// let lengths = try dbQueue.read { db in try index.warmUp(db) }
    /// print(lengths.rowCount, lengths.byteCount)   // 1000000 2197776
    /// ```
    ///
    /// The rank of a row depends on its length in tokens. Without this method, the first searches read the lengths of the
    /// rows that match, one by one, and all of them when they have read more than one in 256.
    ///
    /// All connections of a process to a file in WAL mode share the lengths, and searches after a write of this or another
    /// process read only the pages that were written. The next searches read all lengths again if another process begins a
    /// new WAL file, after a checkpoint, or if more than 32,768 pages were written since the last search and the WAL file
    /// was begun again in between. The terms for queries with typos are read again after 32,768 pages in any case.
    ///
    /// Databases in other journal modes and in memory have lengths for each connection, which reads all of them again after
    /// commits of others. In a transaction, and in such databases, a search reads the lengths of the rows that the
    /// connection has written since the last search, one by one, and all lengths if these are more than 262,144.
    ///
    /// See <https://www.sqlite.org/fts5.html#the_bm25_function>.
    ///
    /// - Returns: The lengths in memory.
    /// - Throws: `SQLITE_ERROR` if there is no ``FTS5`` table with this name, or if the table doesn't have lengths
    ///   (`columnsize=0`); `SQLITE_AUTH` in a sandbox that hides or denies columns of the table; another
    ///   ``DatabaseError`` if they can't be read.
    @discardableResult
    public func warmUp(_ db: Database) throws -> Lengths {
        if db.isInsideTransaction { return try lengths(db) }
        var lengths: Lengths?
        try db.inTransaction(.deferred) {
            lengths = try self.lengths(db)
            return .commit
        }
        return lengths ?? Lengths(rowCount: 0, byteCount: 0)
    }

    private func lengths(_ db: Database) throws -> Lengths {
        // The length of a row counts the words of all columns.
        try db.checkPermission(toReadAllColumnsOf: tableName)
        // This begins to read.
        _ = try Int64.fetchOne(db, sql: "SELECT rowid FROM \(tableName.quotedDatabaseIdentifier) LIMIT 1")
        var (rowCount, byteCount): (Int64, Int64) = (0, 0)
        let isTable = try FullTextIndex(db: db, table: tableName).call {
            amalgam_ranked_load($0, nil, tableName, &rowCount, &byteCount)
        }
        guard isTable else { throw DatabaseError(message: "no such FTS5 table: \(tableName)") }
        return Lengths(rowCount: Int(rowCount), byteCount: Int(byteCount))
    }
}
