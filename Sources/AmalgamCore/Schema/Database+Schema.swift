import CAmalgam

// Names of tables, views, indexes, triggers and databases are compared without regard to ASCII case, as in SQLite.
// Without a database name, look-ups search the temporary database first, then main, then the attached databases in the
// order of their attachment.

// MARK: - Existence

extension Database {
    /// Returns whether there is a table with this name. Includes temporary and virtual tables, but not views.
    ///
    /// ```swift
    /// if try !db.tableExists("player") {
    ///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - schemaName: the database to search: `main`, `temp`, or the name of an attached one; nil for all.
    /// - Throws: a ``DatabaseError``, such as `no such schema: x`.
    public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try find(.table, name, in: schemaName).identity != nil
    }

    /// Returns whether there is a view with this name. Includes temporary views.
    ///
    /// ```swift
    /// if try db.viewExists("captain") { try db.execute(sql: "DROP VIEW captain") }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the view.
    ///   - schemaName: the database to search; nil for all.
    /// - Throws: a ``DatabaseError``, such as `no such schema: x`.
    public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try find(.view, name, in: schemaName).identity != nil
    }

    /// Returns whether there is a trigger with this name. Includes temporary triggers.
    ///
    /// ```swift
    /// if try db.triggerExists("playerDeletion") { try db.execute(sql: "DROP TRIGGER playerDeletion") }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the trigger.
    ///   - schemaName: the database to search; nil for all.
    /// - Throws: a ``DatabaseError``, such as `no such schema: x`.
    public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try find(.trigger, name, in: schemaName).identity != nil
    }

    /// Returns whether there is an index with this name.
    ///
    /// ```swift
    /// if try !db.indexExists("playerName") { try db.execute(sql: "CREATE INDEX playerName ON player(name)") }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - schemaName: the database to search; nil for all.
    /// - Throws: a ``DatabaseError``, such as `no such schema: x`.
    public func indexExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try find(.index, name, in: schemaName).identity != nil
    }

    /// Runs a closure with a different schema source (which declares the primary keys of views), or without one.
    ///
    /// ```swift
    /// let key = try db.withSchemaSource(ViewKeys()) { try db.primaryKey("captain") }
    /// ```
    public func withSchemaSource<T>(
        _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
    ) rethrows -> T {
        // Outside of an access, the look-ups in the closure throw.
        guard isAccessible else { return try block() }
        let previous = schema.source
        schema.source = schemaSource
        defer { schema.source = previous }
        return try block()
    }
}

// MARK: - Tables and views

