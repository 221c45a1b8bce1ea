public import AmalgamCore

extension AuditLog {
    /// Returns the audited tables that were dropped or renamed, in alphabetical order.
    ///
    /// ```swift
    /// try db.execute(sql: "ALTER TABLE player RENAME TO person")
    /// print(try AuditLog.missingTables(db))   // ["player"]
    /// try db.audit("person")
    /// ```
    ///
    /// An audit rule applies to the name of a table: after a renaming, changes aren't recorded until the new name is
    /// audited. Existing entries remain under the old name. Check, in a test of the migrations, that every table in
    /// this list was dropped on purpose. Tables that were never audited aren't reported.
    ///
    /// - Returns: the names of the tables. Without a log, the array is empty.
    /// - Throws: an error of reading the log.
    public static func missingTables(_ db: Database) throws -> [String] {
        try AuditSchema.missingTables(db)
    }
}
