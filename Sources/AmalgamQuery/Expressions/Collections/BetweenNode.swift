import AmalgamCore

/// `"score" BETWEEN 1 AND 10`, and its negation.
struct BetweenNode: CompositeNode {
    let element: any SQLNode
    let lowerBound: any SQLNode
    let upperBound: any SQLNode
    private var collation: String?
    private var isNegated = false

    init(_ element: any SQLNode, _ lowerBound: any SQLNode, _ upperBound: any SQLNode) {
        let operand = CollatedOperand(element)
        self.element = operand.node
        self.lowerBound = lowerBound
        self.upperBound = upperBound
        collation = operand.collation
    }

    var operands: [any SQLNode] { [element, lowerBound, upperBound] }

    func write(to writer: inout SQLWriter) throws {
        // A collation behind the upper bound would not be that of the lower bound.
        try writer.append(operand: collation.map { CollatedNode(node: element, collation: $0) } ?? element)
        writer.append(isNegated ? " NOT BETWEEN " : " BETWEEN ")
        try writer.append(operand: lowerBound)
        writer.append(" AND ")
        try writer.append(operand: upperBound)
    }

    var negation: (any SQLNode)? {
        var node = self
        node.isNegated.toggle()
        return node
    }
}

extension BetweenNode: CollatableNode {
    func collated(by collation: String) -> any SQLNode {
        var node = self
        node.collation = self.collation ?? collation
        return node
    }
}
