import CAmalgam

/// The rules for statements that change the schema or indexes, run by a SQL function in the middle of a statement.
extension Database {
    /// The message for statements that would free the tables or indexes that the calling statement uses.
    static var schemaIsInUse: String {
        """
        The schema cannot be changed here: the statement that calls this code is using it. Change the schema before or \
        after that statement.
        """
    }

    /// Called before `REINDEX`. Throws if a SQL function, collation or virtual table runs it while an outer statement
    /// changes rows, the schema or an index. The outer statement may have written its row to some of the indexes, and
    /// doesn't notice that the others contain the row already.
    ///
    /// - Throws: `SQLITE_LOCKED`
    func checkMayRebuildIndexes(_ statement: Statement) throws {
        guard amalgam_may_rebuild_indexes(sqliteConnection) == 0 else { return }
        throw DatabaseError(
            resultCode: .SQLITE_LOCKED,
            message: """
                Indexes cannot be rebuilt here: the statement that calls this code is writing rows or an index. \
                Rebuild them before or after that statement.
                """, sql: statement.sql)
    }
}
