package import AmalgamCore

/// How the rows of a request relate to the rows of its table.
extension QueryInterfaceRequest {
    /// Whether the rows of the request depend on its selection: with DISTINCT, GROUP BY, HAVING, or an aggregate function in
    /// its selection. Aggregates in plain SQL aren't known.
    package var combinesRows: Bool {
        if isDistinct || _relation.groups != nil || !_relation.groupFilters.isEmpty { return true }
        return _relation.selection.contains { selection in
            if case .known(let selection) = selection { return selection.contains(where: \.isAggregate) }
            return false
        }
    }

    /// Whether duplicate rows are removed.
    package var isDistinct: Bool { _relation.isDistinct }

    package var hasLimit: Bool { _relation.limit != nil }

    /// Returns whether DISTINCT, GROUP BY and aggregates leave each row of the table apart: distinct rows have the primary
    /// key, or the rowid, and groups are those of the primary key. Aggregates in plain SQL aren't known.
    package func rowsAreRowsOfTable(_ db: Database) throws -> Bool {
        if isDistinct, try !_relation.selectsKey(db) { return false }
        if _relation.groups != nil || !_relation.groupFilters.isEmpty { return try _relation.groupsAreRows(db) }
        return !combinesRows || isDistinct
    }

    /// Returns a name for a common table expression that selects from the request: the given name, with underscores if a
    /// table of the request has it.
    package func tableName(like name: String) -> String {
        let names = Set(_relation.tableNames.map(TableName.init))
        var unused = name
        while names.contains(TableName(unused)) { unused += "_" }
        return unused
    }
}

extension Relation {
    /// The names of all tables that the relation selects from or joins.
    fileprivate var tableNames: [String] { [source.name] + joins.flatMap(\.relation.tableNames) }

    /// Returns whether the selection has all columns of the primary key, or the rowid.
    fileprivate func selectsKey(_ db: Database) throws -> Bool {
        guard let primaryKey = try source.primaryKey(db) else { return false }
        let table = IdentifiedTable(db: db, source: source, aliases: aliases)
        var columns: Set<TableName> = []
        for selection in try selection.flatMap({ try $0.resolve(db) }) {
            if selection.node is AllColumnsNode {
                columns.formUnion(try source.columnNames(db).map(TableName.init))
            } else if let column = selection.expression.flatMap({ SQLExpression(node: $0).plainColumn(in: table) }) {
                columns.insert(column)
            }
        }
        return try columns.isSuperset(of: primaryKey.columns.map(TableName.init))
            || columns.contains(where: table.isRowID)
    }
}
