public import AmalgamCore
public import Foundation

extension AuditLog {
    /// Deletes the entries of transactions before a date.
    ///
    /// ```swift
    /// let count = try dbQueue.write { db in
    ///     try AuditLog.deleteEntries(db, before: Date(timeIntervalSinceNow: -90 * 86_400))
    /// }
    /// ```
    ///
    /// If the clock was set back, the dates of the transactions aren't in order. The method then finds the last
    /// transaction whose date is before `date`, and also deletes the entries of all earlier transactions, even of those
    /// with a later date. So the log has no gaps.
    ///
    /// Afterwards, `row(_:in:key:at:)` can't return rows at dates before `date`. Cost: the log is scanned.
    ///
    /// - Returns: the number of deleted entries.
    /// - Throws: an error of a statement.
    @discardableResult
    public static func deleteEntries(_ db: Database, before date: Date) throws -> Int {
        let condition = "originID <= (SELECT MAX(id) FROM main.amalgam_audit_origin WHERE date < ?)"
        return try deleteEntries(db, where: condition, [date]) {
            try db.execute(sql: "UPDATE main.amalgam_audit_table SET since = MAX(since, ?)", arguments: [date])
        }
    }

    /// Keeps the given number of latest entries of each row, and deletes all earlier entries.
    ///
    /// ```swift
    /// try AuditLog.deleteEntries(db, exceptLatest: 10)
    /// ```
    ///
    /// Afterwards, `row(_:in:key:at:)` can't return rows of a table at dates before that of the table's last deleted
    /// entry, and `revert(_:transaction:)` refuses transactions of which entries were deleted. Cost: the log is sorted.
    ///
    /// - Parameters:
    ///   - db: a connection with write access.
    ///   - count: the number of entries to keep for each row.
    /// - Returns: the number of deleted entries.
    /// - Throws: an error of a statement.
    @discardableResult
    public static func deleteEntries(_ db: Database, exceptLatest count: Int) throws -> Int {
        let condition = "id IN (\(entriesBeyond))"
        let arguments: StatementArguments = [max(0, count)]
        return try deleteEntries(db, where: condition, arguments) {
            try db.execute(
                sql: """
                    UPDATE main.amalgam_audit_table SET since = MAX(since, last.date) FROM (
                      SELECT tableID, MAX(date) AS date
                      FROM main.amalgam_audit_change AS change
                      JOIN main.amalgam_audit_origin AS origin ON origin.id = originID
                      WHERE change.id IN (\(entriesBeyond)) GROUP BY tableID) AS last
                    WHERE id = last.tableID
                    """, arguments: arguments)
            try AuditSchema.noteDeletedEntries(db, where: condition, arguments)
        }
    }

    /// Selects all entries of each row except the given number of latest ones.
    private static let entriesBeyond = """
        SELECT id FROM (
          SELECT id, ROW_NUMBER() OVER (PARTITION BY tableID, key ORDER BY id DESC) AS number
          FROM main.amalgam_audit_change)
        WHERE number > ?
        """

    /// Deletes the entries that a condition selects, after a closure has updated the dates since which the log is complete.
    ///
    /// The transactions that keep other entries are noted in `amalgam_audit_cut`: they can't be reverted as a whole. Then
    /// deletes the rows of `amalgam_audit_origin` to which no entry refers any more. The last row of the table remains, so
    /// that later rows get greater identifiers.
    private static func deleteEntries(
        _ db: Database, where condition: String, _ arguments: StatementArguments, _ updateDates: () throws -> Void
    ) throws -> Int {
        var count = 0
        try db.inSavepoint {
            try AuditSchema.noteCutTransactions(db, where: condition, arguments)
            try updateDates()
            try db.execute(sql: "DELETE FROM main.amalgam_audit_change WHERE \(condition)", arguments: arguments)
            count = db.changesCount
            try db.execute(
                sql: """
                    DELETE FROM main.amalgam_audit_origin
                    WHERE id < (SELECT MAX(id) FROM main.amalgam_audit_origin)
                      AND id NOT IN (SELECT originID FROM main.amalgam_audit_change);
                    DELETE FROM main.amalgam_audit_cut
                    WHERE transactionID NOT IN (SELECT transactionID FROM main.amalgam_audit_origin)
                    """)
            try AuditSchema.limitDeletedEntries(db)
            return .commit
        }
        return count
    }
}
