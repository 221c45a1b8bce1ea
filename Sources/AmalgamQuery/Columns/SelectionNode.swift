public import AmalgamCore

/// A node that writes result columns.
package protocol SelectionNode: SQLNode {
    /// Returns the number of columns that the node writes for the current table of a writer; nil if it is unknown.
    func columnCount(in writer: SQLWriter) throws -> Int?

    /// The selected expression, without its name, if the node selects exactly one.
    var expression: (any SQLNode)? { get }

    /// Whether the columns have names to which the rest of the statement may refer.
    var hasKey: Bool { get }

    /// Whether the selection certainly returns one row for each row of the table: it contains no aggregate.
    var isComputedPerRow: Bool { get }
}

extension SelectionNode {
    package var expression: (any SQLNode)? { nil }

    package var hasKey: Bool { false }

    package var isComputedPerRow: Bool { expression.map { SQLExpression(node: $0).isComputedPerRow } ?? false }
}

extension SQLSelection {
    /// Returns the number of columns that are written for the current table of a writer; nil for plain SQL.
    func columnCount(in writer: SQLWriter) throws -> Int? {
        switch node {
        case let selection as any SelectionNode: try selection.columnCount(in: writer)
        case is SQL: nil
        default: 1
        }
    }

    /// The selected expression, if there is exactly one.
    var expression: (any SQLNode)? {
        switch node {
        case let selection as any SelectionNode: selection.expression
        case is SQL: nil
        default: node
        }
    }

    /// Whether the columns have names to which the rest of the statement may refer.
    var hasKey: Bool { (node as? any SelectionNode)?.hasKey ?? false }
}

/// A named result column: `"score" + 1 AS "next"`.
struct NamedSelection: SelectionNode {
    let node: any SQLNode
    let key: String

    var nestedNodes: [any SQLNode] { [node] }

    func write(to writer: inout SQLWriter) throws {
        try node.write(to: &writer)
        writer.append(" AS ")
        writer.append(key.quotedDatabaseIdentifier)
    }

    func columnCount(in writer: SQLWriter) -> Int? { 1 }

    var expression: (any SQLNode)? { node }

    var hasKey: Bool { true }
}

extension SQLSpecificExpressible {
    /// Names the expression in the result: `AS`.
    ///
    /// ```swift
    /// Player.select { ($0.score + $0.bonus).forKey("total") }
    /// // SELECT "score" + "bonus" AS "total" FROM "player"
    /// ```
    public func forKey(_ key: String) -> SQLSelection {
        SQLSelection(node: NamedSelection(node: sqlExpression.node, key: key))
    }

    /// Names the expression in the result after a coding key.
    public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }
}
