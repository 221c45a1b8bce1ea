/// A part of an SQL statement that can write its SQL.
///
/// ``SQLExpression``, ``SQLSelection`` and ``SQLOrdering`` each wrap a node. Any module can declare nodes. A node
/// doesn't know the statement that contains it: the ``SQLWriter`` decides whether a column is written as `"score"` or
/// `"player"."score"`.
package protocol SQLNode: Sendable {
    func write(to writer: inout SQLWriter) throws

    /// Whether the node needs no parentheses as an operand: a name, a value or a function call.
    var isAtom: Bool { get }

    /// The nodes that this node contains. ``SQLExpression`` limits how deeply nodes are nested. Each type of
    /// node has to declare them, because they determine its depth.
    var nestedNodes: [any SQLNode] { get }

    /// The depth of the tree of nodes, if the node has stored it: see ``depth``.
    var storedDepth: Int? { get }

    /// Returns the node to write for a Swift value that is compared with this node.
    ///
    /// - Returns: nil for the usual format, in which a column stores the value. A node that reads from JSON returns the
    ///   value in the format of the JSON: for example, a number for a date.
    func comparand(of value: any SQLExpressible) -> (any SQLNode)?
}

extension SQLNode {
    package var isAtom: Bool { false }

    package var storedDepth: Int? { nil }

    package func comparand(of value: any SQLExpressible) -> (any SQLNode)? { nil }
}

extension SQLWriter {
    /// Writes a node as an operand of an operator, in parentheses if it needs them.
    package mutating func append(operand node: any SQLNode) throws {
        try checkDepth()
        if node.isAtom { return try node.write(to: &self) }
        append("(")
        try node.write(to: &self)
        append(")")
    }

    /// Writes nodes with a separator between them.
    package mutating func append(_ nodes: [any SQLNode], separator: String = ", ") throws {
        try checkDepth()
        for (index, node) in nodes.enumerated() {
            if index > 0 { append(separator) }
            try node.write(to: &self)
        }
    }
}
