public import AmalgamCore

extension TypedColumn where Value: SQLStringValue {
    /// Returns an expression that is true if the string matches a `LIKE` pattern. In the pattern, `%` matches any
    /// characters, and `_` matches one character.
    ///
    /// ```swift
    /// let name = TypedColumn<String>("name")
    /// Player.filter { _ in name.like("A%") }
    /// // SELECT * FROM "player" WHERE "name" LIKE 'A%'
    /// ```
    ///
    /// ASCII letters match case-insensitively, other letters case-sensitively:
    /// <https://sqlite.org/lang_expr.html#like>.
    ///
    /// - Parameters:
    ///   - pattern: the pattern.
    ///   - escape: a character. A `%` or `_` that follows this character in the pattern matches only itself.
    public func like(_ pattern: some SQLStringValue, escape: (any SQLExpressible)? = nil) -> SQLExpression {
        text.like(pattern, escape: escape)
    }

    /// Returns an expression that is true if the string matches a `LIKE` pattern, which is a column or an expression:
    /// `"name" LIKE "pattern"`.
    public func like(_ pattern: some SQLOperand, escape: (any SQLExpressible)? = nil) -> SQLExpression {
        text.like(pattern.sqlExpression, escape: escape)
    }

    @available(*, unavailable, message: "the pattern isn't a string")
    public func like(_ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
        text.like(pattern, escape: escape)
    }

    /// Returns an expression that is true if the string matches a `GLOB` pattern, with `*`, `?` and `[a-z]`. The
    /// comparison is case-sensitive: <https://sqlite.org/lang_expr.html#glob>.
    public func glob(_ pattern: some SQLStringValue) -> SQLExpression { text.glob(pattern) }

    /// Returns an expression that is true if the string matches a `GLOB` pattern, which is a column or an expression.
    public func glob(_ pattern: some SQLOperand) -> SQLExpression { text.glob(pattern.sqlExpression) }

    @available(*, unavailable, message: "the pattern isn't a string")
    public func glob(_ pattern: some SQLExpressible) -> SQLExpression { text.glob(pattern) }

    /// The string with the first letter of each word in upper case: `swiftCapitalizedString("name")`.
    public var capitalized: TypedColumn { written(as: text.capitalized, of: "swiftCapitalizedString") }

    /// The string in lower case: `swiftLowercaseString("name")`.
    public var lowercased: TypedColumn { written(as: text.lowercased, of: "swiftLowercaseString") }

    /// The string in upper case: `swiftUppercaseString("name")`.
    public var uppercased: TypedColumn { written(as: text.uppercased, of: "swiftUppercaseString") }

    /// The string with the first letter of each word in upper case, in the current locale:
    /// `swiftLocalizedCapitalizedString("name")`.
    public var localizedCapitalized: TypedColumn {
        written(as: text.localizedCapitalized, of: "swiftLocalizedCapitalizedString")
    }

    /// The string in lower case, in the current locale: `swiftLocalizedLowercaseString("name")`.
    public var localizedLowercased: TypedColumn {
        written(as: text.localizedLowercased, of: "swiftLocalizedLowercaseString")
    }

    /// The string in upper case, in the current locale: `swiftLocalizedUppercaseString("name")`.
    public var localizedUppercased: TypedColumn {
        written(as: text.localizedUppercased, of: "swiftLocalizedUppercaseString")
    }
}
