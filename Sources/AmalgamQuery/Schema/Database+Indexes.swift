public import AmalgamCore

extension Database {
    /// Creates an index on columns.
    ///
    /// ```swift
    /// try db.create(index: "byTeam", on: "player", columns: ["teamId", "score"])
    /// // CREATE INDEX "byTeam" ON "player"("teamId", "score")
    /// ```
    ///
    /// - Parameter condition: which rows are in the index: <https://sqlite.org/partialindex.html>. All, by default.
    public func create(
        index name: String, on table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            index: name, on: table, expressions: columns.map { Column($0) }, options: options, condition: condition)
    }

    /// Creates an index on columns. The form with `options:` is the same.
    @_disfavoredOverload
    public func create(
        index name: String, on table: String, columns: [String], unique: Bool = false, ifNotExists: Bool = false,
        condition: (any SQLExpressible)? = nil
    ) throws {
        var options: IndexOptions = []
        if unique { options.insert(.unique) }
        if ifNotExists { options.insert(.ifNotExists) }
        try create(index: name, on: table, columns: columns, options: options, condition: condition)
    }

    /// Creates an index on expressions: <https://sqlite.org/expridx.html>.
    ///
    /// ```swift
    /// try db.create(index: "byName", on: "player", expressions: [Column("name").collating(.nocase)])
    /// // CREATE INDEX "byName" ON "player"("name" COLLATE NOCASE)
    /// ```
    public func create(
        index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        let index = IndexDefinition(
            name: name, table: table, terms: expressions.map(\.sqlExpression), options: options,
            condition: condition?.sqlExpression)
        try execute(sql: index.sql(self))
    }

    /// Creates an index on columns, named after them.
    ///
    /// ```swift
    /// try db.create(indexOn: "player", columns: ["email"], options: .unique)
    /// // CREATE UNIQUE INDEX "index_player_on_email" ON "player"("email")
    /// ```
    public func create(
        indexOn table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        let name = "index_\(table)_on_\(columns.joined(separator: "_"))"
        try create(index: name, on: table, columns: columns, options: options, condition: condition)
    }

    /// Drops an index: `DROP INDEX "byName"`.
    public func drop(index name: String) throws {
        try execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)")
    }

    /// Drops the index on these columns, whatever its name. Does nothing unless there is exactly one.
    public func drop(indexOn table: String, columns: [String]) throws {
        let names = columns.map(TableName.init)
        let indexes = try indexes(on: table).filter {
            $0.origin == .createIndex && $0.columns.map(TableName.init) == names
        }
        if indexes.count == 1 { try drop(index: indexes[0].name) }
    }

    /// Builds the indexes anew that use a collation: `REINDEX NOCASE`. It is needed when the collation has changed.
    public func reindex(collation: Database.CollationName) throws {
        // A default collation is added when a statement compares with it, which REINDEX by its name does not.
        _ = try makeStatement(sql: "SELECT '' = '' COLLATE \(collation.rawValue.sqlName)")
        try execute(sql: "REINDEX \(collation.rawValue.sqlName)")
    }

    /// Builds the indexes anew that use a collation. It is needed when the collation has changed.
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: Database.CollationName(rawValue: collation.name))
    }
}
