public import AmalgamCore

// The aggregate functions of a typed column: see Aggregates.swift. A function without values is NULL, so most results
// are optional. The smallest value, the largest, and the sum have the type of the column, and its format.
//
// The general functions accept no typed column: the compiler would prefer them to an error.

/// Returns the smallest value of a column: `MIN("score")`. NULL without values.
///
/// ```swift
/// Player.select { [$0.teamId, min($0.score)] }.group(\.teamId).having { min($0.score) > 10 }
/// // SELECT "teamId", MIN("score") FROM "player" GROUP BY "teamId" HAVING MIN("score") > 10
/// Player.select { min($0.score, filter: $0.teamId == 1) }
/// // SELECT MIN("score") FILTER (WHERE "teamId" = 1) FROM "player"
/// ```
///
/// A column that isn't stored in the usual format of its type is compared with stored values: if `date` has Unix times,
/// `min($0.date) > Date()` compares numbers.
public func min<Value>(_ column: TypedColumn<Value>, filter: (any SQLCondition)? = nil) -> TypedColumn<Value?> {
    column.optional.written(as: aggregate("MIN", column.ordered, filter: filter), of: "MIN")
}

/// Returns the smallest value of an optional column: `MIN("score")`. NULL without values.
public func min<Wrapped>(
    _ column: TypedColumn<Wrapped?>, filter: (any SQLCondition)? = nil
) -> TypedColumn<Wrapped?> {
    column.written(as: aggregate("MIN", column.ordered, filter: filter), of: "MIN")
}

/// Returns the largest value of a column: `MAX("score")`. NULL without values.
///
/// ```swift
/// Player.select { [$0.teamId, max($0.score)] }.group(\.teamId).having { max($0.score) > 10 }
/// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId" HAVING MAX("score") > 10
/// Player.select { max($0.score, filter: $0.teamId == 1) }
/// // SELECT MAX("score") FILTER (WHERE "teamId" = 1) FROM "player"
/// ```
///
/// A column that isn't stored in the usual format of its type is compared with stored values: if `date` has Unix times,
/// `max($0.date) > Date()` compares numbers.
public func max<Value>(_ column: TypedColumn<Value>, filter: (any SQLCondition)? = nil) -> TypedColumn<Value?> {
    column.optional.written(as: aggregate("MAX", column.ordered, filter: filter), of: "MAX")
}

/// Returns the largest value of an optional column: `MAX("score")`. NULL without values.
public func max<Wrapped>(
    _ column: TypedColumn<Wrapped?>, filter: (any SQLCondition)? = nil
) -> TypedColumn<Wrapped?> {
    column.written(as: aggregate("MAX", column.ordered, filter: filter), of: "MAX")
}

/// Returns the number of values of a column that aren't NULL: `COUNT("email")`.
///
/// ```swift
/// Player.select { count($0.score, filter: $0.score > 10) }
/// // SELECT COUNT("score") FILTER (WHERE "score" > 10) FROM "player"
/// ```
public func count(_ column: TypedColumn<some Any>, filter: (any SQLCondition)? = nil) -> TypedColumn<Int> {
    column.result(of: "COUNT", aggregate("COUNT", column, filter: filter))
}

/// Returns the number of distinct values of a column that aren't NULL: `COUNT(DISTINCT "teamId")`.
public func count(distinct column: TypedColumn<some Any>, filter: (any SQLCondition)? = nil) -> TypedColumn<Int> {
    column.result(of: "COUNT", aggregate("COUNT", column, isDistinct: true, filter: filter))
}

/// Returns the sum of the numbers of a column: `SUM("score")`. NULL without numbers, unlike `total`.
///
/// ```swift
/// Player.select { [$0.teamId, sum($0.score)] }.group(\.teamId).having { sum($0.score) > 100 }
/// // SELECT "teamId", SUM("score") FROM "player" GROUP BY "teamId" HAVING SUM("score") > 100
/// ```
///
/// Fetching throws the error `integer overflow` if the sum of integers is too large.
///
/// - Parameters:
///   - column: the column.
///   - ordering: the order in which the numbers are added. It can affect the sum of real numbers, because SQLite rounds
///     while it adds them.
///   - filter: a condition on the rows.
public func sum<Value: SQLNumericValue>(
    _ column: TypedColumn<Value>, orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLCondition)? = nil
) -> TypedColumn<Value?> {
    column.optional.written(as: aggregate("SUM", column.addend, orderBy: ordering, filter: filter), of: "SUM")
}

/// Returns the sum of the numbers of an optional column: `SUM("bonus")`. NULL without numbers.
public func sum<Wrapped: SQLNumericValue>(
    _ column: TypedColumn<Wrapped?>, orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLCondition)? = nil
) -> TypedColumn<Wrapped?> {
    column.written(as: aggregate("SUM", column.addend, orderBy: ordering, filter: filter), of: "SUM")
}

/// Returns the sum of the numbers of a column as a real number: `TOTAL("score")`. 0.0 without numbers.
///
/// ```swift
/// Player.select(\.teamId).group(\.teamId).having { total($0.score) > 99.5 }
/// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING TOTAL("score") > 99.5
/// ```
///
/// - Parameters:
///   - column: the column.
///   - ordering: the order in which the numbers are added: `TOTAL("price" ORDER BY "date")`.
///   - filter: a condition on the rows.
public func total(
    _ column: TypedColumn<some SQLNumericValue>, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLCondition)? = nil
) -> TypedColumn<Double> {
    column.real("TOTAL", aggregate("TOTAL", column.totalled, orderBy: ordering, filter: filter)).wrapped()
}