extension Database {
    /// Returns the columns of a table or view, from left to right, including generated and hidden columns.
    ///
    /// ```swift
    /// let names = try db.columns(in: "player").map(\.name)
    /// ```
    ///
    /// Results are cached until any connection changes the schema.
    ///
    /// - Parameters:
    ///   - tableName: the name of the table or view.
    ///   - schemaName: the database to search; nil for all.
    /// - Throws: a ``DatabaseError``, such as `no such table: x`, `no such schema: x`, or the error of a view that
    ///   doesn't compile.
    public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
        if let known = try ifTable(tableName, in: schemaName, { try columns(of: $0) }) { return known }
        let ofModule = schemaName == nil ? try columnsOfModule(tableName) : []
        if ofModule.isEmpty { throw DatabaseError(message: "no such table: \(tableName)") }
        return ofModule
    }

    /// Returns the columns of an eponymous virtual table, such as `json_each`:
    /// <https://sqlite.org/vtab.html#eponymous_virtual_tables>. The authorizer isn't asked: the columns belong to code, and
    /// not to the database.
    private func columnsOfModule(_ name: String) throws -> [ColumnInfo] {
        if name.utf8.contains(0) { return [] }
        let rows = try withoutAuthorizer {
            try schemaRows("PRAGMA table_xinfo(\(name.quotedDatabaseIdentifier))")
        }
        return rows.map(ColumnInfo.init(row:))
    }

    /// Returns the primary key of a table. For a table that declares no primary key, the key is the hidden rowid.
    ///
    /// ```swift
    /// // CREATE TABLE country (code TEXT PRIMARY KEY)
    /// try db.primaryKey("country").columns   // ["code"]
    /// ```
    ///
    /// Results are cached until any connection changes the schema. Each look-up compares the version of the cached
    /// schema with the version in the database file. In a transaction that already reads the file, a cached look-up
    /// takes a fraction of a microsecond. Otherwise, SQLite locks the file first.
    ///
    /// - Parameters:
    ///   - tableName: the name of the table or view.
    ///   - schemaName: the database to search; nil for all.
    /// - Throws: a ``DatabaseError``:
    ///   - `no such table: x` or `no such schema: x`;
    ///   - `database view x has no primary key` if no ``DatabaseSchemaSource`` declares the key of a view;
    ///   - `table x has no primary key` if a table declares no primary key, and has columns with all names of the
    ///     rowid (`rowid`, `_rowid_` and `oid`).
    ///
    ///   Rethrows the errors of the ``DatabaseSchemaSource``.
    public func primaryKey(_ tableName: String, in schemaName: String? = nil) throws -> PrimaryKeyInfo {
        try withTable(tableName, in: schemaName) { table in
            guard let primaryKey = try primaryKey(of: table) else {
                throw DatabaseError(message: "database view \(tableName) has no primary key")
            }
            return primaryKey
        }
    }

    /// Returns the primary key of a table; nil for a view whose key the schema source doesn't declare.
    ///
    /// - Throws: a ``DatabaseError``, such as `no such table: x`.
    package func primaryKeyIfKnown(_ tableName: String) throws -> PrimaryKeyInfo? {
        try withTable(tableName, in: nil) { try primaryKey(of: $0) }
    }

    /// Returns whether a table is virtual; false if there is no such table.
    package func isVirtualTable(_ tableName: String) throws -> Bool {
        try ifTable(tableName, in: nil) { $0.kind == .virtual } ?? false
    }

    /// Returns the indexes of a table, including those of its constraints, but not indexes on expressions.
    ///
    /// ```swift
    /// let uniqueIndexes = try db.indexes(on: "player").filter(\.isUnique)
    /// ```
    ///
    /// A primary key that is an alias of the rowid has no index.
    ///
    /// - Parameters:
    ///   - tableName: the name of the table.
    ///   - schemaName: the database to search; nil for all.
    /// - Throws: a ``DatabaseError``, such as `no such table: x` or `no such schema: x`.
    public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
        try withTable(tableName, in: schemaName) { try indexes(of: $0) }.filter(\.hasOnlyColumns)
    }

    /// Returns the indexes of a table, with or without indexes on expressions.
    ///
    /// ```swift
    /// // CREATE INDEX nameIndex ON player(lower(name), score DESC)
    /// let index = try db.indexes(on: "player", includingExpressions: true)[0]
    /// index.columns               // ["score"]
    /// index.terms.map(\.column)   // [nil, "score"]
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the name of the table.
    ///   - schemaName: the database to search; nil for all.
    ///   - includingExpressions: whether indexes on expressions are included.
    /// - Throws: a ``DatabaseError``, such as `no such table: x` or `no such schema: x`.
    public func indexes(
        on tableName: String, in schemaName: String? = nil, includingExpressions: Bool
    ) throws -> [IndexInfo] {
        if !includingExpressions { return try indexes(on: tableName, in: schemaName) }
        return try withTable(tableName, in: schemaName) { try indexes(of: $0) }
    }

    /// Returns the foreign keys that a table declares.
    ///
    /// ```swift
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team)
    /// try db.foreignKeys(on: "player").map(\.destinationTable)   // ["team"]
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the name of the table.
    ///   - schemaName: the database to search; nil for all.
    /// - Throws: a ``DatabaseError``, such as `no such table: x` or `no such schema: x`. For a foreign key without
    ///   referenced columns (`REFERENCES team`), the method throws `no such table: x` if the referenced table doesn't
    ///   exist, and `foreign key mismatch` if the foreign key and the primary key of the referenced table differ in the
    ///   number of columns.
    public func foreignKeys(on tableName: String, in schemaName: String? = nil) throws -> [ForeignKeyInfo] {
        try withTable(tableName, in: schemaName) { try foreignKeys(of: $0) }
    }

    /// Returns whether the given columns include all columns of the primary key or of a unique index.
    ///
    /// ```swift
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE)
    /// try db.table("player", hasUniqueKey: ["email"])        // true
    /// try db.table("player", hasUniqueKey: ["id", "name"])   // true
    /// try db.table("player", hasUniqueKey: ["name"])         // false
    /// ```
    ///
    /// The rowid counts as a unique key, under any of its names. A partial unique index doesn't count: rows that don't
    /// meet its condition may have equal values.
    ///
    /// - Throws: a ``DatabaseError``, such as `no such table: x`.
    public func table(_ tableName: String, hasUniqueKey columns: some Collection<String>) throws -> Bool {
        let names = Set(columns.map(TableName.init))
        func holds(_ key: [String]) -> Bool { key.allSatisfy { names.contains(TableName($0)) } }
        return try withTable(tableName, in: nil) { table in
            if let primaryKey = try primaryKey(of: table), holds(primaryKey.columns) { return true }
            if try rowIDNames(of: table).contains(where: { holds([$0]) }) { return true }
            return try indexes(of: table).contains {
                $0.isUnique && !$0.isPartial && $0.hasOnlyColumns && holds($0.columns)
            }
        }
    }

    /// Returns a name of the rowid in SQL: the first one of `rowid`, `_rowid_` and `oid` that isn't the name of a
    /// column. If the table has columns with all three names, returns the name of its INTEGER PRIMARY KEY column.
    ///
    /// Returns nil for a view, for a WITHOUT ROWID table, and for a table that has columns with all three names and no
    /// INTEGER PRIMARY KEY.
    ///
    /// - Throws: a ``DatabaseError``, such as `no such table: x`.
    package func rowIDName(ofTable tableName: String) throws -> String? {
        try withTable(tableName, in: nil) { table in try rowIDNames(of: table).first ?? table.rowIDColumn }
    }

    /// Returns whether a name stands for the rowid of a table: the name of its INTEGER PRIMARY KEY, or `rowid`,
    /// `_rowid_` or `oid` if no column has this name. Returns false if the table doesn't exist.
    package func isRowID(_ column: TableName, ofTable tableName: String) throws -> Bool {
        try ifTable(tableName, in: nil) { table in
            if let rowIDColumn = table.rowIDColumn, TableName(rowIDColumn) == column { return true }
            return try rowIDNames(of: table).contains { TableName($0) == column }
        } ?? false
    }

    /// Returns the names of the rowid that no ordinary column has.
    private func rowIDNames(of table: TableDescription) throws -> [String] {
        guard table.hasRowID, table.kind != .view else { return [] }
        let columns = Set(try columns(of: table).map { TableName($0.name) })
        return Self.rowIDNames.filter { !columns.contains(TableName($0)) }
    }
}

