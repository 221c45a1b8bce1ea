public import AmalgamCore

/// A scalar function of SQLite, or of a loaded extension.
///
/// ```swift
/// Player.select { SQLFunction.round($0.score, 1) }
/// // SELECT ROUND("score", 1) FROM "player"
/// Player.filter { SQLFunction.trim($0.name) == "" }
/// // SELECT * FROM "player" WHERE TRIM("name") = ''
/// ```
///
/// For other functions, create a value with the name of the function:
///
/// ```swift
/// let levenshtein = SQLFunction("levenshtein", pure: true)
/// Player.order { levenshtein($0.name, "Anna") }
/// // SELECT * FROM "player" ORDER BY levenshtein("name", 'Anna')
/// ```
///
/// Functions written in Swift don't need this type: see ``DatabaseFunction``. SQLite checks the number of arguments
/// when it compiles the statement. See <https://sqlite.org/lang_corefunc.html> and
/// <https://sqlite.org/lang_mathfunc.html>.
public struct SQLFunction: Sendable {
    private let name: String
    private let isPure: Bool

    /// Whether the function certainly isn't an aggregate.
    private let isScalar: Bool

    /// Creates a function with the given name.
    ///
    /// ```swift
    /// let levenshtein = SQLFunction("levenshtein", pure: true)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the function, in SQL.
    ///   - isPure: whether the result depends only on the arguments.
    public init(_ name: String, pure isPure: Bool = false) {
        self.name = name.sqlName
        self.isPure = isPure
        isScalar = false
    }

    /// Creates a deterministic built-in function, whose name is written without quotes.
    init(builtIn name: String) {
        self.name = name
        isPure = true
        isScalar = true
    }

    /// Calls the function with arguments.
    ///
    /// ```swift
    /// Player.select { SQLFunction.round($0.score, 1) }
    /// // SELECT ROUND("score", 1) FROM "player"
    /// ```
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression { self(arguments) }

    /// Calls the function with an array of arguments.
    public func callAsFunction(_ arguments: [any SQLExpressible]) -> SQLExpression {
        SQLExpression(
            node: SQLFunctionCall(
                builtIn: name, isPure: isPure, isScalar: isScalar, arguments: arguments.map(\.sqlExpression)))
    }
}
