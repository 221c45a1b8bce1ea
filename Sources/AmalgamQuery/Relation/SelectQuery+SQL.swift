import AmalgamCore

extension SelectQuery {
    /// Writes the statement.
    func write(to writer: inout SQLWriter) throws {
        var outer = writer.scope
        outer?.isQualified = true
        try writer.statement(aliases: aliases) { writer in
            try writeCommonTables(to: &writer)
            writer.append(root.relation.isDistinct ? "SELECT DISTINCT " : "SELECT ")
            try writeSelection(to: &writer)
            try writeFrom(nestedIn: outer, to: &writer)
            try writer.within(root.scope) { writer in
                try writeConditions(to: &writer)
            }
            try writeOrdering(to: &writer)
            writer.append(root.relation.limit)
        }
    }

    /// Writes the WITH clause with the common table expressions of all tables, and a blank after it.
    func writeCommonTables(to writer: inout SQLWriter) throws {
        let tables = try commonTables(writer)
        if tables.isEmpty { return }
        writer.append(tables.contains(where: \.isRecursive) ? "WITH RECURSIVE " : "WITH ")
        for (index, table) in tables.enumerated() {
            if index > 0 { writer.append(", ") }
            try table.write(to: &writer)
        }
        writer.append(" ")
    }

    /// Returns the common table expressions, one for each name, in the order in which they were added.
    ///
    /// - Throws: `SQLITE_MISUSE` if two definitions of one name differ.
    private func commonTables(_ writer: SQLWriter) throws -> [CommonTable] {
        var result: [CommonTable] = []
        try root.forEach { table in
            for commonTable in table.relation.commonTables {
                let name = TableName(commonTable.source.name)
                if let known = result.first(where: { TableName($0.source.name) == name }) {
                    try known.check(isSameAs: commonTable, writer)
                } else {
                    result.append(commonTable)
                }
            }
        }
        return result
    }

