package import AmalgamCore

/// A node whose value depends on those of other expressions, and on nothing else.
package protocol CompositeNode: ExpressionNode {
    /// The expressions that the value depends on.
    var operands: [any SQLNode] { get }
}

extension CompositeNode {
    package var isConstant: Bool { operands.areConstant }

    package var isAggregate: Bool { operands.areAggregate }

    package var isComputedPerRow: Bool { operands.areComputedPerRow }
}

extension Sequence<any SQLNode> {
    /// Whether all values are the same for all rows.
    var areConstant: Bool { allSatisfy { SQLExpression(node: $0).isConstant } }

    /// Whether each row certainly has values of its own.
    var areComputedPerRow: Bool { allSatisfy { SQLExpression(node: $0).isComputedPerRow } }

    /// Whether a value that depends on these ones is made of a group of rows, and of constants.
    var areAggregate: Bool {
        let expressions = map(SQLExpression.init(node:))
        return expressions.contains(where: \.isAggregate) && expressions.allSatisfy { $0.isAggregate || $0.isConstant }
    }
}
