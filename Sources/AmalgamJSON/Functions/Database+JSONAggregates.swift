public import AmalgamCore
import AmalgamQuery

// The aggregate functions that make JSON: <https://sqlite.org/json1.html#jgrouparray>.

extension Database {
    /// A JSON array of the values of a group: `JSON_GROUP_ARRAY("name")`.
    ///
    /// ```swift
    /// Player
    ///     .select { [$0.teamId, Database.jsonGroupArray($0.name, orderBy: $0.name, filter: $0.score > 0)] }
    ///     .group(\.teamId)
    /// // SELECT "teamId", JSON_GROUP_ARRAY("name" ORDER BY "name") FILTER (WHERE "score" > 0)
    /// // FROM "player" GROUP BY "teamId"
    /// ```
    ///
    /// NULL becomes null. JSON is a part of the array.
    ///
    /// - Parameters:
    ///   - value: the elements.
    ///   - ordering: their order. Without one, they come in any.
    ///   - filter: a condition on the rows.
    public static func jsonGroupArray(
        _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate("JSON_GROUP_ARRAY", [JSONForm.text.part(value)], orderBy: ordering, filter: filter)
    }

    /// A JSON object of the keys and values of a group: `JSON_GROUP_OBJECT("name", "score")`.
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate("JSON_GROUP_OBJECT", [key.node, JSONForm.text.part(value)], filter: filter)
    }
}

extension SQLExpression {
    /// A call of an aggregate function that returns JSON.
    static func aggregate(
        _ name: String, _ arguments: [any SQLNode], orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        SQLExpression(node: AggregateNode(name, arguments, orderBy: ordering, filter: filter))
    }
}
