import AmalgamCore

/// The operands of a comparison, and the collation by which they are compared.
///
/// The collation is written after the right operand: `"name" = 'anna' COLLATE NOCASE`. SQLite compares both operands by
/// this collation, unless the left operand contains another COLLATE operator.
struct ComparedOperands: Sendable {
    let left: any SQLNode
    let right: any SQLNode
    let collation: String?

    init(_ left: any SQLNode, _ right: any SQLNode) {
        let (left, right) = (CollatedOperand(left), CollatedOperand(right))
        self.init(left: left.node, right: right.node, collation: left.collation ?? right.collation)
    }

    private init(left: any SQLNode, right: any SQLNode, collation: String?) {
        self.left = left
        self.right = right
        self.collation = collation
    }

    /// Returns the same operands, compared with a collation, unless the operands already have a collation.
    func collated(by collation: String) -> ComparedOperands {
        ComparedOperands(left: left, right: right, collation: self.collation ?? collation)
    }

    /// The operands, exchanged if only the left one is NULL.
    var withNullOnTheRight: ComparedOperands {
        left.isNull && !right.isNull ? ComparedOperands(left: right, right: left, collation: collation) : self
    }

    var nodes: [any SQLNode] { [left, right] }
}

extension SQLNode {
    /// Whether the node is the value NULL.
    var isNull: Bool { (self as? DatabaseValue)?.isNull ?? false }

    /// Returns the node of a value that is compared with this node; NULL for nil.
    func compared(with value: (any SQLExpressible)?) -> any SQLNode {
        guard let value else { return DatabaseValue.null }
        return comparand(of: value) ?? value.sqlExpression.node
    }
}

/// Returns the nodes of two compared values. Each value may define the encoding of the other value.
func comparedNodes(_ lhs: (any SQLExpressible)?, _ rhs: (any SQLExpressible)?) -> (any SQLNode, any SQLNode) {
    let left = lhs?.sqlExpression.node ?? DatabaseValue.null
    let right = left.compared(with: rhs)
    return (lhs.flatMap(right.comparand) ?? left, right)
}
