import AmalgamCore

/// The operands of a comparison, and the collation that one of them brings.
///
/// A collation is written behind the comparison: `"name" = 'anna' COLLATE NOCASE`. There it belongs to the operand on
/// the right, which makes SQLite use it for both. When both operands bring one, SQLite uses the one on the left.
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

    /// The same operands, compared with a collation unless they bring one already.
    func collated(by collation: String) -> ComparedOperands {
        ComparedOperands(left: left, right: right, collation: self.collation ?? collation)
    }

    /// NULL on the right, when it is on the left only.
    var withNullOnTheRight: ComparedOperands {
        left.isNull && !right.isNull ? ComparedOperands(left: right, right: left, collation: collation) : self
    }

    var nodes: [any SQLNode] { [left, right] }
}

extension SQLNode {
    /// Whether the node is the value NULL.
    var isNull: Bool { (self as? DatabaseValue)?.isNull ?? false }

    /// A value on the other side of a comparison with this node; NULL for nil.
    func compared(with value: (any SQLExpressible)?) -> any SQLNode {
        guard let value else { return DatabaseValue.null }
        return comparand(of: value) ?? value.sqlExpression.node
    }
}

/// The nodes of two values that are compared. Each of them may decide in which form the other one is written.
func comparedNodes(_ lhs: (any SQLExpressible)?, _ rhs: (any SQLExpressible)?) -> (any SQLNode, any SQLNode) {
    let left = lhs?.sqlExpression.node ?? DatabaseValue.null
    let right = left.compared(with: rhs)
    return (lhs.flatMap(right.comparand) ?? left, right)
}
