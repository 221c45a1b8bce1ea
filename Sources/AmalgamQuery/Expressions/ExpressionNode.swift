package import AmalgamCore

/// An expression of which more is known than its SQL.
///
/// What is known makes better requests: no `LIMIT 1` where one row is certain, regions of some rows instead of a table,
/// counting without a subquery. Whatever is not known costs these, and nothing else.
package protocol ExpressionNode: SQLNode {
    /// The negation, where SQL has an operator for it: `NOT LIKE` for `LIKE`.
    var negation: (any SQLNode)? { get }

    /// Whether the value is the same for all rows.
    var isConstant: Bool { get }

    /// Whether the value is made of a group of rows, and of constants.
    var isAggregate: Bool { get }

    /// Whether each row certainly has a value of its own: the expression contains no aggregate, no window function, no
    /// subquery, and no plain SQL with parentheses, in which there may be any of these.
    var isComputedPerRow: Bool { get }

    /// The column that the value tells: values of the expression differ where those of the column do.
    func column(in table: IdentifiedTable) -> IdentifiedColumn?

    /// The columns that have one value only where the condition is true.
    func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName>

    /// The rowids of the rows for which the condition can be true; nil when they are not known.
    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>?

    /// Columns, and the values one of which each is equal to, by its own collation and affinity, in the rows for which the
    /// condition can be true.
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

/// A column that an expression tells.
package struct IdentifiedColumn {
    /// The name.
    package let name: TableName

    /// Whether the value is that of the column, and not only one that differs when the column does, as `-score`.
    package var isExact: Bool
}

/// The table of which a condition may tell rows apart.
package struct IdentifiedTable {
    /// Nothing is looked up before it is needed.
    package let db: Database

    /// The table.
    package let source: any SQLSource

    /// The aliases of the table.
    let aliases: [TableAliasBase]

    /// Whether columns without alias are those of the table.
    fileprivate(set) var ownsColumns = true

    /// The same table, for an expression in the scope of an alias.
    func inScope(of alias: TableAliasBase) -> IdentifiedTable {
        var table = self
        table.ownsColumns = aliases.contains(alias)
        return table
    }

    /// Whether a column is the rowid of the table. An ordinary column may be called `rowid`, and isn't.
    func isRowID(_ column: TableName) throws -> Bool {
        source is TableSource ? try db.isRowID(column, ofTable: source.name) : false
    }
}

// What is known of any node.

extension SQLExpression {
    var isConstant: Bool { (node as? any ExpressionNode)?.isConstant ?? false }

    var isAggregate: Bool { (node as? any ExpressionNode)?.isAggregate ?? false }

    var isComputedPerRow: Bool { (node as? any ExpressionNode)?.isComputedPerRow ?? false }

    func column(in table: IdentifiedTable) -> IdentifiedColumn? { (node as? any ExpressionNode)?.column(in: table) }

    func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName> {
        try (node as? any ExpressionNode)?.fixedColumns(in: table) ?? []
    }

    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>? {
        try (node as? any ExpressionNode)?.rowIDs(in: table)
    }

    func fixedValues(in table: IdentifiedTable) throws -> [TableName: Set<DatabaseValue>] {
        try (node as? any ExpressionNode)?.fixedValues(in: table) ?? [:]
    }

    /// The column of a table that the expression is, without a collation or anything else.
    func plainColumn(in table: IdentifiedTable) -> TableName? {
        switch node {
        case let node as ColumnNode: table.ownsColumns ? TableName(node.name) : nil
        case let node as AliasedNode: SQLExpression(node: node.node).plainColumn(in: table.inScope(of: node.alias))
        default: nil
        }
    }

    /// Whether the expression is the rowid of a table.
    func isRowID(of table: IdentifiedTable) throws -> Bool {
        guard let column = column(in: table), column.isExact else { return false }
        return try table.isRowID(column.name)
    }
}

extension [DatabaseValue] {
    /// The rowids that are equal to one of the values. Nothing is equal to NULL.
    ///
    /// - Returns: nil when a value is no integer: SQLite may convert it.
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
    /// The different values. Nothing is equal to NULL.
    var comparableValues: Set<DatabaseValue> { Set(self.lazy.filter { !$0.isNull }) }
}

// MARK: - The nodes of AmalgamCore, and columns

extension DatabaseValue: ExpressionNode {
    package var isConstant: Bool { true }

    package var isComputedPerRow: Bool { true }

    /// A condition that is false for all rows has no row.
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
    package var isComputedPerRow: Bool { hasNoParenthesis { SQLExpression(node: $0).isComputedPerRow } }
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

    var isConstant: Bool { SQLExpression(node: node).isConstant }

    var isAggregate: Bool { SQLExpression(node: node).isAggregate }

    var isComputedPerRow: Bool { SQLExpression(node: node).isComputedPerRow }

    func column(in table: IdentifiedTable) -> IdentifiedColumn? {
        SQLExpression(node: node).column(in: table.inScope(of: alias))
    }

    func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName> {
        try SQLExpression(node: node).fixedColumns(in: table.inScope(of: alias))
    }

    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>? {
        try SQLExpression(node: node).rowIDs(in: table.inScope(of: alias))
    }

    func fixedValues(in table: IdentifiedTable) throws -> [TableName: Set<DatabaseValue>] {
        try SQLExpression(node: node).fixedValues(in: table.inScope(of: alias))
    }
}
