import AmalgamCore

/// The set of an IN operator of which all elements are known.
protocol KnownSetNode: SQLNode {
    /// The elements.
    var elements: [any SQLNode] { get }
}

/// `(1, 2, 3)`; `(VALUES (1, 2), (3, 4))` for row values; one argument for more values than a statement has parameters.
struct ListNode: KnownSetNode {
    let elements: [any SQLNode]

    /// SQLite wants a table on the right of `("a", "b") IN`: <https://sqlite.org/rowvalue.html#row_value_in_operators>.
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
