package import AmalgamCore

/// An expression with properties that save work. Requests also return the right rows without these properties.
///
/// - Because of `fixedColumns`, `fetchOne` adds no `LIMIT 1` to a request with the condition `"id" = 1`.
/// - Because of `rowIDs` and `fixedValues`, an observation can track the rows for which a condition is true, instead
///   of the whole table.
/// - Because of `isComputedPerRow`, `fetchCount` needs no subquery.
package protocol ExpressionNode: SQLNode {
    /// The negation, if SQL has an operator for it: `NOT LIKE` for `LIKE`.
    var negation: (any SQLNode)? { get }

    /// Whether the value is the same for all rows.
    var isConstant: Bool { get }

    /// Whether the value is computed from a group of rows and constants.
    var isAggregate: Bool { get }

    /// Whether the expression is certainly computed for each row: it contains no aggregate, window function or
    /// subquery. False for plain SQL with parentheses, which may contain an aggregate, window function or subquery.
    var isComputedPerRow: Bool { get }

    /// Returns the column whose value follows from the value of the expression: `score` for `-score`, because
    /// `-score = 1` is true for one value of `score` only. Returns nil for other expressions, such as `abs(score)`.
    func column(in table: IdentifiedTable) -> IdentifiedColumn?

    /// Returns the columns that have a single value in all rows for which the condition is true.
    func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName>

    /// Returns the rowids of the rows for which the condition can be true; nil if they are unknown.
    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>?

    /// Returns the possible values of columns in rows for which the condition is true: for `"id" IN (1, 2)`, the value
    /// of `id` is 1 or 2. The collation and affinity of the column apply: with NOCASE, the value `'a'` stands for
    /// `'A'`, too.
    func fixedValues(in table: IdentifiedTable) throws -> [TableName: Set<DatabaseValue>]
}

extension ExpressionNode {
    package var negation: (any SQLNode)? { nil }

    package var isConstant: Bool { false }

    package var isAggregate: Bool { false }

    package var isComputedPerRow: Bool { false }

    package func column(in table: IdentifiedTable) -> IdentifiedColumn? { nil }

    package func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName> { [] }

    package func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>? { nil }

    package func fixedValues(in table: IdentifiedTable) throws -> [TableName: Set<DatabaseValue>] { [:] }
}

/// A column that determines the value of an expression.
package struct IdentifiedColumn {
    /// The name of the column.
    package let name: TableName

    /// Whether the value of the expression is the value of the column: true for `score`, false for `-score`.
    package var isExact: Bool
}

/// The table whose rows a condition may identify.
package struct IdentifiedTable {
    /// The connection, for look-ups on demand.
    package let db: Database

    /// The table.
    package let source: any SQLSource

    /// The aliases of the table.
    let aliases: [TableAliasBase]

    /// Whether columns without an alias belong to the table.
    fileprivate(set) var ownsColumns = true

    /// Returns the same table, for an expression whose columns belong to the table of an alias.
    func inScope(of alias: TableAliasBase) -> IdentifiedTable {
        var table = self
        table.ownsColumns = aliases.contains(alias)
        return table
    }

    /// Returns whether a column is the rowid of the table. An ordinary column named `rowid` isn't.
    func isRowID(_ column: TableName) throws -> Bool {
        source is TableSource ? try db.isRowID(column, ofTable: source.name) : false
    }
}

// The properties of `ExpressionNode`, for any expression. Nodes of other types have the default values.

extension SQLExpression {
    /// The node, unless its properties have the default values: to compute those of a deep tree would take too much of
    /// the stack of a small thread.
    private var analyzedNode: (any ExpressionNode)? { node.depth <= 100 ? node as? any ExpressionNode : nil }

    var isConstant: Bool { analyzedNode?.isConstant ?? false }

    var isAggregate: Bool { analyzedNode?.isAggregate ?? false }

    var isComputedPerRow: Bool { analyzedNode?.isComputedPerRow ?? false }

