public import AmalgamCore

/// A node that is written as some result columns.
package protocol SelectionNode: SQLNode {
    /// How many columns the node makes, in the scope of a writer; nil when that cannot be told.
    func columnCount(in writer: SQLWriter) throws -> Int?

    /// The selected expression, without its name, when there is just one.
    var expression: (any SQLNode)? { get }

    /// Whether the columns get names that the rest of the statement may refer to.
    var hasKey: Bool { get }

    /// Whether each row certainly has columns of its own: no aggregate makes one row of several ones.
    var isComputedPerRow: Bool { get }
}

extension SelectionNode {
    package var expression: (any SQLNode)? { nil }

    package var hasKey: Bool { false }

    package var isComputedPerRow: Bool { expression.map { SQLExpression(node: $0).isComputedPerRow } ?? false }
}

extension SQLSelection {
    /// How many columns are made in the scope of a writer; nil for plain SQL.
    func columnCount(in writer: SQLWriter) throws -> Int? {
        switch node {
        case let selection as any SelectionNode: try selection.columnCount(in: writer)
        case is SQL: nil
        default: 1
        }
    }

    /// The selected expression, when there is just one.
    var expression: (any SQLNode)? {
        switch node {
        case let selection as any SelectionNode: selection.expression
        case is SQL: nil
        default: node
        }
    }

    /// Whether the columns get names that the rest of the statement may refer to.
    var hasKey: Bool { (node as? any SelectionNode)?.hasKey ?? false }
}

/// `"score" + 1 AS "next"`
struct NamedSelection: SelectionNode {
    let node: any SQLNode
    let key: String

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
    /// The expression, as a result column with a name.
    ///
    /// ```swift
    /// Player.select { ($0.score + $0.bonus).forKey("total") }
    /// // SELECT "score" + "bonus" AS "total" FROM "player"
    /// ```
    public func forKey(_ key: String) -> SQLSelection {
        SQLSelection(node: NamedSelection(node: sqlExpression.node, key: key))
    }

    /// The expression, as a result column with the name of a coding key.
    public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }
}
