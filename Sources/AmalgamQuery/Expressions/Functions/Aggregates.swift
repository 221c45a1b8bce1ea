public import AmalgamCore

// The aggregate functions of SQLite: <https://sqlite.org/lang_aggfunc.html>. They ignore NULL values. Those of typed
// columns are in TypedColumn+Aggregates.swift.

/// Returns the number of rows: `COUNT(*)`.
///
/// ```swift
/// Player.select { [$0.teamId, count()] }.group(\.teamId)
/// // SELECT "teamId", COUNT(*) FROM "player" GROUP BY "teamId"
/// ```
public func count() -> SQLExpression { aggregate("COUNT", StarNode()) }

/// Returns the number of rows that satisfy a condition: `COUNT(*) FILTER (WHERE "score" > 10)`.
///
/// ```swift
/// Player.select { count(filter: $0.score > 10) }
/// // SELECT COUNT(*) FILTER (WHERE "score" > 10) FROM "player"
/// ```
public func count(filter: some SQLCondition) -> SQLExpression {
    aggregate("COUNT", StarNode(), filter: filter)
}

/// Returns the number of values that aren't NULL: `COUNT("email")`.
///
/// ```swift
/// Player.select { count($0.score) }
/// // SELECT COUNT("score") FROM "player"
/// ```
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression { aggregate("COUNT", counted) }

/// Returns the number of values that aren't NULL, in the rows that satisfy a condition:
/// `COUNT("email") FILTER (WHERE "score" > 10)`.
public func count(_ counted: some SQLSpecificExpressible, filter: some SQLCondition) -> SQLExpression {
    aggregate("COUNT", counted, filter: filter)
}

/// Returns the number of distinct values that aren't NULL: `COUNT(DISTINCT "teamId")`.
///
/// ```swift
/// Player.select { count(distinct: $0.name) }
/// // SELECT COUNT(DISTINCT "name") FROM "player"
/// ```
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("COUNT", value, isDistinct: true)
}

/// Returns the number of distinct values that aren't NULL, in the rows that satisfy a condition:
/// `COUNT(DISTINCT "teamId") FILTER (WHERE "score" > 10)`.
public func count(distinct value: some SQLSpecificExpressible, filter: some SQLCondition) -> SQLExpression {
    aggregate("COUNT", value, isDistinct: true, filter: filter)
}

/// Returns the average of numbers: `AVG("score")`. The result is NULL if there are no numbers.
///
/// ```swift
/// Player.select { average($0.score) }
/// // SELECT AVG("score") FROM "player"
/// ```
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("AVG", value) }

/// Returns the average of the numbers in rows that satisfy a condition: `AVG("score") FILTER (WHERE "score" > 0)`.
public func average(_ value: some SQLSpecificExpressible, filter: some SQLCondition) -> SQLExpression {
    aggregate("AVG", value, filter: filter)
}

/// Returns the smallest value: `MIN("score")`. The result is NULL if there are no values.
///
/// ```swift
/// Player.select { min($0.score) }
/// // SELECT MIN("score") FROM "player"
/// ```
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MIN", value) }

/// Returns the smallest value in rows that satisfy a condition: `MIN("score") FILTER (WHERE "score" > 0)`.
public func min(_ value: some SQLSpecificExpressible, filter: some SQLCondition) -> SQLExpression {
    aggregate("MIN", value, filter: filter)
}

/// Returns the largest value: `MAX("score")`. The result is NULL if there are no values.
///
/// ```swift
/// Player.select { max($0.score) }
/// // SELECT MAX("score") FROM "player"
/// ```
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MAX", value) }

/// Returns the largest value in rows that satisfy a condition: `MAX("score") FILTER (WHERE "score" > 0)`.
public func max(_ value: some SQLSpecificExpressible, filter: some SQLCondition) -> SQLExpression {
    aggregate("MAX", value, filter: filter)
}

/// Returns the sum of numbers: `SUM("score")`. The result is NULL if there are no numbers; see ``total(_:)``.
///
/// ```swift
/// Player.select { sum($0.score) }
/// // SELECT SUM("score") FROM "player"
/// ```
///
/// Fetching throws the error `integer overflow` if the sum of integers is too large.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("SUM", value) }

