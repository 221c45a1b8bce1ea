public import AmalgamCore

extension Database {
    /// Creates a table, and the indexes that its definition asks for.
    ///
    /// ```swift
    /// try db.create(table: "player", options: .strict) { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("name", .text).notNull()
    ///     t.column("score", .integer).notNull().defaults(to: 0)
    /// }
    /// // CREATE TABLE "player" (
    /// //   "id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL, "score" INTEGER NOT NULL DEFAULT 0) STRICT
    /// ```
    ///
    /// - throws: the error of the closure, in which case nothing is created; a ``DatabaseError`` when the table exists,
    ///   or refers to one that does not.
    public func create(
        table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
    ) throws {
        let definition = TableDefinition(name: name, options: options)
        try body(definition)
        try execute(sql: definition.statements(self).joined(separator: "; "))
    }

    /// Creates a table. The form with `options:` says more.
    @_disfavoredOverload
    public func create(
        table name: String, temporary: Bool = false, ifNotExists: Bool = false, withoutRowID: Bool = false,
        body: (TableDefinition) throws -> Void
    ) throws {
        var options: TableOptions = []
        if temporary { options.insert(.temporary) }
        if ifNotExists { options.insert(.ifNotExists) }
        if withoutRowID { options.insert(.withoutRowID) }
        try create(table: name, options: options, body: body)
    }

    /// Renames a table, in all views, triggers and foreign keys as well: `ALTER TABLE "a" RENAME TO "b"`.
    public func rename(table name: String, to newName: String) throws {
        try execute(
            sql: "ALTER TABLE \(name.quotedDatabaseIdentifier) RENAME TO \(newName.quotedDatabaseIdentifier)")
    }

    /// Changes the columns of a table. See ``TableAlteration``.
    public func alter(table name: String, body: (TableAlteration) -> Void) throws {
        let alteration = TableAlteration(name: name)
        body(alteration)
        try execute(sql: alteration.statements(self).joined(separator: "; "))
    }

    /// Drops a table, with its rows, indexes and triggers: `DROP TABLE "player"`.
    public func drop(table name: String) throws {
        try execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
    }
}
