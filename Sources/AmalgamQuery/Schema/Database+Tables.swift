public import AmalgamCore

extension Database {
    /// Creates a table, and the indexes of its definition.
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
    /// - Throws: the error of the closure, before any SQL runs; a ``DatabaseError``, for example if the table exists,
    ///   or if a foreign key refers to the primary key of a table that doesn't exist.
    public func create(
        table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
    ) throws {
        let definition = TableDefinition(name: name, options: options)
        try body(definition)
        try execute(sql: definition.statements(self).joined(separator: "; "))
    }

    /// Creates a table. To create a `STRICT` table, use the method with `options:`.
    ///
    /// - Throws: the error of the closure, or a ``DatabaseError``.
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

    /// Renames a table. SQLite also renames the table in views, triggers and foreign keys.
    ///
    /// ```swift
    /// try db.rename(table: "player", to: "member")
    /// // ALTER TABLE "player" RENAME TO "member"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func rename(table name: String, to newName: String) throws {
        try execute(
            sql: "ALTER TABLE \(name.quotedDatabaseIdentifier) RENAME TO \(newName.quotedDatabaseIdentifier)")
    }

    /// Changes the columns of a table. See ``TableAlteration``.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.add(column: "bonus", .integer)
    /// }
    /// // ALTER TABLE "player" ADD COLUMN "bonus" INTEGER
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func alter(table name: String, body: (TableAlteration) -> Void) throws {
        let alteration = TableAlteration(name: name)
        body(alteration)
        try execute(sql: alteration.statements(self).joined(separator: "; "))
    }

    /// Drops a table with its rows, indexes and triggers.
    ///
    /// ```swift
    /// try db.drop(table: "player")
    /// // DROP TABLE "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, for example if the table doesn't exist.
    public func drop(table name: String) throws {
        try execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
    }

    /// Creates a view: <https://sqlite.org/lang_createview.html>.
    ///
    /// ```swift
    /// try db.create(view: "champion", as: Table("player").filter(Column("score") > 1000))
    /// // CREATE VIEW "champion" AS SELECT * FROM "player" WHERE "score" > 1000
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the view.
    ///   - options: the options of the view.
    ///   - columns: the names of the columns. By default, the column names of the request.
    ///   - request: a request for the rows of the view. Its values are written into the SQL, not bound.
    /// - Throws: a ``DatabaseError``, for example if the view exists.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, as request: any SQLSubqueryable
    ) throws {
        var writer = SQLWriter(self, writesLiterals: true)
        writer.append(options.contains(.temporary) ? "CREATE TEMPORARY VIEW " : "CREATE VIEW ")
        if options.contains(.ifNotExists) { writer.append("IF NOT EXISTS ") }
        writer.append(name.quotedDatabaseIdentifier)
        if let columns {
            writer.append(" ")
            writer.append(names: columns)
        }
        writer.append(" AS ")
        try request.sqlSubquery.node.write(to: &writer)
        try execute(sql: writer.sql)
    }

    /// Creates a view from an `SQL` literal. Interpolated values are written into the SQL, not bound.
    ///
    /// ```swift
    /// try db.create(view: "champion", asLiteral: "SELECT * FROM player WHERE score > \(1000)")
    /// // CREATE VIEW "champion" AS SELECT * FROM player WHERE score > 1000
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, for example if the view exists.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral sqlLiteral: SQL
    ) throws {
        try create(view: name, options: options, columns: columns, as: SQLSubquery(sqlLiteral))
    }

    /// Drops a view.
    ///
    /// ```swift
    /// try db.drop(view: "champion")
    /// // DROP VIEW "champion"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, for example if the view doesn't exist.
    public func drop(view name: String) throws {
        try execute(sql: "DROP VIEW \(name.quotedDatabaseIdentifier)")
    }
}

// MARK: - Virtual tables

extension Database {
    /// Creates a virtual table without module arguments.
    ///
    /// ```swift
    /// try db.create(virtualTable: "word", using: "spellfix1")
    /// // CREATE VIRTUAL TABLE "word" USING spellfix1
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func create(virtualTable name: String, options: VirtualTableOptions = [], using module: String) throws {
        try execute(sql: virtualTableSQL(name, options, module, []))
    }

    /// Creates a virtual table without module arguments. To create a temporary table, use the method with `options:`.
    ///
    /// - Throws: a ``DatabaseError``.
    @_disfavoredOverload
    public func create(virtualTable name: String, ifNotExists: Bool = false, using module: String) throws {
        try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module)
    }

    /// Creates a virtual table of a module that conforms to ``VirtualTableModule``, such as `FTS5()`.
    ///
    /// If a savepoint is rolled back in which an FTS5 table was created and filled, SQLite can't commit the transaction:
    /// COMMIT fails with "SQL logic error", and all changes of the transaction are lost. A closure of `inSavepoint` that
    /// creates such a table, and then fails, must drop the table before the savepoint is rolled back, or let the error
    /// end the transaction. This method does so if it fails itself.
    ///
    /// - Parameters:
    ///   - tableName: the name of the virtual table.
    ///   - options: the options of the virtual table.
    ///   - module: the module.
    ///   - body: a closure that defines the table.
    /// - Throws: the error of the closure or of the module, or a ``DatabaseError``. In this case, no table is created.
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String, options: VirtualTableOptions = [], using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        let configuration = VirtualTableConfiguration(
            tableName: tableName, ifNotExists: options.contains(.ifNotExists),
            temporary: options.contains(.temporary))
        let definition = module.makeTableDefinition(configuration: configuration)
        try body?(definition)
        let arguments = try module.moduleArguments(for: definition, in: self)
        let existed = try tableExists(tableName)
        try inSavepoint {
            try execute(sql: virtualTableSQL(tableName, options, module.moduleName, arguments))
            do {
                try module.database(self, didCreate: tableName, using: definition)
            } catch {
                // SQLite can't commit a transaction in which a rollback to a savepoint has removed a virtual table.
                if !existed { try? drop(table: tableName) }
                throw error
            }
            return .commit
        }
    }

    /// Creates a virtual table of a module that conforms to ``VirtualTableModule``. To create a temporary table, use
    /// the method with `options:`.
    ///
    /// - Throws: the error of the closure or of the module, or a ``DatabaseError``.
    @_disfavoredOverload
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String, ifNotExists: Bool = false, using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        try create(virtualTable: tableName, options: ifNotExists ? .ifNotExists : [], using: module, body)
    }

    private func virtualTableSQL(
        _ name: String, _ options: VirtualTableOptions, _ module: String, _ arguments: [String]
    ) -> String {
        var sql = "CREATE VIRTUAL TABLE "
        if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
        if options.contains(.temporary) { sql += "temp." }
        sql += name.quotedDatabaseIdentifier + " USING " + module
        if !arguments.isEmpty { sql += "(" + arguments.joined(separator: ", ") + ")" }
        return sql
    }
}
