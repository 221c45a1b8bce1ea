public import AmalgamCore

extension SQLSubqueryable {
    /// Returns an expression that is true if a value is in the result of the request, which has one column: `IN`.
    ///
    /// ```swift
    /// let redTeams = Team.filter { $0.color == "red" }.select(\.id)
    /// Player.filter { redTeams.contains($0.teamId) }
    /// // SELECT * FROM "player" WHERE "teamId" IN (SELECT "id" FROM "team" WHERE "color" = 'red')
    /// ```
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(
            node: InNode(element: element.sqlExpression.node, set: ParenthesisedSubquery(subquery: sqlSubquery.node)))
    }

    /// Returns an expression that is true if the request has at least one row: `EXISTS`.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// Team.aliased(team).filter(Player.filter { $0.teamId == team.id }.exists())
    /// // SELECT * FROM "team" WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
    /// ```
    public func exists() -> SQLExpression {
        SQLExpression(node: ExistsNode(subquery: sqlSubquery.node))
    }
}

/// `EXISTS (SELECT …)`, and its negation.
struct ExistsNode: ExpressionNode {
    let subquery: any SubqueryNode
    var isNegated = false

    func write(to writer: inout SQLWriter) throws {
        writer.append(isNegated ? "NOT EXISTS " : "EXISTS ")
        try ParenthesisedSubquery(subquery: subquery).write(to: &writer)
    }

    var negation: (any SQLNode)? { ExistsNode(subquery: subquery, isNegated: !isNegated) }
}