// MARK: - Cache

extension Database {
    /// Returns the version of the main database's schema, which increases when the schema changes:
    /// <https://sqlite.org/pragma.html#pragma_schema_version>.
    ///
    /// ```swift
    /// let version = try db.schemaVersion()   // PRAGMA schema_version
    /// ```
    ///
    /// - Throws: any error of the pragma.
    public func schemaVersion() throws -> Int32 {
        try Int32.fetchOne(self, sql: "PRAGMA schema_version") ?? 0
    }

    /// Clears the cache of schema look-ups.
    ///
    /// This isn't necessary: look-ups notice changes of the schema by any connection.
    public func clearSchemaCache() {
        if isAccessible { schema.cache.removeAll() }
    }

    /// Returns whether a table is one of the library's own, and not one of the application: `grdb_migrations`, the tables
    /// of audit logs (`amalgam_audit…`), and the tables of replication (`_amalgam_replication`, `_litestream_seq`,
    /// `_litestream_lock`).
    ///
    /// ```swift
    /// Database.isGRDBInternalTable("grdb_migrations")   // true
    /// ```
    public static func isGRDBInternalTable(_ tableName: String) -> Bool {
        ["grdb_", "amalgam_audit", "_amalgam_", "_litestream_"].contains { tableName.hasPrefix($0) }
    }
}
