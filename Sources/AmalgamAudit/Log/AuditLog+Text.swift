public import AmalgamCore

extension AuditLog {
    /// Copies the entries to a table with JSON as TEXT, which programs with an SQLite older than 3.45 can read.
    ///
    /// ```swift
    /// try dbQueue.write { db in try AuditLog.copyAsText(db) }
    /// // sqlite3 orders.sqlite "SELECT json_extract(changes, '$.name[1]') FROM amalgam_audit_text"
    /// ```
    ///
    /// The table has the columns of the view `amalgam_audit`. Keys that are stored as JSONB, and the changes, are JSON
    /// text. A later call adds the entries that the table doesn't contain, and removes those that were deleted from the
    /// log.
    ///
    /// Cost: all new entries are converted. The text is larger than JSONB.
    ///
    /// - Parameters:
    ///   - db: a connection with write access.
    ///   - tableName: the name of the table, which is created if it doesn't exist.
    /// - Returns: the number of entries that were added.
    /// - Throws: an error of a statement, for example if there is no log.
    @discardableResult
    public static func copyAsText(_ db: Database, to tableName: String = "amalgam_audit_text") throws -> Int {
        let table = "main.\(tableName.quotedDatabaseIdentifier)"
        var count = 0
        try db.inSavepoint {
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS \(table) (
                      id INTEGER PRIMARY KEY, transactionID INTEGER NOT NULL, date TEXT NOT NULL, actor TEXT, reason TEXT,
                      tableName TEXT NOT NULL, operation TEXT NOT NULL, key, newKey, changes TEXT NOT NULL)
                    """)
            // The log may use the identifiers of deleted entries again, but not those of transactions.
            try db.execute(
                sql: """
                    DELETE FROM \(table) AS copy WHERE NOT EXISTS (
                      SELECT 1 FROM main.amalgam_audit_change AS entry
                      JOIN main.amalgam_audit_origin AS origin ON origin.id = originID
                      WHERE entry.id = copy.id AND origin.transactionID = copy.transactionID AND origin.date = copy.date)
                    """)
            // An entry that isn't in the table is newer than all entries that were copied, and remain.
            try db.execute(
                sql: """
                    INSERT INTO \(table)
                    SELECT id, transactionID, date, actor, reason, tableName, operation,
                      CASE typeof(key) WHEN 'blob' THEN json(key) ELSE key END,
                      CASE typeof(newKey) WHEN 'blob' THEN json(newKey) ELSE newKey END, json(changes)
                    FROM main.amalgam_audit WHERE id > ifnull((SELECT max(id) FROM \(table)), 0)
                    """)
            count = db.changesCount
            return .commit
        }
        return count
    }
}
