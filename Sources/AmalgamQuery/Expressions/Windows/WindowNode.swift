public import AmalgamCore

/// A call of a function with a window: `RANK() OVER (ORDER BY "score")`.
struct WindowNode: ExpressionNode {
    let function: any SQLNode
    let window: SQLWindow

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [function] + window.nodes }

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
    /// Whether OVER may follow the node. Plain SQL isn't checked.
    fileprivate var isCall: Bool {
        switch self {
        case is AggregateNode, is SQLFunctionCall, is SQL: true
        case let aliased as AliasedNode: aliased.node.isCall
        default: false
        }
    }
}

extension SQLExpression {
    /// Applies an aggregate to a window of rows, instead of a group of rows.
    ///
    /// ```swift
    /// Player.select { [$0.name, sum($0.score).over(partitionBy: $0.teamId)] }
    /// // SELECT "name", SUM("score") OVER (PARTITION BY "teamId") FROM "player"
    /// ```
    ///
    /// The expression can also be a call of a ``DatabaseFunction`` that is created from a ``DatabaseWindowAggregate``.
    /// If the expression is neither a function call nor plain SQL, preparing the request throws `SQLITE_MISUSE`. If it
    /// is a call of a scalar function, SQLite reports an error. See <https://sqlite.org/windowfunctions.html>.
    ///
    /// - Parameters:
    ///   - expressions: the `PARTITION BY` expressions. Without any, all rows are one partition.
    ///   - orderings: the `ORDER BY` terms.
    ///   - frame: the frame. Without `ORDER BY` terms, the default is all rows of the partition. With `ORDER BY` terms,
    ///     it is all rows up to the current row and its peers, the rows with equal `ORDER BY` values.
    public func over(
        partitionBy expressions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> SQLExpression {
        over(SQLWindow(partitionBy: expressions, orderBy: orderings, frame: frame))
    }

    /// Applies an aggregate to a window of rows: `SUM("score") OVER (PARTITION BY "teamId")`.
    ///
    /// ```swift
    /// let team = SQLWindow(partitionBy: Column("teamId"))
    /// Player.select { [$0.name, sum($0.score).over(team)] }
    /// // SELECT "name", SUM("score") OVER (PARTITION BY "teamId") FROM "player"
    /// ```
    public func over(_ window: SQLWindow) -> SQLExpression {
        SQLExpression(node: WindowNode(function: node, window: window))
    }
}