/// Returns the average of the numbers of a column: `AVG("score")`. NULL without numbers.
///
/// ```swift
/// Player.select(\.teamId).group(\.teamId).having { average($0.score) > 99.5 }
/// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING AVG("score") > 99.5
/// ```
public func average(
    _ column: TypedColumn<some SQLNumericValue>, filter: (any SQLCondition)? = nil
) -> TypedColumn<Double?> {
    column.real("AVG", aggregate("AVG", column.averaged, filter: filter))
}

/// Returns the median of the numbers of a column: `MEDIAN("score")`. NULL without numbers. See
/// <https://sqlite.org/percentile.html>.
public func median(_ column: TypedColumn<some SQLNumericValue>) -> TypedColumn<Double?> {
    column.real("MEDIAN", aggregate("MEDIAN", column.averaged))
}

/// Returns a percentile of the numbers of a column: `PERCENTILE("score", 90)`. NULL without numbers. See
/// <https://sqlite.org/percentile.html>.
///
/// - Parameters:
///   - column: the column.
///   - percentage: a number from 0 to 100, the same for all rows.
public func percentile(
    _ column: TypedColumn<some SQLNumericValue>, _ percentage: some SQLExpressible
) -> TypedColumn<Double?> {
    column.real("PERCENTILE", percentile(column.ranked, percentage))
}

/// Concatenates the strings of a column with a separator: `GROUP_CONCAT("name", ', ')`. NULL without strings.
///
/// ```swift
/// Player.select { [$0.teamId, groupConcat($0.name, separator: ", ", orderBy: $0.name)] }.group(\.teamId)
/// // SELECT "teamId", GROUP_CONCAT("name", ', ' ORDER BY "name") FROM "player" GROUP BY "teamId"
/// ```
///
/// Without ordering terms, the order of the strings is undefined.
///
/// - Parameters:
///   - column: the column.
///   - separator: the separator between the strings. If nil, a comma.
///   - ordering: the order of the strings.
///   - filter: a condition on the rows.
public func groupConcat(
    _ column: TypedColumn<some Any>, separator: (any SQLExpressible)? = nil,
    orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLCondition)? = nil
) -> TypedColumn<String?> {
    let concatenated = groupConcat(column.sqlExpression, separator: separator, orderBy: ordering, filter: filter)
    return column.result(of: "GROUP_CONCAT", concatenated)
}

extension TypedColumn {
    /// Returns a real number that is computed from the numbers of the column, in the format of the column if its values
    /// are of the type `Double`.
    fileprivate func real(_ function: String, _ expression: SQLExpression) -> TypedColumn<Double?> {
        let format = format as? StoredFormat<Double?> ?? optional.format as? StoredFormat<Double?>
        return result(of: function, expression, format: format)
    }

    /// Applies an aggregate to a window of rows, instead of a group of rows.
    ///
    /// ```swift
    /// Player.select { [$0.name, sum($0.score).over(partitionBy: $0.teamId)] }
    /// // SELECT "name", SUM("score") OVER (PARTITION BY "teamId") FROM "player"
    /// ```
    ///
    /// Preparing the request throws `SQLITE_MISUSE` if the column isn't the result of a function. See
    /// <https://sqlite.org/windowfunctions.html>.
    ///
    /// - Parameters:
    ///   - expressions: the `PARTITION BY` expressions. Without any, all rows are one partition.
    ///   - orderings: the `ORDER BY` terms.
    ///   - frame: the frame. Without `ORDER BY` terms, the default is all rows of the partition. With `ORDER BY` terms,
    ///     it is all rows up to the current row and its peers, the rows with equal `ORDER BY` values.
    public func over(
        partitionBy expressions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> TypedColumn {
        over(SQLWindow(partitionBy: expressions, orderBy: orderings, frame: frame))
    }

    /// Applies an aggregate to a window of rows: `SUM("score") OVER (PARTITION BY "teamId")`.
    public func over(_ window: SQLWindow) -> TypedColumn {
        // The node of decimals is the call. Their expression has a collation around it.
        written(as: SQLExpression(node: node).over(window).node)
    }
}

// The compiler uses these overloads for other columns, because their error message is short.

@available(*, unavailable, message: "the values of the column aren't numbers")
public func sum(_ column: TypedColumn<some Any>, filter: (any SQLCondition)? = nil) -> TypedColumn<Double?> {
    column.result(of: "SUM", sum(column.sqlExpression))
}

@available(*, unavailable, message: "the values of the column aren't numbers")
public func total(_ column: TypedColumn<some Any>, filter: (any SQLCondition)? = nil) -> TypedColumn<Double> {
    column.result(of: "TOTAL", total(column.sqlExpression))
}

@available(*, unavailable, message: "the values of the column aren't numbers")
public func average(_ column: TypedColumn<some Any>, filter: (any SQLCondition)? = nil) -> TypedColumn<Double?> {
    column.result(of: "AVG", average(column.sqlExpression))
}

@available(*, unavailable, message: "the values of the column aren't numbers")
public func median(_ column: TypedColumn<some Any>) -> TypedColumn<Double?> {
    column.result(of: "MEDIAN", median(column.sqlExpression))
}
