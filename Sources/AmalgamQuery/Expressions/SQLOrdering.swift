public import AmalgamCore

/// A node that is written as an ordering term, and knows its reverse.
protocol OrderingNode: SQLNode {
    /// The same term in the other direction.
    var reversed: any SQLNode { get }
}

extension SQLOrdering {
    /// The same term in the other direction. A term that says nothing is ascending.
    var reversed: SQLOrdering {
        SQLOrdering(node: (node as? any OrderingNode)?.reversed ?? DirectedNode(node: node, direction: .descending))
    }
}

/// `"score" DESC`
struct DirectedNode: OrderingNode {
    enum Direction: String {
        case ascending = " ASC"
        case descending = " DESC"
        case ascendingNullsLast = " ASC NULLS LAST"
        case descendingNullsFirst = " DESC NULLS FIRST"

        var reversed: Direction {
            switch self {
            case .ascending: .descending
            case .descending: .ascending
            case .ascendingNullsLast: .descendingNullsFirst
            case .descendingNullsFirst: .ascendingNullsLast
            }
        }
    }

    let node: any SQLNode
    let direction: Direction

    var reversed: any SQLNode { DirectedNode(node: node, direction: direction.reversed) }

    func write(to writer: inout SQLWriter) throws {
        try node.write(to: &writer)
        writer.append(direction.rawValue)
    }
}

extension SQLSpecificExpressible {
    /// From the smallest value to the largest: `"score" ASC`. NULL comes first.
    public var asc: SQLOrdering { ordering(.ascending) }

    /// From the largest value to the smallest: `"score" DESC`. NULL comes last.
    ///
    /// ```swift
    /// Player.order { [$0.score.desc, $0.name] }
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public var desc: SQLOrdering { ordering(.descending) }

    /// From the smallest value to the largest, then NULL: `"score" ASC NULLS LAST`.
    public var ascNullsLast: SQLOrdering { ordering(.ascendingNullsLast) }

    /// NULL, then from the largest value to the smallest: `"score" DESC NULLS FIRST`.
    public var descNullsFirst: SQLOrdering { ordering(.descendingNullsFirst) }

    private func ordering(_ direction: DirectedNode.Direction) -> SQLOrdering {
        SQLOrdering(node: DirectedNode(node: sqlExpression.node, direction: direction))
    }
}
