public import AmalgamCore

extension AuditLog {
    /// Returns the tables of the log that don't exist any more, because they were dropped or renamed, in alphabetical
    /// order.
    ///
    /// ```swift
    /// try db.execute(sql: "ALTER TABLE player RENAME TO person")
    /// print(try AuditLog.missingTables(db))   // ["player"]
    /// try db.audit("person")
    /// ```
    ///
    /// A rule doesn't follow its table when it is renamed: changes aren't recorded until the new name is audited.
    /// Check, in a test of the migrations, that every table in this list was dropped on purpose. The entries remain
    /// under the old name. Tables that were never audited aren't reported, because they may be created later.
    ///
    /// - Returns: the names of the tables. Without a log, the array is empty.
    /// - Throws: an error of reading the log.
    public static func missingTables(_ db: Database) throws -> [String] {
        try AuditSchema.missingTables(db)
    }
}
