public import AmalgamCore
import CAmalgam

extension Database {
    /// Creates a session that records the changes of tables.
    ///
    /// ```swift
    /// let session = try db.makeSession()
    /// try db.execute(sql: "UPDATE player SET score = score + 1")
    /// let changeset = try session.changeset()
    /// ```
    ///
    /// - Parameters:
    ///   - schemaName: `main`, `temp`, or the name of an attached database.
    ///   - tables: the tables to record, or nil to record all tables, including those that are created later, except
    ///     the tables of an audit log.
    ///   - options: the options of the session.
    /// - Throws: `SQLITE_ERROR` if the schema doesn't exist; `SQLITE_MISUSE` outside of a database access.
    public func makeSession(
        schemaName: String = "main", tables: [String]? = nil, options: Session.Options = []
    ) throws -> Session {
        let session = try Session(self, schemaName: schemaName, options: options)
        if let tables {
            for table in tables { try session.attach(table: table) }
        } else {
            try session.attach()
        }
        return session
    }

    /// Runs a closure, and returns the changes that the closure makes on this connection.
    ///
    /// ```swift
    /// let changeset = try db.recordChanges {
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    /// }
    /// try db.apply(changeset.inverted())  // undo
    /// ```
    ///
    /// - Parameters:
    ///   - schemaName: `main`, `temp`, or the name of an attached database.
    ///   - tables: the tables to record, or nil to record all tables except those of an audit log.
    ///   - options: the options of the session.
    ///   - changes: makes the changes.
    /// - Throws: the error of the closure, or an error of the session. This method doesn't roll back the changes of the
    ///   closure.
    public func recordChanges(
        schemaName: String = "main", tables: [String]? = nil, options: Session.Options = [],
        _ changes: () throws -> Void
    ) throws -> Changeset {
        let session = try makeSession(schemaName: schemaName, tables: tables, options: options)
        try changes()
        return try session.changeset()
    }

    /// Returns the changes that turn the tables of one schema into those of another schema.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH DATABASE 'yesterday.sqlite' AS yesterday")
    /// let changeset = try db.difference(from: "yesterday", to: "main")
    /// ```
    ///
    /// Applying this changeset to `yesterday.sqlite` makes its tables equal to those of the main database. Values are
    /// compared byte for byte, not by the collations of their columns, except that 0.0 and -0.0 are equal.
    ///
    /// - Parameters:
    ///   - oldSchemaName: the schema to change.
    ///   - newSchemaName: the schema with the wanted content.
    ///   - tables: the tables to compare, or nil for all ordinary tables of the new schema. Virtual tables and their
    ///     shadow tables aren't ordinary tables, and the tables of an audit log are left out.
    ///   - options: the options of the session.
    /// - Throws: `SQLITE_SCHEMA` if a table doesn't exist in the old schema, or has different columns or a different
    ///   primary key there.
    public func difference(
        from oldSchemaName: String, to newSchemaName: String = "main", tables: [String]? = nil,
        options: Session.Options = []
    ) throws -> Changeset {
        let session = try Session(self, schemaName: newSchemaName, options: options)
        for table in try tables ?? ordinaryTables(schemaName: newSchemaName) {
            try session.recordDifference(from: oldSchemaName, table: table)
        }
        return try session.changeset()
    }

    private func ordinaryTables(schemaName: String) throws -> [String] {
        try String.fetchAll(
            self,
            sql: """
                SELECT name FROM pragma_table_list
                WHERE schema = ? COLLATE NOCASE AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                  AND name NOT GLOB 'amalgam_audit_*'
                ORDER BY name
                """, arguments: [schemaName])
    }
}
