import CAmalgam

// Names of tables, views, indexes, triggers, and databases are found in any case (of ASCII letters), as SQLite finds
// them. Without a database name, the temporary database is searched first, then main, then the attached databases in
// the order in which they were attached.

// MARK: - Existence

extension Database {
    /// Whether there is a table with this name, temporary and virtual tables included, views excluded.
    ///
    /// ```swift
    /// if try !db.tableExists("player") {
    ///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    /// }
    /// ```
    ///
    /// - Parameter schemaName: the database to look in: `main`, `temp`, or the name of an attached one. All when nil.
    /// - throws: `no such schema: x`.
    public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try find(.table, name, in: schemaName).identity != nil
    }

    /// Whether there is a view with this name, temporary views included.
    ///
    /// - Parameter schemaName: the database to look in. All when nil.
    /// - throws: `no such schema: x`.
    public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try find(.view, name, in: schemaName).identity != nil
    }

    /// Whether there is a trigger with this name, temporary triggers included.
    ///
    /// - Parameter schemaName: the database to look in. All when nil.
    /// - throws: `no such schema: x`.
    public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try find(.trigger, name, in: schemaName).identity != nil
    }

    /// Whether there is an index with this name.
    ///
    /// - Parameter schemaName: the database to look in. All when nil.
    /// - throws: `no such schema: x`.
    public func indexExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try find(.index, name, in: schemaName).identity != nil
    }

    /// Runs a closure with another schema source, or with none.
    ///
    /// ```swift
    /// let key = try db.withSchemaSource(ViewKeys()) { try db.primaryKey("captain") }
    /// ```
    public func withSchemaSource<T>(
        _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
    ) rethrows -> T {
        // Outside of an access, the look-ups of the closure throw.
        guard isAccessible else { return try block() }
        let previous = schema.source
        schema.source = schemaSource
        defer { schema.source = previous }
        return try block()
    }
}

// MARK: - Tables and views

