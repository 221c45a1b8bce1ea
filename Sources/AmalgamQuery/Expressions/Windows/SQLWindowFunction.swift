public import AmalgamCore

/// A call of a window function, such as ``rowNumber()``. See ``SQLWindow``.
///
/// The `over` method returns an expression that calls the function for a window:
///
/// ```swift
/// Player.select { [$0.name, rank().over(orderBy: $0.score.desc)] }
/// // SELECT "name", RANK() OVER (ORDER BY "score" DESC) FROM "player"
/// ```
public struct SQLWindowFunction: Sendable {
    private let call: SQLExpression

    fileprivate init(_ name: String, _ arguments: [(any SQLExpressible)?]) {
        let arguments = arguments.map(\.sqlExpression)
        call = SQLExpression(node: SQLFunctionCall(builtIn: name, isPure: false, isScalar: false, arguments: arguments))
    }

    /// Applies the function to a window of rows.
    ///
    /// ```swift
    /// Player.select { [$0.name, rank().over(partitionBy: Column("teamId"), orderBy: $0.score.desc)] }
    /// // SELECT "name", RANK() OVER (PARTITION BY "teamId" ORDER BY "score" DESC) FROM "player"
    /// ```
    ///
    /// - Parameters:
    ///   - expressions: the `PARTITION BY` expressions. Without any, all rows are one partition.
    ///   - orderings: the `ORDER BY` terms.
    ///   - frame: the frame. It only affects ``firstValue(_:)``, ``lastValue(_:)`` and ``nthValue(_:_:)``.
    public func over(
        partitionBy expressions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> SQLExpression {
        over(SQLWindow(partitionBy: expressions, orderBy: orderings, frame: frame))
    }

    /// Applies the function to a window of rows.
    ///
    /// ```swift
    /// let byScore = SQLWindow(orderBy: Column("score").desc)
    /// Player.select { [$0.name, rank().over(byScore)] }
    /// // SELECT "name", RANK() OVER (ORDER BY "score" DESC) FROM "player"
    /// ```
    public func over(_ window: SQLWindow) -> SQLExpression { call.over(window) }
}

// The window functions of SQLite: <https://sqlite.org/windowfunctions.html#built_in_window_functions>.

/// Returns the number of the row in its partition, from 1: `ROW_NUMBER()`.
///
/// ```swift
/// Player.select { [$0.name, rowNumber().over(orderBy: $0.name)] }
/// // SELECT "name", ROW_NUMBER() OVER (ORDER BY "name") FROM "player"
/// ```
public func rowNumber() -> SQLWindowFunction { SQLWindowFunction("ROW_NUMBER", []) }

/// Returns the rank of the row, with gaps after rows of equal rank: `RANK()` is 1, 2, 2, 4.
///
/// ```swift
/// Player.select { [$0.name, rank().over(orderBy: $0.score.desc)] }
/// // SELECT "name", RANK() OVER (ORDER BY "score" DESC) FROM "player"
/// ```
public func rank() -> SQLWindowFunction { SQLWindowFunction("RANK", []) }

/// Returns the rank of the row, without gaps after rows of equal rank: `DENSE_RANK()` is 1, 2, 2, 3.
///
/// ```swift
/// Player.select { [$0.name, denseRank().over(orderBy: $0.score.desc)] }
/// // SELECT "name", DENSE_RANK() OVER (ORDER BY "score" DESC) FROM "player"
/// ```
public func denseRank() -> SQLWindowFunction { SQLWindowFunction("DENSE_RANK", []) }

/// Returns the relative rank, from 0.0 to 1.0: `PERCENT_RANK()`.
public func percentRank() -> SQLWindowFunction { SQLWindowFunction("PERCENT_RANK", []) }

/// Returns the fraction of rows that precede the row or are its peers: `CUME_DIST()`.
public func cumulativeDistribution() -> SQLWindowFunction { SQLWindowFunction("CUME_DIST", []) }

/// Divides the partition into a number of groups of nearly equal size, and returns the number of the row's group,
/// from 1: `NTILE(4)` for quarters.
///
/// ```swift
/// Player.select { [$0.name, ntile(4).over(orderBy: $0.score)] }
/// // SELECT "name", NTILE(4) OVER (ORDER BY "score") FROM "player"
/// ```
public func ntile(_ count: some SQLExpressible) -> SQLWindowFunction { SQLWindowFunction("NTILE", [count]) }

/// Returns the value of an expression in the previous row: `LAG("score")`.
///
/// ```swift
/// Player.select { [$0.name, $0.score - lag($0.score).over(orderBy: $0.id)] }
/// // SELECT "name", "score" - LAG("score") OVER (ORDER BY "id") FROM "player"
/// ```
public func lag(_ value: some SQLOperand) -> SQLWindowFunction { SQLWindowFunction("LAG", [value]) }

/// Returns the value of an expression in a previous row, or a default if there is none: `LAG("score", 2, 0)`.
///
/// ```swift
/// Player.select { lag($0.score, 2, default: 0).over(orderBy: $0.id) }
/// // SELECT LAG("score", 2, 0) OVER (ORDER BY "id") FROM "player"
/// ```
public func lag(
    _ value: some SQLOperand, _ offset: some SQLExpressible,
    default defaultValue: (any SQLExpressible)? = nil
) -> SQLWindowFunction {
    SQLWindowFunction("LAG", [value, offset, defaultValue])
}

/// Returns the value of an expression in the next row: `LEAD("score")`.
///
/// ```swift
/// Player.select { lead($0.score).over(orderBy: $0.id) }
/// // SELECT LEAD("score") OVER (ORDER BY "id") FROM "player"
/// ```
public func lead(_ value: some SQLOperand) -> SQLWindowFunction { SQLWindowFunction("LEAD", [value]) }

/// Returns the value of an expression in a following row, or a default if there is none: `LEAD("score", 2, 0)`.
public func lead(
    _ value: some SQLOperand, _ offset: some SQLExpressible,
    default defaultValue: (any SQLExpressible)? = nil
) -> SQLWindowFunction {
    SQLWindowFunction("LEAD", [value, offset, defaultValue])
}

/// Returns the value of an expression in the first row of the frame: `FIRST_VALUE("name")`.
///
/// ```swift
/// Player.select { firstValue($0.name).over(orderBy: $0.score.desc) }
/// // SELECT FIRST_VALUE("name") OVER (ORDER BY "score" DESC) FROM "player"
/// ```
public func firstValue(_ value: some SQLOperand) -> SQLWindowFunction {
    SQLWindowFunction("FIRST_VALUE", [value])
}

/// Returns the value of an expression in the last row of the frame: `LAST_VALUE("name")`.
public func lastValue(_ value: some SQLOperand) -> SQLWindowFunction {
    SQLWindowFunction("LAST_VALUE", [value])
}

/// Returns the value of an expression in the row at a position of the frame, from 1: `NTH_VALUE("name", 2)`.
public func nthValue(_ value: some SQLOperand, _ position: some SQLExpressible) -> SQLWindowFunction {
    SQLWindowFunction("NTH_VALUE", [value, position])
}
