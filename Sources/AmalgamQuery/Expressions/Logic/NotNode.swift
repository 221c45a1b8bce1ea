import AmalgamCore

/// A negation: `NOT "isActive"`.
struct NotNode: CompositeNode {
    let node: any SQLNode

    var operands: [any SQLNode] { [node] }

    func write(to writer: inout SQLWriter) throws {
        writer.append("NOT ")
        try writer.append(operand: node)
    }
}

extension NotNode: CollatableNode {
    func collated(by collation: String) -> any SQLNode { NotNode(node: node.withCollation(collation)) }
}
