import CAmalgam

extension Database {
    /// Returns the databases of the connection: main, temp, and the attached ones in the order of their attachment.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH DATABASE ? AS archive", arguments: ["/data/archive.sqlite"])
    /// try db.attachedDatabases().last?.path   // "/data/archive.sqlite"
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func attachedDatabases() throws -> [AttachedDatabase] {
        try checkAccess()
        return (0...CInt.max).lazy
            .map { (index: $0, name: sqlite3_db_name(self.sqliteConnection, $0)) }
            .prefix { $0.name != nil }
            .map { AttachedDatabase(schemaID: self.schemaID($0.index), path: self.path(ofSchema: $0.name)) }
    }

    private func path(ofSchema name: UnsafePointer<CChar>?) -> String? {
        guard let path = sqlite3_db_filename(sqliteConnection, name).map({ String(cString: $0) }) else { return nil }
        return path.isEmpty ? nil : path
    }

    private func schemaIDs(_ schemaName: String?) throws -> [DatabaseSchemaID] {
        try checkAccess()
        if let schemaName { return [try schemaID(schemaIndex(schemaName))] }
        return try attachedDatabases().map(\.schemaID)
    }

    /// Returns the tables, views, indexes and triggers of a database, in the order of their creation.
    ///
    /// ```swift
    /// for object in try db.schemaObjects(in: "main") where object.kind == .trigger {
    ///     print(object.name, object.sql ?? "")
    /// }
    /// ```
    ///
    /// - Parameter schemaName: the database; nil for all databases of the connection.
    /// - Throws: a ``DatabaseError``, such as `no such schema: x`.
    public func schemaObjects(in schemaName: String? = nil) throws -> [SchemaObject] {
        try schemaIDs(schemaName).flatMap { schemaID in
            try schemaRows("SELECT type, name, tbl_name, sql FROM \(schemaID.schemaTableName) ORDER BY rowid")
                .compactMap { SchemaObject(row: $0, schemaID: schemaID) }
        }
    }

    /// Returns the tables and views of a database, in the order of their creation. Includes virtual tables, the shadow
    /// tables in which they store data, and SQLite's own tables.
    ///
    /// ```swift
    /// let names = try db.tables(in: "main")
    ///     .filter { $0.kind == .table && !Database.isSQLiteInternalTable($0.name) }
    ///     .map(\.name)
    /// ```
    ///
    /// - Parameter schemaName: the database; nil for all databases of the connection.
    /// - Throws: a ``DatabaseError``, such as `no such schema: x`.
    public func tables(in schemaName: String? = nil) throws -> [TableInfo] {
        try schemaObjects(in: schemaName)
            .filter { $0.kind == .table || $0.kind == .view }
            .compactMap { object in try tableInfo(object.id, sql: object.sql) }
    }

    /// Returns a table or view.
    ///
    /// ```swift
    /// try db.table("player").isStrict
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the name of the table or view.
    ///   - schemaName: the database to search; nil for all.
    /// - Throws: a ``DatabaseError``, such as `no such table: x` or `no such schema: x`.
    public func table(_ tableName: String, in schemaName: String? = nil) throws -> TableInfo {
        let id = try withTable(tableName, in: schemaName) { $0.id }
        let sql =
            try schemaRows(
                "SELECT sql FROM \(id.schemaID.schemaTableName) WHERE type IN ('table', 'view') AND name = ?",
                arguments: [id.name]
            )
            .first?["sql"] as String?
        guard let info = try tableInfo(id, sql: sql) else {
            throw DatabaseError(message: "no such table: \(tableName)")
        }
        return info
    }

    /// Returns a table or view; nil if another connection has dropped it since it was listed.
    private func tableInfo(_ id: DatabaseObjectID, sql: String?) throws -> TableInfo? {
        let found = try find(.tableOrView, id.name, in: id.schemaID.name)
        if found.identity == nil { return nil }
        let table = TableDescription(found, schemaID: id.schemaID)
        return TableInfo(
            id: table.id, kind: table.kind, isWithoutRowID: table.kind != .view && !table.hasRowID,
            isStrict: table.isStrict, sql: sql)
    }
}
