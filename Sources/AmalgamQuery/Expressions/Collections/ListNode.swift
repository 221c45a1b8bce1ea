import AmalgamCore

/// The right side of an IN operator whose elements are known.
protocol KnownSetNode: SQLNode {
    /// The elements.
    var elements: [any SQLNode] { get }
}

/// `(1, 2, 3)`; `(VALUES (1, 2), (3, 4))` for row values; one argument if a statement can't have enough parameters.
struct ListNode: KnownSetNode {
    let elements: [any SQLNode]

    var nestedNodes: [any SQLNode] { elements }

    /// Writes row values in a VALUES clause, because SQLite requires a table on the right of `("a", "b") IN`.
    func write(to writer: inout SQLWriter) throws {
        if let list = LargeListNode(elements, in: writer) { return try list.write(to: &writer) }
        writer.append(elements.contains(where: \.isRowValue) ? "(VALUES " : "(")
        try writer.append(elements)
        writer.append(")")
    }
}

extension SQLArray: KnownSetNode {
    var elements: [any SQLNode] { values }
}
