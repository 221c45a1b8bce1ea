public import AmalgamCore

// String functions of Swift and Foundation, in SQL. `UPPER` and `LOWER` of SQLite change ASCII letters only.

extension SQLSpecificExpressible {
    /// The string with the first letter of each word in upper case: `swiftCapitalizedString("name")`.
    ///
    /// ```swift
    /// Player.select(\.name.capitalized)
    /// // SELECT swiftCapitalizedString("name") FROM "player"
    /// ```
    public var capitalized: SQLExpression { DatabaseFunction.capitalize(self) }

    /// The string in lower case: `swiftLowercaseString("name")`.
    ///
    /// ```swift
    /// Player.filter { $0.name.lowercased == "jérôme" }
    /// // SELECT * FROM "player" WHERE swiftLowercaseString("name") = 'jérôme'
    /// ```
    public var lowercased: SQLExpression { DatabaseFunction.lowercase(self) }

    /// The string in upper case: `swiftUppercaseString("name")`.
    ///
    /// ```swift
    /// Player.select(\.name.uppercased)
    /// // SELECT swiftUppercaseString("name") FROM "player"
    /// ```
    public var uppercased: SQLExpression { DatabaseFunction.uppercase(self) }

    /// The string with the first letter of each word in upper case, in the current locale:
    /// `swiftLocalizedCapitalizedString("name")`.
    public var localizedCapitalized: SQLExpression { DatabaseFunction.localizedCapitalize(self) }

    /// The string in lower case, in the current locale: `swiftLocalizedLowercaseString("name")`.
    public var localizedLowercased: SQLExpression { DatabaseFunction.localizedLowercase(self) }

    /// The string in upper case, in the current locale: `swiftLocalizedUppercaseString("name")`.
    public var localizedUppercased: SQLExpression { DatabaseFunction.localizedUppercase(self) }
}