/// Returns the sum of the numbers in rows that satisfy a condition: `SUM("score") FILTER (WHERE "score" > 0)`.
public func sum(_ value: some SQLSpecificExpressible, filter: some SQLCondition) -> SQLExpression {
    aggregate("SUM", value, filter: filter)
}

/// Returns the sum of numbers, added in the given order: `SUM("price" ORDER BY "date")`.
///
/// ```swift
/// Player.select { sum($0.score, orderBy: $0.id) }
/// // SELECT SUM("score" ORDER BY "id") FROM "player"
/// ```
///
/// The order can affect the sum of real numbers, because SQLite rounds while it adds them.
public func sum(
    _ value: some SQLSpecificExpressible, orderBy ordering: some SQLOrderingTerm,
    filter: (any SQLCondition)? = nil
) -> SQLExpression {
    aggregate("SUM", value, orderBy: ordering, filter: filter)
}

/// Returns the sum of numbers as a real number: `TOTAL("score")`. The result is 0.0 if there are no numbers.
///
/// ```swift
/// Player.select { total($0.score) }
/// // SELECT TOTAL("score") FROM "player"
/// ```
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("TOTAL", value) }

/// Returns the sum, as a real number, of the numbers in rows that satisfy a condition:
/// `TOTAL("score") FILTER (WHERE "score" > 0)`.
public func total(_ value: some SQLSpecificExpressible, filter: some SQLCondition) -> SQLExpression {
    aggregate("TOTAL", value, filter: filter)
}

/// Returns the sum of numbers as a real number, added in the given order: `TOTAL("price" ORDER BY "date")`.
public func total(
    _ value: some SQLSpecificExpressible, orderBy ordering: some SQLOrderingTerm,
    filter: (any SQLCondition)? = nil
) -> SQLExpression {
    aggregate("TOTAL", value, orderBy: ordering, filter: filter)
}

/// Concatenates strings with a separator: `GROUP_CONCAT("name", ', ')`.
///
/// ```swift
/// Player.select { [$0.teamId, groupConcat($0.name, separator: ", ", orderBy: $0.name)] }.group(\.teamId)
/// // SELECT "teamId", GROUP_CONCAT("name", ', ' ORDER BY "name") FROM "player" GROUP BY "teamId"
/// ```
///
/// Without ordering terms, the order of the strings is undefined.
///
/// - Parameters:
///   - value: the strings.
///   - separator: the separator between the strings. If nil, a comma.
///   - ordering: the order of the strings.
///   - filter: a condition on the rows.
public func groupConcat(
    _ value: some SQLSpecificExpressible, separator: (any SQLExpressible)? = nil,
    orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLCondition)? = nil
) -> SQLExpression {
    let arguments = [value.sqlExpression, separator?.sqlExpression].compactMap { $0?.node }
    return SQLExpression(node: AggregateNode("GROUP_CONCAT", arguments, orderBy: ordering, filter: filter))
}

/// Returns the median of numbers: `MEDIAN("score")`. See <https://sqlite.org/percentile.html>.
///
/// ```swift
/// Player.select { median($0.score) }
/// // SELECT MEDIAN("score") FROM "player"
/// ```
public func median(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MEDIAN", value) }

/// Returns a percentile of numbers: `PERCENTILE("score", 90)`. See <https://sqlite.org/percentile.html>.
///
/// ```swift
/// Player.select { percentile($0.score, 90) }
/// // SELECT PERCENTILE("score", 90) FROM "player"
/// ```
///
/// - Parameters:
///   - value: the numbers.
///   - percentage: a number from 0 to 100, the same for all rows.
public func percentile(_ value: some SQLSpecificExpressible, _ percentage: some SQLExpressible) -> SQLExpression {
    SQLExpression(node: AggregateNode("PERCENTILE", [value.sqlExpression.node, percentage.sqlExpression.node]))
}

func aggregate(
    _ name: String, _ value: some SQLExpressible, isDistinct: Bool = false,
    orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
) -> SQLExpression {
    aggregate(name, value.sqlExpression.node, isDistinct: isDistinct, orderBy: ordering, filter: filter)
}

func aggregate(
    _ name: String, _ argument: any SQLNode, isDistinct: Bool = false,
    orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
) -> SQLExpression {
    SQLExpression(
        node: AggregateNode(name, [argument], isDistinct: isDistinct, orderBy: ordering, filter: filter))
}
