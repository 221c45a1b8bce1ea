package import AmalgamCore

/// A node whose value depends only on the values of other expressions.
package protocol CompositeNode: ExpressionNode {
    /// The expressions that determine the value.
    var operands: [any SQLNode] { get }
}

extension CompositeNode {
    package var nestedNodes: [any SQLNode] { operands }

    package var isConstant: Bool { operands.areConstant }

    package var isAggregate: Bool { operands.areAggregate }

    package var isComputedPerRow: Bool { operands.areComputedPerRow }
}

extension Sequence<any SQLNode> {
    /// Whether each value is the same for all rows.
    var areConstant: Bool { allSatisfy { SQLExpression(part: $0).isConstant } }

    /// Whether all expressions are certainly computed for each row.
    var areComputedPerRow: Bool { allSatisfy { SQLExpression(part: $0).isComputedPerRow } }

    /// Whether an expression with these operands is computed from a group of rows and constants.
    var areAggregate: Bool {
        let expressions = map(SQLExpression.init(part:))
        return expressions.contains(where: \.isAggregate) && expressions.allSatisfy { $0.isAggregate || $0.isConstant }
    }
}
