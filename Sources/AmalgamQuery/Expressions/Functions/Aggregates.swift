public import AmalgamCore

// The aggregate functions of SQLite: <https://sqlite.org/lang_aggfunc.html>. NULL does not count for any of them.

/// The number of rows: `COUNT(*)`.
///
/// ```swift
/// Player.select { [$0.teamId, count()] }.group(\.teamId)
/// // SELECT "teamId", COUNT(*) FROM "player" GROUP BY "teamId"
/// ```
public func count() -> SQLExpression { aggregate("COUNT", StarNode()) }

/// The number of rows that fulfil a condition: `COUNT(*) FILTER (WHERE "score" > 10)`.
public func count(filter: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("COUNT", StarNode(), filter: filter)
}

/// The number of values that are not NULL: `COUNT("email")`.
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression { aggregate("COUNT", counted) }

/// The number of values that are not NULL, in the rows that fulfil a condition:
/// `COUNT("email") FILTER (WHERE "score" > 10)`.
public func count(_ counted: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("COUNT", counted, filter: filter)
}

/// The number of different values, without NULL: `COUNT(DISTINCT "teamId")`.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("COUNT", value, isDistinct: true)
}

/// The number of different values, in the rows that fulfil a condition:
/// `COUNT(DISTINCT "teamId") FILTER (WHERE "score" > 10)`.
public func count(distinct value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("COUNT", value, isDistinct: true, filter: filter)
}

/// The average of numbers: `AVG("score")`. NULL when there is none.
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("AVG", value) }

/// The average of the numbers in rows that fulfil a condition: `AVG("score") FILTER (WHERE "score" > 0)`.
public func average(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("AVG", value, filter: filter)
}

/// The smallest value: `MIN("score")`. NULL when there is none.
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MIN", value) }

/// The smallest value in rows that fulfil a condition: `MIN("score") FILTER (WHERE "score" > 0)`.
public func min(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("MIN", value, filter: filter)
}

/// The largest value: `MAX("score")`. NULL when there is none.
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MAX", value) }

/// The largest value in rows that fulfil a condition: `MAX("score") FILTER (WHERE "score" > 0)`.
public func max(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("MAX", value, filter: filter)
}

/// The sum of numbers: `SUM("score")`. NULL when there is none; see ``total(_:)``.
///
/// Fetching throws `integer overflow` when integers have a sum that is too large.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("SUM", value) }

/// The sum of the numbers in rows that fulfil a condition: `SUM("score") FILTER (WHERE "score" > 0)`.
public func sum(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("SUM", value, filter: filter)
}

/// The sum of numbers, added in an order: `SUM("price" ORDER BY "date")`.
///
/// The order makes a difference for numbers that are rounded when they are added.
public func sum(
    _ value: some SQLSpecificExpressible, orderBy ordering: some SQLOrderingTerm,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("SUM", value, orderBy: ordering, filter: filter)
}

/// The sum of numbers as a real number: `TOTAL("score")`. 0.0 when there is none.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("TOTAL", value) }

/// The sum of the numbers in rows that fulfil a condition: `TOTAL("score") FILTER (WHERE "score" > 0)`.
public func total(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("TOTAL", value, filter: filter)
}

/// The sum of numbers as a real number, added in an order: `TOTAL("price" ORDER BY "date")`.
public func total(
    _ value: some SQLSpecificExpressible, orderBy ordering: some SQLOrderingTerm,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("TOTAL", value, orderBy: ordering, filter: filter)
}

/// Texts, joined with a separator: `GROUP_CONCAT("name", ', ')`.
///
/// ```swift
/// Player.select { [$0.teamId, groupConcat($0.name, separator: ", ", orderBy: $0.name)] }.group(\.teamId)
/// // SELECT "teamId", GROUP_CONCAT("name", ', ' ORDER BY "name") FROM "player" GROUP BY "teamId"
/// ```
///
/// Without an order, the texts come in any one.
///
/// - Parameters:
///   - value: the texts.
///   - separator: what stands between them. A comma, when nil.
///   - ordering: their order.
///   - filter: a condition on the rows.
public func groupConcat(
    _ value: some SQLSpecificExpressible, separator: (any SQLExpressible)? = nil,
    orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    let arguments = [value.sqlExpression, separator?.sqlExpression].compactMap { $0?.node }
    return SQLExpression(node: AggregateNode("GROUP_CONCAT", arguments, orderBy: ordering, filter: filter))
}

/// The number in the middle of sorted ones: `MEDIAN("score")`. See <https://sqlite.org/percentile.html>.
public func median(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MEDIAN", value) }

/// The number that a percentage of numbers does not exceed: `PERCENTILE("score", 90)`. See
/// <https://sqlite.org/percentile.html>.
///
/// - Parameters:
///   - value: the numbers.
///   - percentage: 0 to 100, the same for all rows.
public func percentile(_ value: some SQLSpecificExpressible, _ percentage: some SQLExpressible) -> SQLExpression {
    SQLExpression(node: AggregateNode("PERCENTILE", [value.sqlExpression.node, percentage.sqlExpression.node]))
}

private func aggregate(
    _ name: String, _ value: some SQLExpressible, isDistinct: Bool = false,
    orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
) -> SQLExpression {
    aggregate(name, value.sqlExpression.node, isDistinct: isDistinct, orderBy: ordering, filter: filter)
}

private func aggregate(
    _ name: String, _ argument: any SQLNode, isDistinct: Bool = false,
    orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
) -> SQLExpression {
    SQLExpression(
        node: AggregateNode(name, [argument], isDistinct: isDistinct, orderBy: ordering, filter: filter))
}
