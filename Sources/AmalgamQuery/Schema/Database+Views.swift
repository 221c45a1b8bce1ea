public import AmalgamCore

extension Database {
    /// Creates a view: <https://sqlite.org/lang_createview.html>.
    ///
    /// ```swift
    /// try db.create(view: "champion", as: Table("player").filter(Column("score") > 1000))
    /// // CREATE VIEW "champion" AS SELECT * FROM "player" WHERE "score" > 1000
    /// ```
    ///
    /// - Parameters:
    ///   - columns: the names of the columns. By default, those of the request.
    ///   - request: the rows of the view. Its values are written in the SQL.
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

    /// Creates a view made of an SQL literal. Its values are written in the SQL.
    ///
    /// ```swift
    /// try db.create(view: "champion", asLiteral: "SELECT * FROM player WHERE score > \(1000)")
    /// ```
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral sqlLiteral: SQL
    ) throws {
        try create(view: name, options: options, columns: columns, as: SQLSubquery(sqlLiteral))
    }

    /// Drops a view: `DROP VIEW "champion"`.
    public func drop(view name: String) throws {
        try execute(sql: "DROP VIEW \(name.quotedDatabaseIdentifier)")
    }
}
