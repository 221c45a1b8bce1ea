public import AmalgamCore

/// A call of a function that needs a window: see ``rowNumber()`` and ``SQLWindow``.
///
/// It becomes an expression with `over`:
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

    /// The function, over the rows around each row.
    ///
    /// - Parameters:
    ///   - expressions: rows with other values of these do not count. When empty, all rows count.
    ///   - orderings: the order of the rows.
    ///   - frame: which rows count, for the functions of a first, last or other row.
    public func over(
        partitionBy expressions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> SQLExpression {
        over(SQLWindow(partitionBy: expressions, orderBy: orderings, frame: frame))
    }

    /// The function, over the rows in a window.
    public func over(_ window: SQLWindow) -> SQLExpression { call.over(window) }
}

// The window functions of SQLite: <https://sqlite.org/windowfunctions.html#built_in_window_functions>.

/// The number of the row, from 1 on: `ROW_NUMBER()`.
public func rowNumber() -> SQLWindowFunction { SQLWindowFunction("ROW_NUMBER", []) }

/// The number of the first of equal rows, so that there are gaps: `RANK()` is 1, 2, 2, 4.
public func rank() -> SQLWindowFunction { SQLWindowFunction("RANK", []) }

/// The number of the group of equal rows, without gaps: `DENSE_RANK()` is 1, 2, 2, 3.
public func denseRank() -> SQLWindowFunction { SQLWindowFunction("DENSE_RANK", []) }

/// The rank, from 0.0 to 1.0: `PERCENT_RANK()`.
public func percentRank() -> SQLWindowFunction { SQLWindowFunction("PERCENT_RANK", []) }

/// The part of the rows that come before the row or are equal to it: `CUME_DIST()`.
public func cumulativeDistribution() -> SQLWindowFunction { SQLWindowFunction("CUME_DIST", []) }

/// The number of the part, from 1 on, when rows are divided in parts of one size: `NTILE(4)` for quarters.
public func ntile(_ count: some SQLExpressible) -> SQLWindowFunction { SQLWindowFunction("NTILE", [count]) }

/// The value of an expression in a row before: `LAG("score")`.
///
/// ```swift
/// Player.select { [$0.date, $0.score - lag($0.score).over(orderBy: $0.date)] }
/// // SELECT "date", "score" - LAG("score") OVER (ORDER BY "date") FROM "player"
/// ```
public func lag(_ value: some SQLSpecificExpressible) -> SQLWindowFunction { SQLWindowFunction("LAG", [value]) }

/// The value of an expression in some row before, or a default where there is none: `LAG("score", 2, 0)`.
public func lag(
    _ value: some SQLSpecificExpressible, _ offset: some SQLExpressible,
    default defaultValue: (any SQLExpressible)? = nil
) -> SQLWindowFunction {
    SQLWindowFunction("LAG", [value, offset, defaultValue])
}

/// The value of an expression in the next row: `LEAD("score")`.
public func lead(_ value: some SQLSpecificExpressible) -> SQLWindowFunction { SQLWindowFunction("LEAD", [value]) }

/// The value of an expression in some row behind, or a default where there is none: `LEAD("score", 2, 0)`.
public func lead(
    _ value: some SQLSpecificExpressible, _ offset: some SQLExpressible,
    default defaultValue: (any SQLExpressible)? = nil
) -> SQLWindowFunction {
    SQLWindowFunction("LEAD", [value, offset, defaultValue])
}

/// The value of an expression in the first row of the frame: `FIRST_VALUE("name")`.
public func firstValue(_ value: some SQLSpecificExpressible) -> SQLWindowFunction {
    SQLWindowFunction("FIRST_VALUE", [value])
}

/// The value of an expression in the last row of the frame: `LAST_VALUE("name")`.
public func lastValue(_ value: some SQLSpecificExpressible) -> SQLWindowFunction {
    SQLWindowFunction("LAST_VALUE", [value])
}

/// The value of an expression in one row of the frame, which are numbered from 1 on: `NTH_VALUE("name", 2)`.
public func nthValue(_ value: some SQLSpecificExpressible, _ position: some SQLExpressible) -> SQLWindowFunction {
    SQLWindowFunction("NTH_VALUE", [value, position])
}
