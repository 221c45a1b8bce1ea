import AmalgamCore

extension SelectQuery {
    /// The first table, for the analysis of conditions.
    var identifiedTable: IdentifiedTable {
        IdentifiedTable(db: db, source: root.scope.source, aliases: root.relation.aliases)
    }

    /// Whether the result certainly has at most one row, for one of these reasons:
    ///
    /// - The limit is 0 or 1.
    /// - No table is joined, and the conditions fix all columns of a key, as `"id" = 1` does.
    /// - No table is joined, all selected expressions are aggregates, such as `COUNT(*)`, and there is no `GROUP BY`
    ///   clause.
    var hasSingleResult: Bool {
        get throws {
            let relation = root.relation
            if relation.limit?.count == 1 || relation.limit?.count == 0 { return true }
            if relation.groups == nil && root.joined.isEmpty {
                let isOnlyAggregates = !root.selection.isEmpty && root.selection.allSatisfy(\.isAggregate)
                if isOnlyAggregates { return true }
            }
            return try root.joined.isEmpty && fixesKey
        }
    }

    /// Whether the conditions fix all columns of a key.
    private var fixesKey: Bool {
        get throws {
            if root.filters.isEmpty { return false }
            let columns = try SQLExpression(root.filters, joinedBy: .and).fixedColumns(in: identifiedTable)
            if columns.isEmpty { return false }
            let source = root.scope.source
            guard source is TableSource, let primaryKey = try source.primaryKey(db) else { return false }
            if columns.isSuperset(of: primaryKey.columns.map(TableName.init)) { return true }
            if try columns.contains(where: identifiedTable.isRowID) { return true }
            if try db.viewExists(source.name) { return false }
            return try db.table(source.name, hasUniqueKey: columns.map(\.spelling))
        }
    }

    /// Limits the result to one row.
    mutating func limitToOne() {
        root.relation.limit = Limit(count: 1, offset: root.relation.limit?.offset)
    }

    /// The rowids and column values of the first table's rows that the conditions can accept, if they are known.
    var knownRows: KnownRows {
        get throws {
            if root.filters.isEmpty || !(root.scope.source is TableSource) { return KnownRows() }
            let condition = SQLExpression(root.filters, joinedBy: .and)
            let rowIDs = try condition.rowIDs(in: identifiedTable)
            if rowIDs?.isEmpty == true { return KnownRows(rowIDs: []) }
            let values = try condition.fixedValues(in: identifiedTable).filter { column, values in
                if try rowIDs != nil && identifiedTable.isRowID(column) { return false }
                let comparison = try db.comparison(ofColumn: column.spelling, in: root.scope.source.name)
                return values.allSatisfy(comparison.tellsApart)
            }
            return KnownRows(rowIDs: rowIDs, values: values)
        }
    }
}

extension Relation {
    /// Returns the region that the statement reads, and the regions of the prefetches of to-many associations.
    func region(_ db: Database) throws -> DatabaseRegion {
        var relation = self
        // The statement of a fetch also selects the keys of the prefetches.
        let prefetches = try relation.prepareForPrefetch(db)
        let query = try SelectQuery(relation, db)
        var writer = SQLWriter(db)
        try query.write(to: &writer)
        let rows = try query.knownRows
        var region = try db.withStatement(sql: writer.sql) { statement in
            statement.region(statement.databaseRegion, reducedTo: rows, of: source.name)
        }
        for prefetch in prefetches where !region.isEmpty { region.formUnion(try prefetch.region(db)) }
        return region
    }
}
