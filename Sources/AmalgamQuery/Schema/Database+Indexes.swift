public import AmalgamCore

extension Database {
    /// Creates an index on columns.
    ///
    /// ```swift
    /// try db.create(index: "byTeam", on: "player", columns: ["teamId", "score"])
    /// // CREATE INDEX "byTeam" ON "player"("teamId", "score")
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - table: the table.
    ///   - columns: the indexed columns.
    ///   - options: the options of the index.
    ///   - condition: the condition for the rows of a partial index: <https://sqlite.org/partialindex.html>. By
    ///     default, the index contains all rows.
    /// - Throws: a ``DatabaseError``, for example if the index exists, or if rows violate a unique index.
    public func create(
        index name: String, on table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            index: name, on: table, expressions: columns.map { Column($0) }, options: options, condition: condition)
    }

    /// Creates an index on columns. Equivalent to the method with `options:`.
    ///
    /// - Throws: a ``DatabaseError``.
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
    ///
    /// - Throws: a ``DatabaseError``.
    public func create(
        index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        let index = IndexDefinition(
            name: name, table: table, terms: expressions.map(\.sqlExpression), options: options,
            condition: condition?.conditionExpression)
        try execute(sql: index.sql(self))
    }

    /// Creates an index on columns, with a name derived from the table and the columns.
    ///
    /// ```swift
    /// try db.create(indexOn: "player", columns: ["email"], options: .unique)
    /// // CREATE UNIQUE INDEX "index_player_on_email" ON "player"("email")
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func create(
        indexOn table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        let name = "index_\(table)_on_\(columns.joined(separator: "_"))"
        try create(index: name, on: table, columns: columns, options: options, condition: condition)
    }

    /// Drops an index.
    ///
    /// ```swift
    /// try db.drop(index: "byName")
    /// // DROP INDEX "byName"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, for example if the index doesn't exist.
    public func drop(index name: String) throws {
        try execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)")
    }

    /// Drops the index on the given columns, regardless of its name. Does nothing unless exactly one index matches.
    ///
    /// ```swift
    /// try db.drop(indexOn: "player", columns: ["email"])
    /// // DROP INDEX "index_player_on_email"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func drop(indexOn table: String, columns: [String]) throws {
        let names = columns.map(TableName.init)
        let indexes = try indexes(on: table).filter {
            $0.origin == .createIndex && $0.columns.map(TableName.init) == names
        }
        if indexes.count == 1 { try drop(index: indexes[0].name) }
    }

    /// Rebuilds the indexes that use a collation. Call this method when the collation has changed.
    ///
    /// ```swift
    /// try db.reindex(collation: .nocase)
    /// // REINDEX NOCASE
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func reindex(collation: Database.CollationName) throws {
        // This comparison registers a default collation. REINDEX with the name of the collation wouldn't register it.
        _ = try makeStatement(sql: "SELECT '' = '' COLLATE \(collation.rawValue.sqlName)")
        try execute(sql: "REINDEX \(collation.rawValue.sqlName)")
    }

    /// Rebuilds the indexes that use a collation written in Swift. Call this method when the collation has changed.
    ///
    /// ```swift
    /// let collation: DatabaseCollation = .localizedCaseInsensitiveCompare
    /// try db.reindex(collation: collation)
    /// // REINDEX swiftLocalizedCaseInsensitiveCompare
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: Database.CollationName(rawValue: collation.name))
    }
}
