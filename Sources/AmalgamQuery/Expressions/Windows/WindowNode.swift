public import AmalgamCore

/// `RANK() OVER (ORDER BY "score")`
struct WindowNode: ExpressionNode {
    let function: any SQLNode
    let window: SQLWindow

    var isAtom: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        guard function.isCall else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "over(…) needs a call of an aggregate or window function, such as sum(…).over(…)")
        }
        try function.write(to: &writer)
        writer.append(" OVER ")
        try window.write(to: &writer)
    }
}

extension SQLNode {
    /// Whether OVER may follow the node. What is in plain SQL is not known.
    fileprivate var isCall: Bool {
        switch self {
        case is AggregateNode, is SQLFunctionCall, is SQL: true
        case let aliased as AliasedNode: aliased.node.isCall
        default: false
        }
    }
}

extension SQLExpression {
    /// An aggregate of the rows around each row, instead of one for a group of rows.
    ///
    /// ```swift
    /// Player.select { [$0.name, sum($0.score).over(partitionBy: $0.teamId)] }
    /// // SELECT "name", SUM("score") OVER (PARTITION BY "teamId") FROM "player"
    /// ```
    ///
    /// Aggregates written in Swift are called as any ``DatabaseFunction``. A request with any other expression throws
    /// `SQLITE_MISUSE` when it is prepared. See <https://sqlite.org/windowfunctions.html>.
    ///
    /// - Parameters:
    ///   - expressions: rows with other values of these do not count. When empty, all rows count.
    ///   - orderings: the order of the rows.
    ///   - frame: which rows count. When nil: all of them without order, else those up to the row and its equals.
    public func over(
        partitionBy expressions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> SQLExpression {
        over(SQLWindow(partitionBy: expressions, orderBy: orderings, frame: frame))
    }

    /// An aggregate of the rows in a window: `SUM("score") OVER (PARTITION BY "teamId")`.
    public func over(_ window: SQLWindow) -> SQLExpression {
        SQLExpression(node: WindowNode(function: node, window: window))
    }
}
