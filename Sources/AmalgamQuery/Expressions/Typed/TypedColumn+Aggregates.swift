import AmalgamCore

// The result has the type of the column, so that it is compared with values in the format of the column. It may be NULL.

/// Returns the smallest value of a column: `MIN("score")`. NULL without values.
///
/// ```swift
/// Player.select(Player.Columns.teamId).group(Player.Columns.teamId).having { min($0.score) > 10 }
/// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING MIN("score") > 10
/// ```
///
/// A column that isn't stored in the usual format of its type is compared with stored values: if `date` has Unix times,
/// `min($0.date) > Date()` compares numbers.
public func min<Value>(_ column: TypedColumn<Value>) -> TypedColumn<Value?> { column.optional.aggregated("MIN") }

/// Returns the smallest value of a column: `MIN("score")`. NULL without values.
public func min<Wrapped>(_ column: TypedColumn<Wrapped?>) -> TypedColumn<Wrapped?> { column.aggregated("MIN") }

/// Returns the largest value of a column: `MAX("score")`. NULL without values.
///
/// ```swift
/// Player.select(Player.Columns.teamId).group(Player.Columns.teamId).having { max($0.score) > 10 }
/// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING MAX("score") > 10
/// ```
///
/// A column that isn't stored in the usual format of its type is compared with stored values: if `date` has Unix times,
/// `max($0.date) > Date()` compares numbers.
public func max<Value>(_ column: TypedColumn<Value>) -> TypedColumn<Value?> { column.optional.aggregated("MAX") }

/// Returns the largest value of a column: `MAX("score")`. NULL without values.
public func max<Wrapped>(_ column: TypedColumn<Wrapped?>) -> TypedColumn<Wrapped?> { column.aggregated("MAX") }

extension TypedColumn {
    fileprivate func aggregated(_ function: String) -> TypedColumn { written(as: aggregate(function, self).node) }
}
