public import AmalgamCore

extension QueryInterfaceRequest: FetchRequest {
    public var sqlSubquery: SQLSubquery { SQLSubquery(RelationSubquery(relation: _relation)) }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try prepared(db, forSingleResult: singleResult)
    }

    /// Returns the number of rows that a fetch returns.
    ///
    /// ```swift
    /// try Player.filter { $0.score > 10 }.fetchCount(db)
    /// // SELECT COUNT(*) FROM "player" WHERE "score" > 10
    /// try Player.select(\.name).distinct().fetchCount(db)
    /// // SELECT COUNT(DISTINCT "name") FROM "player", when the column is NOT NULL; otherwise
    /// // SELECT COUNT(*) FROM (SELECT DISTINCT "name" FROM "player")
    /// ```
    ///
    /// The request is also written as a subquery, `SELECT COUNT(*) FROM (SELECT …)`, in these cases:
    /// - The request has groups or a limit.
    /// - The selection contains an aggregate, a window function or a subquery, or an expression that may contain one,
    ///   such as plain SQL.
    /// - A selected column is named with `forKey(_:)`.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCount(_ db: Database) throws -> Int {
        var writer = SQLWriter(db)
        try _relation.writeCount(to: &writer)
        return try fetchOne(db, writer) ?? 0
    }

    /// Returns whether the request has no rows.
    ///
    /// ```swift
    /// try Player.filter { $0.score > 10 }.isEmpty(db)
    /// // SELECT EXISTS (SELECT * FROM "player" WHERE "score" > 10)
    /// ```
    ///
    /// A request with `DISTINCT` and `OFFSET` is written `EXISTS (SELECT * FROM (SELECT DISTINCT …))`, because SQLite
    /// ignores a DISTINCT directly inside EXISTS.
    ///
    /// - Throws: a ``DatabaseError``.
    public func isEmpty(_ db: Database) throws -> Bool {
        var relation = _relation
        // A fetch also selects the keys of to-many associations, which can make more rows distinct.
        if relation.isDistinct && relation.limit?.offset != nil { _ = try relation.prepareForPrefetch(db) }
        var writer = SQLWriter(db)
        writer.append("SELECT EXISTS ")
        try writer.append(operand: ExistsOperand(subquery: RelationSubquery(relation: relation)))
        return try !(fetchOne(db, writer) ?? false)
    }

    /// Fetches a value that is computed from the rows of the request.
    private func fetchOne<T: DatabaseValueConvertible & StatementColumnConvertible>(
        _ db: Database, _ writer: SQLWriter
    ) throws -> T? {
        let knownRows = try db.isRecordingAccess ? RequestedRows(SelectQuery(_relation, db)) : nil
        guard let knownRows else { return try T.fetchOne(db, sql: writer.sql, arguments: writer.arguments) }
        return try db.withStatement(sql: writer.sql) { statement in
            try statement.setArguments(writer.arguments)
            return try knownRows.reading(db, by: statement) { try T.fetchOne(statement) }
        }
    }

    /// Returns the region that the request reads, including the rows of to-many associations. If the request filters by
    /// key, the region contains only the rows with these keys.
    ///
    /// ```swift
    /// try Player.filter(keys: [1, 2]).databaseRegion(db).description
    /// // "player(id,name,score)[1,2]"
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the request doesn't fit the schema, or if a statement doesn't compile.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try _relation.region(db)
    }
}

extension QueryInterfaceRequest: PlannedRequest {
    func plan(_ db: Database, forSingleResult singleResult: Bool) throws -> RequestPlan {
        var relation = _relation
        let prefetches = try relation.prepareForPrefetch(db)
        if db.observation.recordsConstantAccess {
            // The region that `recordingAccess` records during this fetch must contain what later fetches read. A later
            // fetch may find other associated rows. Therefore, the recorded region contains all rows that the prefetch
            // may read.
            for prefetch in prefetches {
                let region = try prefetch.region(db)
                try db.registerAccess(to: region)
            }
        }
        var query = try SelectQuery(relation, db)
        if try singleResult && !query.hasSingleResult { query.limitToOne() }
        var writer = SQLWriter(db)
        try query.write(to: &writer)
        return RequestPlan(
            sql: writer.sql, arguments: writer.arguments, adapter: try query.adapter(),
            prefetch: prefetches.isEmpty ? nil : { db, rows in try prefetches.forEach { try $0.fetch(db, rows) } },
            knownRows: try RequestedRows(query))
    }
}

/// The SELECT statement of a relation.
struct RelationSubquery: SubqueryNode {
    let relation: Relation

    var nestedNodes: [any SQLNode] { relation.nestedNodes }

    var storedDepth: Int? { TooDeepNode.subqueryDepth + (nestedNodes.map(\.depth).max() ?? 0) }

    /// Writes the subquery.
    ///
    /// With a `TableAlias`, the subquery may refer to a column of an outer table: a table of the outer statement. If a
    /// table of the subquery has the same name as the outer table, SQLite would look up the column in the subquery's
    /// table. In this case, the subquery is written again with a different name for its own table, such as `"player1"`.
    /// The subqueries inside it are written again, too, so the writer limits how often that happens.
    func write(to writer: inout SQLWriter) throws {
        try writer.checkDepth()
        var query = try SelectQuery(relation, writer.db)
        var takenNames: Set<TableName> = []
        while writer.hasAliasedTable(named: query.tableNames) {
            var attempt = writer
            let references = try attempt.referencesToOuterTables { try query.write(to: &$0) }
            let hiddenTables = references.intersection(query.tableNames)
            if hiddenTables.isEmpty {
                writer = attempt
                return
            }
            try writer.countRepetition(after: attempt)
            takenNames.formUnion(hiddenTables)
            query = try SelectQuery(relation, writer.db, takenNames: takenNames)
        }
        try query.write(to: &writer)
    }

    func columnCount(_ db: Database) throws -> Int { try SelectQuery(relation, db).columnCount() }
}
