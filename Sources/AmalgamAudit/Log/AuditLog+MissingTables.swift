public import AmalgamCore

extension AuditLog {
    /// The tables of the log that don't exist any more, in alphabetical order: they were dropped, or renamed.
    ///
    /// ```swift
    /// try db.execute(sql: "ALTER TABLE player RENAME TO person")
    /// try AuditLog.missingTables(db)   // ["player"]
    /// try db.audit("person")
    /// ```
    ///
    /// A rule that names a table doesn't follow a table that is renamed: from then on, its changes aren't recorded, until the
    /// new name is audited. Check in a test of the migrations that every name in this list was dropped on purpose. The entries
    /// stay under the old name. Tables that were never audited under their name aren't reported: they may be created later.
    ///
    /// - Throws: errors of reading the log. Without a log, the list is empty.
    public static func missingTables(_ db: Database) throws -> [String] {
        try AuditSchema.missingTables(db)
    }
}