    func column(in table: IdentifiedTable) -> IdentifiedColumn? { analyzedNode?.column(in: table) }

    func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName> {
        try analyzedNode?.fixedColumns(in: table) ?? []
    }

    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>? { try analyzedNode?.rowIDs(in: table) }

    func fixedValues(in table: IdentifiedTable) throws -> [TableName: Set<DatabaseValue>] {
        try analyzedNode?.fixedValues(in: table) ?? [:]
    }

    /// Returns the column, if the expression is a column of the table without a collation or an operator.
    func plainColumn(in table: IdentifiedTable) -> TableName? {
        switch node {
        case let node as ColumnNode: table.ownsColumns ? TableName(node.name) : nil
        case let node as AliasedNode: SQLExpression(part: node.node).plainColumn(in: table.inScope(of: node.alias))
        default: nil
        }
    }

    /// Returns whether the expression is the rowid of a table.
    func isRowID(of table: IdentifiedTable) throws -> Bool {
        guard let column = column(in: table), column.isExact else { return false }
        return try table.isRowID(column.name)
    }
}

extension [DatabaseValue] {
    /// The rowids that are equal to one of the values. No rowid is equal to NULL.
    ///
    /// - Returns: nil if a value is neither an integer nor NULL, because SQLite may convert the value to an integer.
    var equalRowIDs: Set<Int64>? {
        var rowIDs: Set<Int64> = []
        for value in self {
            switch value.storage {
            case .null: break
            case .int64(let rowID): rowIDs.insert(rowID)
            default: return nil
            }
        }
        return rowIDs
    }
}

extension [DatabaseValue] {
    /// The distinct values without NULL, which is equal to no value.
    var comparableValues: Set<DatabaseValue> { Set(self.lazy.filter { !$0.isNull }) }
}

// MARK: - The nodes of AmalgamCore, and columns

extension DatabaseValue: ExpressionNode {
    package var isConstant: Bool { true }

    package var isComputedPerRow: Bool { true }

    /// A condition that is false for all rows has an empty set of rowids.
    package func rowIDs(in table: IdentifiedTable) -> Set<Int64>? {
        switch storage {
        case .null, .int64(0): []
        default: nil
        }
    }
}

extension SQLFunctionCall: CompositeNode {
    package var operands: [any SQLNode] { arguments.map(\.node) }

    package var isConstant: Bool { isPure && operands.areConstant }

    package var isComputedPerRow: Bool { isScalar && operands.areComputedPerRow }
}

extension SQL: ExpressionNode {
    package var isComputedPerRow: Bool { hasNoParenthesis { SQLExpression(part: $0).isComputedPerRow } }
}

extension DetachedColumn: ExpressionNode {
    var isComputedPerRow: Bool { true }
}

extension ColumnNode: ExpressionNode {
    var isComputedPerRow: Bool { true }

    func column(in table: IdentifiedTable) -> IdentifiedColumn? {
        table.ownsColumns ? IdentifiedColumn(name: TableName(name), isExact: true) : nil
    }
}

extension AliasedNode: ExpressionNode {
    var negation: (any SQLNode)? {
        (node as? any ExpressionNode)?.negation.map { AliasedNode(alias: alias, node: $0) }
    }

    var isConstant: Bool { SQLExpression(part: node).isConstant }

    var isAggregate: Bool { SQLExpression(part: node).isAggregate }

    var isComputedPerRow: Bool { SQLExpression(part: node).isComputedPerRow }

    func column(in table: IdentifiedTable) -> IdentifiedColumn? {
        SQLExpression(part: node).column(in: table.inScope(of: alias))
    }

    func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName> {
        try SQLExpression(part: node).fixedColumns(in: table.inScope(of: alias))
    }

    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>? {
        try SQLExpression(part: node).rowIDs(in: table.inScope(of: alias))
    }

    func fixedValues(in table: IdentifiedTable) throws -> [TableName: Set<DatabaseValue>] {
        try SQLExpression(part: node).fixedValues(in: table.inScope(of: alias))
    }
}
