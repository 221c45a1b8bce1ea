package import AmalgamCore

/// A call of an aggregate function: `SUM(DISTINCT "score" ORDER BY "date") FILTER (WHERE "score" > 0)`.
///
/// See <https://sqlite.org/lang_aggfunc.html>.
package struct AggregateNode: ExpressionNode {
    private let name: String
    private let arguments: [any SQLNode]
    private var isDistinct = false
    private var ordering: (any SQLNode)?
    private var filter: (any SQLNode)?

    /// - Parameter name: the name of the function, which is written without quotes.
    package init(
        _ name: String, _ arguments: [any SQLNode], isDistinct: Bool = false,
        orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
    ) {
        self.name = name
        self.arguments = arguments
        self.isDistinct = isDistinct
        self.ordering = ordering?.sqlOrdering.node
        self.filter = filter?.conditionExpression.node
    }

    package var isAtom: Bool { true }

    package var nestedNodes: [any SQLNode] { arguments + [ordering, filter].compactMap(\.self) }

    package var isAggregate: Bool { true }

    package func write(to writer: inout SQLWriter) throws {
        writer.append(isDistinct ? "\(name)(DISTINCT " : "\(name)(")
        try writer.append(arguments)
        if let ordering {
            writer.append(" ORDER BY ")
            try ordering.write(to: &writer)
        }
        writer.append(")")
        if let filter {
            writer.append(" FILTER (WHERE ")
            try filter.write(to: &writer)
            writer.append(")")
        }
    }
}

/// `*`, the argument of `COUNT(*)`.
struct StarNode: SQLNode {
    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws { writer.append("*") }
}
