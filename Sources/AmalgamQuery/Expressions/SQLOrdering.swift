public import AmalgamCore

/// A node that writes an ordering term, and can be reversed.
protocol OrderingNode: SQLNode {
    /// The same term in the opposite direction.
    var reversed: any SQLNode { get }
}

extension SQLOrdering {
    /// The same term in the opposite direction. A term without a direction is ascending.
    var reversed: SQLOrdering {
        SQLOrdering(node: (node as? any OrderingNode)?.reversed ?? DirectedNode(node: node, direction: .descending))
    }
}

/// An ordering term with a direction: `"score" DESC`.
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

    var nestedNodes: [any SQLNode] { [node] }

    var reversed: any SQLNode { DirectedNode(node: node, direction: direction.reversed) }

    func write(to writer: inout SQLWriter) throws {
        try node.write(to: &writer)
        writer.append(direction.rawValue)
    }
}

extension SQLSpecificExpressible {
    /// The ascending order: `"score" ASC`. NULL comes first.
    ///
    /// ```swift
    /// Player.order(\.score.asc)
    /// // SELECT * FROM "player" ORDER BY "score" ASC
    /// ```
    public var asc: SQLOrdering { ordering(.ascending) }

    /// The descending order: `"score" DESC`. NULL comes last.
    ///
    /// ```swift
    /// Player.order { [$0.score.desc, $0.name] }
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public var desc: SQLOrdering { ordering(.descending) }

    /// The ascending order, with NULL last: `"score" ASC NULLS LAST`.
    ///
    /// ```swift
    /// Player.order(\.score.ascNullsLast)
    /// // SELECT * FROM "player" ORDER BY "score" ASC NULLS LAST
    /// ```
    public var ascNullsLast: SQLOrdering { ordering(.ascendingNullsLast) }

    /// The descending order, with NULL first: `"score" DESC NULLS FIRST`.
    ///
    /// ```swift
    /// Player.order(\.score.descNullsFirst)
    /// // SELECT * FROM "player" ORDER BY "score" DESC NULLS FIRST
    /// ```
    public var descNullsFirst: SQLOrdering { ordering(.descendingNullsFirst) }

    private func ordering(_ direction: DirectedNode.Direction) -> SQLOrdering {
        SQLOrdering(node: DirectedNode(node: sqlExpression.node, direction: direction))
    }
}
