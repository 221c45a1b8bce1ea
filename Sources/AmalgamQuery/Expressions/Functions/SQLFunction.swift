public import AmalgamCore

/// A scalar function of SQLite, or of an extension.
///
/// ```swift
/// Player.select { SQLFunction.round($0.score, 1) }
/// // SELECT ROUND("score", 1) FROM "player"
/// Player.filter { SQLFunction.trim($0.name) == "" }
/// // SELECT * FROM "player" WHERE TRIM("name") = ''
/// ```
///
/// Functions that have no constant here are made by their name:
///
/// ```swift
/// let levenshtein = SQLFunction("levenshtein", pure: true)
/// Player.order { levenshtein($0.name, "Anna") }
/// // SELECT * FROM "player" ORDER BY levenshtein("name", 'Anna')
/// ```
///
/// Functions written in Swift are called without this type: see ``DatabaseFunction``. SQLite checks the arguments when
/// the statement is compiled. See <https://sqlite.org/lang_corefunc.html> and <https://sqlite.org/lang_mathfunc.html>.
public struct SQLFunction: Sendable {
    private let name: String
    private let isPure: Bool

    /// Whether the function is certainly not an aggregate.
    private let isScalar: Bool

    /// A function.
    ///
    /// - Parameters:
    ///   - name: the name in SQL.
    ///   - isPure: whether the result depends on the arguments only.
    public init(_ name: String, pure isPure: Bool = false) {
        self.name = name.sqlName
        self.isPure = isPure
        isScalar = false
    }

    /// A function of SQLite, whose name needs no quotes, and whose result depends on the arguments only.
    init(builtIn name: String) {
        self.name = name
        isPure = true
        isScalar = true
    }

    /// A call of the function.
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression { self(arguments) }

    /// A call of the function.
    public func callAsFunction(_ arguments: [any SQLExpressible]) -> SQLExpression {
        SQLExpression(
            node: SQLFunctionCall(
                builtIn: name, isPure: isPure, isScalar: isScalar, arguments: arguments.map(\.sqlExpression)))
    }
}