extension Database {
    /// The columns of a table or view, from left to right; generated and hidden columns included.
    ///
    /// ```swift
    /// let names = try db.columns(in: "player").map(\.name)
    /// ```
    ///
    /// Answers are kept until the schema changes, whoever changes it.
    ///
    /// - Parameter schemaName: the database to look in. All when nil.
    /// - throws: `no such table: x`, `no such schema: x`; an error of SQLite for a view that does not compile.
    public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
        if let known = try ifTable(tableName, in: schemaName, { try columns(of: $0) }) { return known }
        let ofModule = schemaName == nil ? try columnsOfModule(tableName) : []
        if ofModule.isEmpty { throw DatabaseError(message: "no such table: \(tableName)") }
        return ofModule
    }

    /// The columns of a virtual table that is there without having been created, such as `json_each`:
    /// <https://sqlite.org/vtab.html#eponymous_virtual_tables>.
    private func columnsOfModule(_ name: String) throws -> [ColumnInfo] {
        if name.utf8.contains(0) { return [] }
        return try schemaRows("PRAGMA table_xinfo(\(name.quotedDatabaseIdentifier))").map(ColumnInfo.init(row:))
    }

    /// The primary key of a table. A table that declares none has a hidden one, the rowid.
    ///
    /// ```swift
    /// // CREATE TABLE country (code TEXT PRIMARY KEY)
    /// try db.primaryKey("country").columns   // ["code"]
    /// ```
    ///
    /// Answers are kept until the schema changes, whoever changes it: asking again costs a fraction of a microsecond
    /// in a transaction.
    ///
    /// - Parameter schemaName: the database to look in. All when nil.
    /// - throws: `no such table: x`, `no such schema: x`; `database view x has no primary key`, unless the
    ///   schema source says what it is.
    public func primaryKey(_ tableName: String, in schemaName: String? = nil) throws -> PrimaryKeyInfo {
        try withTable(tableName, in: schemaName) { table in
            guard let primaryKey = try primaryKey(of: table) else {
                throw DatabaseError(message: "database view \(tableName) has no primary key")
            }
            return primaryKey
        }
    }

    /// The primary key of a table; nil for a view of which the schema source says nothing.
    ///
    /// - throws: `no such table: x`
    package func primaryKeyIfKnown(_ tableName: String) throws -> PrimaryKeyInfo? {
        try withTable(tableName, in: nil) { try primaryKey(of: $0) }
    }

    /// The indexes of a table, those of its constraints included. Indexes that sort by an expression are left out.
    ///
    /// ```swift
    /// let uniqueIndexes = try db.indexes(on: "player").filter(\.isUnique)
    /// ```
    ///
    /// The key of a rowid table that is an alias of the rowid needs no index, and has none.
    ///
    /// - Parameter schemaName: the database to look in. All when nil.
    /// - throws: `no such table: x`, `no such schema: x`.
    public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
        try withTable(tableName, in: schemaName) { try indexes(of: $0) }.filter(\.hasOnlyColumns)
    }

    /// The indexes of a table, with or without those that sort by an expression.
    ///
    /// ```swift
    /// // CREATE INDEX nameIndex ON player(lower(name), score DESC)
    /// let index = try db.indexes(on: "player", includingExpressions: true)[0]
    /// index.columns               // ["score"]
    /// index.terms.map(\.column)   // [nil, "score"]
    /// ```
    ///
    /// - throws: `no such table: x`, `no such schema: x`.
    public func indexes(
        on tableName: String, in schemaName: String? = nil, includingExpressions: Bool
    ) throws -> [IndexInfo] {
        if !includingExpressions { return try indexes(on: tableName, in: schemaName) }
        return try withTable(tableName, in: schemaName) { try indexes(of: $0) }
    }

    /// The foreign keys that a table declares.
    ///
    /// - Parameter schemaName: the database to look in. All when nil.
    /// - throws: `no such table: x`, also for the destination of a foreign key that means the primary key of a table
    ///   that is not there; `foreign key mismatch` when that key has another number of columns; `no such schema: x`.
    public func foreignKeys(on tableName: String, in schemaName: String? = nil) throws -> [ForeignKeyInfo] {
        try withTable(tableName, in: schemaName) { try foreignKeys(of: $0) }
    }

    /// Whether the columns of the primary key, or those of a unique index, are among some columns.
    ///
    /// ```swift
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE)
    /// try db.table("player", hasUniqueKey: ["email"])        // true
    /// try db.table("player", hasUniqueKey: ["id", "name"])   // true
    /// try db.table("player", hasUniqueKey: ["name"])         // false
    /// ```
    ///
    /// The rowid counts, by any of its names. A partial unique index doesn't: rows that its condition leaves out may have
    /// the same values.
    ///
    /// - throws: `no such table: x`.
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

    /// The name by which SQL reads the rowid of a table: `rowid`, or another name where a column is called `rowid`.
    ///
    /// Nil for a view and for a WITHOUT ROWID table, and where ordinary columns take all names of the rowid.
    ///
    /// - Throws: `no such table: x`
    package func rowIDName(ofTable tableName: String) throws -> String? {
        try withTable(tableName, in: nil) { table in try rowIDNames(of: table).first ?? table.rowIDColumn }
    }

    /// Whether a name stands for the rowid of a table: the name of its INTEGER PRIMARY KEY, or one of the names of the
    /// rowid, unless an ordinary column has it. False for a table that doesn't exist.
    package func isRowID(_ column: TableName, ofTable tableName: String) throws -> Bool {
        try ifTable(tableName, in: nil) { table in
            if let rowIDColumn = table.rowIDColumn, TableName(rowIDColumn) == column { return true }
            return try rowIDNames(of: table).contains { TableName($0) == column }
        } ?? false
    }

    /// The names of the rowid that aren't those of an ordinary column.
    private func rowIDNames(of table: TableDescription) throws -> [String] {
        guard table.hasRowID, table.kind != .view else { return [] }
        let columns = Set(try columns(of: table).map { TableName($0.name) })
        return Self.rowIDNames.filter { !columns.contains(TableName($0)) }
    }
}

// MARK: - Cache

extension Database {
    /// The version of the schema of the main database, which grows when the schema changes:
    /// <https://sqlite.org/pragma.html#pragma_schema_version>.
    public func schemaVersion() throws -> Int32 {
        try Int32.fetchOne(self, sql: "PRAGMA schema_version") ?? 0
    }

    /// Forgets what look-ups have found out about the schema.
    ///
    /// There is no need for it: look-ups notice when the schema has changed, in this connection or elsewhere.
    public func clearSchemaCache() {
        if isAccessible { schema.cache.removeAll() }
    }

    /// Whether the table is one of those that the library makes for itself, such as `grdb_migrations` and those of audit
    /// logs.
    public static func isGRDBInternalTable(_ tableName: String) -> Bool {
        tableName.hasPrefix("grdb_") || tableName.hasPrefix("amalgam_audit")
    }
}
