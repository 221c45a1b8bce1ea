public import AmalgamCore

// The aggregate functions that make JSONB: <https://sqlite.org/json1.html#jgrouparray>.

extension Database {
    /// A JSONB array of the values of a group: `JSONB_GROUP_ARRAY("name")`.
    ///
    /// ```swift
    /// Player
    ///     .select { [$0.teamId, Database.jsonbGroupArray($0.name, orderBy: $0.name, filter: $0.score > 0)] }
    ///     .group(\.teamId)
    /// // SELECT "teamId", JSONB_GROUP_ARRAY("name" ORDER BY "name") FILTER (WHERE "score" > 0)
    /// // FROM "player" GROUP BY "teamId"
    /// ```
    ///
    /// NULL becomes null. JSON is a part of the array.
    ///
    /// - Parameters:
    ///   - value: the elements.
    ///   - ordering: their order. Without one, they come in any.
    ///   - filter: a condition on the rows.
    public static func jsonbGroupArray(
        _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate("JSONB_GROUP_ARRAY", [JSONForm.binary.part(value)], orderBy: ordering, filter: filter)
    }

    /// A JSONB object of the keys and values of a group: `JSONB_GROUP_OBJECT("name", "score")`.
    public static func jsonbGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate("JSONB_GROUP_OBJECT", [key.node, JSONForm.binary.part(value)], filter: filter)
    }
}
