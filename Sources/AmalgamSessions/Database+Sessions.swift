public import AmalgamCore
import CAmalgam

extension Database {
    /// Starts a session that records tables.
    ///
    /// ```swift
    /// let session = try db.makeSession()
    /// try db.execute(sql: "UPDATE player SET score = score + 1")
    /// let changeset = try session.changeset()
    /// ```
    ///
    /// - Parameters:
    ///   - schemaName: `main`, `temp`, or the name of an attached database.
    ///   - tables: the tables to record; all of them when nil, also those created later.
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

    /// The changes that a closure makes on this connection.
    ///
    /// ```swift
    /// let changeset = try db.recordChanges {
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    /// }
    /// try db.apply(changeset.inverted())  // undo
    /// ```
    ///
    /// - Parameter tables: the tables to record; all of them when nil.
    /// - throws: the error of the closure; nothing is returned then, and what the closure did is not undone by this
    ///   method.
    public func recordChanges(
        schemaName: String = "main", tables: [String]? = nil, options: Session.Options = [],
        _ changes: () throws -> Void
    ) throws -> Changeset {
        let session = try makeSession(schemaName: schemaName, tables: tables, options: options)
        try changes()
        return try session.changeset()
    }

    /// What turns the tables of one schema into those of another one.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH DATABASE 'yesterday.sqlite' AS yesterday")
    /// let changeset = try db.difference(from: "yesterday", to: "main")
    /// ```
    ///
    /// Applied to `yesterday.sqlite`, it makes its tables the same as those of the main database.
    ///
    /// - Parameter tables: the tables to compare. When nil, all ordinary tables of the second schema: neither virtual
    ///   ones nor those in which virtual tables keep their content.
    /// - throws: `SQLITE_SCHEMA` when a table is missing in the first schema, or has other columns or another primary
    ///   key there.
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
                ORDER BY name
                """, arguments: [schemaName])
    }
}