    private func writeSelection(to writer: inout SQLWriter) throws {
        var isFirst = true
        try root.forEach { table in
            guard table.join?.isIncluded ?? true else { return }
            try writer.within(table.scope) { writer in
                for selection in table.selection {
                    if !isFirst { writer.append(", ") }
                    isFirst = false
                    try selection.node.write(to: &writer)
                }
            }
        }
        if isFirst {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "Can't generate SQL with empty selection: select a column at least"
            )
        }
    }

    /// Writes a space and the FROM clause.
    ///
    /// - Parameter outer: the table of the outer statement, if this statement is a subquery. A table-valued function in
    ///   the FROM clause can have columns of the outer table as arguments.
    private func writeFrom(nestedIn outer: SQLScope?, to writer: inout SQLWriter) throws {
        writer.append(" FROM ")
        try writer.append(root.scope, behind: outer)
        for table in root.joined { try write(table, joinedTo: root.scope, to: &writer) }
    }

    private func write(_ table: Table, joinedTo left: SQLScope, to writer: inout SQLWriter) throws {
        writer.append(table.join?.kind == .required ? " JOIN " : " LEFT JOIN ")
        try writer.append(table.scope, behind: left)
        try writeCondition(of: table, joinedTo: left, to: &writer)
        for joined in table.joined { try write(joined, joinedTo: table.scope, to: &writer) }
    }

    private func writeCondition(of table: Table, joinedTo left: SQLScope, to writer: inout SQLWriter) throws {
        var conditions = table.filters
        var aliases: [ObjectIdentifier: SQLScope] = [:]
        switch table.join?.condition {
        case .foreignKey(let link):
            conditions.insert(
                contentsOf: try link.columns(db).map { columns in
                    SQLExpression(node: try linkNode(link, columns, left, table.scope))
                }, at: 0)
        case .expression(let condition, let leftAlias, let rightAlias):
            conditions.insert(condition, at: 0)
            aliases = [ObjectIdentifier(leftAlias): left, ObjectIdentifier(rightAlias): table.scope]
        case nil, JoinCondition.none?: break
        }
        if conditions.isEmpty { return }
        writer.append(" ON ")
        try writer.binding(aliases) { writer in
            try writer.within(table.scope) { writer in
                try SQLExpression(conditions, joinedBy: .and).node.write(to: &writer)
            }
        }
    }

    /// Writes the WHERE, GROUP BY and HAVING clauses.
    private func writeConditions(to writer: inout SQLWriter) throws {
        try writeFilter(to: &writer)
        if let groups = try root.relation.groups?.resolve(db), !groups.isEmpty {
            writer.append(" GROUP BY ")
            try writer.append(groups.map(\.node))
        }
        if !root.relation.groupFilters.isEmpty {
            let conditions = try root.relation.groupFilters.map { try $0.resolve(db) }
            writer.append(" HAVING ")
            try SQLExpression(conditions, joinedBy: .and).node.write(to: &writer)
        }
    }

    /// Writes the WHERE clause, if any.
    func writeFilter(to writer: inout SQLWriter) throws {
        if root.filters.isEmpty { return }
        writer.append(" WHERE ")
        try SQLExpression(root.filters, joinedBy: .and).node.write(to: &writer)
    }

    /// Writes the ORDER BY clause, if any: the terms of the first table, then those of the joined tables.
    func writeOrdering(to writer: inout SQLWriter) throws {
        var isFirst = true
        let sorter = root.relation.ordering.isStable ? try root.joined.first(where: hasKeyOfRoot) : nil
        try root.forEachOrdered { table, isReversed in
            let terms = try table.relation.ordering.terms(db, isReversed: isReversed) {
                if let sorter, table.join == nil { return try stableTerms(of: sorter) }
                return table.scope.name == sorter?.scope.name ? [] : try stableTerms(of: table)
            }
            try writer.within(table.scope) { writer in
                for term in terms {
                    writer.append(isFirst ? " ORDER BY " : ", ")
                    isFirst = false
                    try term.node.write(to: &writer)
                }
            }
        }
    }

    /// Returns the condition of two columns.
    ///
    /// SQLite takes the collation of the left operand, which is the joined table's column. A join in the opposite direction
    /// of the association compares by the same collation.
    private func linkNode(
        _ link: ForeignKeyLink, _ columns: JoinedColumns, _ left: SQLScope, _ right: SQLScope
    ) throws -> LinkNode {
        let collations = link.isReversed ? try [(columns.left, left), (columns.right, right)].map(collation) : []
        let isExchanged = link.isReversed && collations[0] != collations[1]
        return LinkNode(left: left, right: right, columns: columns, isExchanged: isExchanged)
    }

    /// Returns the collation of a column; nil for a view, whose collation SQLite doesn't report.
    private func collation(_ column: String, _ scope: SQLScope) throws -> Database.CollationName? {
        guard scope.source is TableSource else { return .binary }
        return try db.comparison(ofColumn: column, in: scope.source.name).collation
    }

    /// Returns the terms that make the order of a table unique: the primary key, or all selected columns.
    private func stableTerms(of table: Table) throws -> [SQLOrdering] {
        if let primaryKey = try table.scope.source.primaryKey(db) {
            return primaryKey.columns.map { SQLOrdering(node: KeyColumnNode(scope: table.scope, column: $0)) }
        }
        return try (1...max(1, columnCount())).map { SQL(sql: String($0)).sqlOrdering }
    }

    /// Whether a joined table is virtual, and its rowid equals the key of the first table. SQLite lets a virtual table
    /// sort the rows only if all terms are its columns, so these tables have one term for both keys.
    private func hasKeyOfRoot(_ table: Table) throws -> Bool {
        guard let join = table.join, join.kind == .required, case .foreignKey(let link) = join.condition,
            try db.isVirtualTable(table.scope.source.name),
            let rowID = try table.scope.source.primaryKey(db)?.columns,
            let key = try root.scope.source.primaryKey(db)?.columns
        else { return false }
        return try link.columns(db) == zip(key, rowID).map(JoinedColumns.init) && key.count == rowID.count
    }
}

extension SQLWriter {
    /// Writes a table of a FROM clause.
    ///
    /// - Parameter left: the table to which this table is joined, or the table of the outer statement. If `scope` is a
    ///   table-valued function, columns of the table `left` can be its arguments.
    fileprivate mutating func append(_ scope: SQLScope, behind left: SQLScope?) throws {
        if let function = scope.source as? any TableFunctionCallNode {
            try within(left) { try function.write(to: &$0) }
        } else {
            append(scope.source.name.quotedDatabaseIdentifier)
        }
        if scope.name != scope.source.name {
            append(" ")
            append(scope.name.quotedDatabaseIdentifier)
        }
    }

