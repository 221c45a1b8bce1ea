public import AmalgamCore
import Foundation

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
    ///
    /// A request with `DISTINCT` and `OFFSET` is written `EXISTS (SELECT * FROM (SELECT DISTINCT …))`, because SQLite
    /// ignores a DISTINCT directly inside EXISTS.
    public func exists() -> SQLExpression {
        SQLExpression(node: ExistsNode(operand: ExistsOperand(subquery: sqlSubquery.node)))
    }
}

/// `EXISTS (SELECT …)`, and its negation.
struct ExistsNode: ExpressionNode {
    let operand: ExistsOperand
    var isNegated = false

    var nestedNodes: [any SQLNode] { [operand] }

    func write(to writer: inout SQLWriter) throws {
        writer.append(isNegated ? "NOT EXISTS " : "EXISTS ")
        try operand.write(to: &writer)
    }

    var negation: (any SQLNode)? { ExistsNode(operand: operand, isNegated: !isNegated) }
}

/// The subquery of an EXISTS operator, in parentheses.
///
/// Inside EXISTS, SQLite ignores the DISTINCT of the statement and of the members of a UNION ALL, also if OFFSET then
/// skips other rows. Such a statement is written in the FROM clause of a second one: `(SELECT * FROM (SELECT DISTINCT …))`.
struct ExistsOperand: SQLNode {
    private let operand: ParenthesisedSubquery

    init(subquery: any SubqueryNode) {
        operand = ParenthesisedSubquery(subquery: subquery)
    }

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [operand] }

    func write(to writer: inout SQLWriter) throws {
        try writer.checkDepth()
        let start = writer.sql.utf8.count
        try operand.write(to: &writer)
        if writer.text(from: start).skipsDistinctRows {
            writer.insert("(SELECT * FROM ", at: start)
            writer.append(")")
        }
    }
}

extension Substring {
    /// Whether the words DISTINCT, and OFFSET or its short form `LIMIT 1, 10`, are in a statement. The text may also be
    /// plain SQL of the application. A superfluous subquery around the statement has the same result.
    fileprivate var skipsDistinctRows: Bool {
        guard range(of: "DISTINCT", options: .caseInsensitive) != nil,
            let limit = range(of: "LIMIT", options: .caseInsensitive)
        else { return false }
        let rest = self[limit.upperBound...]
        return rest.contains(",") || rest.range(of: "OFFSET", options: .caseInsensitive) != nil
    }
}
