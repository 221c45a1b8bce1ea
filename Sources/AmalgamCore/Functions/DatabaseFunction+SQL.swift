import CAmalgam

extension DatabaseFunction {
    /// Returns a call of the function, as an SQL expression.
    ///
    /// ```swift
    /// let reverse = DatabaseFunction("reverse", pure: true) { (text: String) in String(text.reversed()) }
    /// let query: SQL = "SELECT \(reverse("abc"))"
    /// // SELECT reverse(?)
    /// ```
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        SQLExpression(
            node: SQLFunctionCall(
                name: name, isPure: isPure, isScalar: body.isScalar, arguments: arguments.map(\.sqlExpression)))
    }
}

/// A function call: `name(argument, …)`.
package struct SQLFunctionCall: SQLNode {
    /// The name in SQL.
    private let name: String

    /// Whether the result depends only on the arguments.
    package let isPure: Bool

    /// Whether the function returns one value for each row, and certainly isn't an aggregate.
    package let isScalar: Bool

    package let arguments: [SQLExpression]

    package init(name: String, isPure: Bool, isScalar: Bool = false, arguments: [SQLExpression]) {
        self.name = name.sqlName
        self.isPure = isPure
        self.isScalar = isScalar
        self.arguments = arguments
    }

    /// Creates a call of a built-in function of SQLite, whose name needs no quotes.
    package init(builtIn name: String, isPure: Bool, isScalar: Bool = true, arguments: [SQLExpression]) {
        self.name = name
        self.isPure = isPure
        self.isScalar = isScalar
        self.arguments = arguments
    }

    package var isAtom: Bool { true }

    package var nestedNodes: [any SQLNode] { arguments.map(\.node) }

    package func write(to writer: inout SQLWriter) throws {
        writer.append(name)
        writer.append("(")
        try writer.append(arguments.map(\.node))
        writer.append(")")
    }
}

extension String {
    /// The name of a function or collation in SQL: unchanged, or quoted if SQL doesn't accept it as an identifier.
    package var sqlName: String { isPlainSQLName ? self : quotedDatabaseIdentifier }

    private var isPlainSQLName: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return utf8.allSatisfy(\.isLetterOfSQLName) && sqlite3_keyword_check(self, CInt(clamping: utf8.count)) == 0
    }
}

extension UInt8 {
    fileprivate var isLetterOfSQLName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }
}