    /// Writes a LIMIT clause.
    mutating func append(_ limit: Limit?) {
        guard let limit else { return }
        append(" LIMIT \(limit.count)")
        if let offset = limit.offset { append(" OFFSET \(offset)") }
    }
}

/// A column of the key of one of the tables.
private struct KeyColumnNode: SQLNode {
    let scope: SQLScope
    let column: String

    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        writer.within(scope) { $0.append(column: column) }
    }
}

/// The join condition of a foreign key: `"team"."id" = "player"."teamId"`.
private struct LinkNode: SQLNode {
    let left: SQLScope
    let right: SQLScope
    let columns: JoinedColumns

    /// Whether the column of the table on the left of the JOIN is the left operand.
    let isExchanged: Bool

    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        let operands = [(right, columns.right), (left, columns.left)]
        for (position, (scope, column)) in (isExchanged ? operands.reversed() : operands).enumerated() {
            if position > 0 { writer.append(" = ") }
            writer.within(scope) { $0.append(column: column) }
        }
    }
}

// MARK: - Columns of the result

extension SelectQuery {
    /// Returns the number of result columns.
    ///
    /// - Throws: `SQLITE_MISUSE` if the number is unknown, because the selection contains plain SQL.
    func columnCount() throws -> Int {
        var count = 0
        try countColumns { _, columnCount in count += columnCount }
        return count
    }

    /// Calls a closure with each table and the number of columns selected from it.
    private func countColumns(_ body: (Table, Int) -> Void) throws {
        var writer = SQLWriter(db)
        try writer.statement(aliases: aliases) { writer in
            try root.forEach { table in
                let isIncluded = table.join?.isIncluded ?? true
                try writer.within(table.scope) { writer in
                    body(table, isIncluded ? try writer.columnCount(table.selection) : 0)
                }
            }
        }
    }

    /// Returns the adapter that makes a scope of the row for each joined table; nil if the row has no scopes.
    func adapter() throws -> (any RowAdapter)? {
        if !root.joined.contains(where: { $0.join?.hasIncludedRows ?? false }) { return nil }
        var counts: [Int] = []
        try countColumns { counts.append($1) }
        var columns = ColumnRanges(counts: counts)
        return adapter(root, &columns)
    }

    /// Returns the numbers of columns of the first table and of each scope; an empty array if the row has no scopes.
    func partSizes() throws -> [RowPartSize] {
        if !root.joined.contains(where: { $0.join?.hasIncludedRows ?? false }) { return [] }
        var counts: [Int] = []
        try countColumns { counts.append($1) }
        var (sizes, rest): ([RowPartSize], ArraySlice<Int>) = ([], counts[...])
        collectPartSizes(root, [], &rest, &sizes)
        return sizes
    }

    private func collectPartSizes(
        _ table: Table, _ path: [String], _ counts: inout ArraySlice<Int>, _ sizes: inout [RowPartSize]
    ) {
        let count = counts.popFirst() ?? 0
        if table.join?.hasIncludedRows ?? true { sizes.append(RowPartSize(path: path, columnCount: count)) }
        for joined in table.joined {
            collectPartSizes(joined, path + [joined.join?.key ?? ""], &counts, &sizes)
        }
    }

    private func adapter(_ table: Table, _ columns: inout ColumnRanges) -> any RowAdapter {
        let own = columns.next()
        var scopes: [String: any RowAdapter] = [:]
        for joined in table.joined {
            let part = adapter(joined, &columns)
            if let join = joined.join, join.hasIncludedRows { scopes[join.key] = part }
        }
        let base: any RowAdapter = own.isEmpty ? EmptyRowAdapter() : RangeRowAdapter(own)
        return base.addingScopes(scopes)
    }

    /// The consecutive column ranges of the tables.
    private struct ColumnRanges {
        private var ranges: ArraySlice<CountableRange<Int>>

        init(counts: [Int]) {
            var start = 0
            var ranges: [CountableRange<Int>] = []
            for count in counts {
                ranges.append(start..<start + count)
                start += count
            }
            self.ranges = ranges[...]
        }

        mutating func next() -> CountableRange<Int> { ranges.popFirst() ?? 0..<0 }
    }
}
