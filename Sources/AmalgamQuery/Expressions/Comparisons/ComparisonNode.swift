import AmalgamCore

/// A comparison by order: `"score" > 10`.
struct ComparisonNode: CompositeNode {
    enum Operator: String {
        case less = " < "
        case lessOrEqual = " <= "
        case greater = " > "
        case greaterOrEqual = " >= "
    }

    let comparison: Operator
    let compared: ComparedOperands

    init(_ left: any SQLNode, _ comparison: Operator, _ right: any SQLNode) {
        self.init(comparison: comparison, compared: ComparedOperands(left, right))
    }

    private init(comparison: Operator, compared: ComparedOperands) {
        self.comparison = comparison
        self.compared = compared
    }

    var operands: [any SQLNode] { compared.nodes }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: compared.left)
        writer.append(comparison.rawValue)
        try writer.append(operand: compared.right)
        writer.append(collation: compared.collation)
    }
}

extension ComparisonNode: CollatableNode {
    func collated(by collation: String) -> any SQLNode {
        ComparisonNode(comparison: comparison, compared: compared.collated(by: collation))
    }
}
