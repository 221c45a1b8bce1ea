/// A piece of SQL that writes itself.
///
/// This is the open end of the SQL types: an expression, selection or ordering is a node, whoever declares it. A node
/// knows its parts, and not where it stands: the writer knows in which scope columns are written.
package protocol SQLNode: Sendable {
    func write(to writer: inout SQLWriter) throws

    /// Whether the node stands as an operand without parentheses: a name, a value, a call of a function.
    var isAtom: Bool { get }

    /// The node of a Swift value that is compared with this node.
    ///
    /// - Returns: nil when the value is compared in the form that a column stores. A value inside JSON has another form: a
    ///   date is a number there, for instance.
    func comparand(of value: any SQLExpressible) -> (any SQLNode)?
}

extension SQLNode {
    package var isAtom: Bool { false }

    package func comparand(of value: any SQLExpressible) -> (any SQLNode)? { nil }
}

extension SQLWriter {
    /// Writes a node where an operator expects an operand: in parentheses, unless it needs none.
    package mutating func append(operand node: any SQLNode) throws {
        if node.isAtom { return try node.write(to: &self) }
        append("(")
        try node.write(to: &self)
        append(")")
    }

    /// Writes nodes one after the other, with a separator between them.
    package mutating func append(_ nodes: [any SQLNode], separator: String = ", ") throws {
        for (index, node) in nodes.enumerated() {
            if index > 0 { append(separator) }
            try node.write(to: &self)
        }
    }
}
