import AmalgamCore

/// The right side of an IN operator whose elements are known.
protocol KnownSetNode: SQLNode {
    /// The elements.
    var elements: [any SQLNode] { get }

    /// Returns the elements as one argument; nil if each element is written separately.
    func largeList(in writer: SQLWriter) -> LargeListNode?
}

/// `(1, 2, 3)`; `(VALUES (1, 2), (3, 4))` for row values.
struct ListNode: KnownSetNode {
    let elements: [any SQLNode]

    var nestedNodes: [any SQLNode] { elements }

    /// Writes row values in a VALUES clause, because SQLite requires a table on the right of `("a", "b") IN`.
    func write(to writer: inout SQLWriter) throws {
        writer.append(elements.contains(where: \.isRowValue) ? "(VALUES " : "(")
        try writer.append(elements)
        writer.append(")")
    }

    func largeList(in writer: SQLWriter) -> LargeListNode? { LargeListNode(elements, in: writer) }
}

extension SQLArray: KnownSetNode {
    var elements: [any SQLNode] { values }

    func largeList(in writer: SQLWriter) -> LargeListNode? { LargeListNode(self, in: writer) }
}
