public import AmalgamCore

// What Swift and Foundation do to texts, in SQL. `UPPER` and `LOWER` of SQLite change ASCII letters only.

extension SQLSpecificExpressible {
    /// Words with a capital letter in front: `swiftCapitalizedString("name")`.
    public var capitalized: SQLExpression { DatabaseFunction.capitalize(self) }

    /// Small letters: `swiftLowercaseString("name")`.
    ///
    /// ```swift
    /// Player.filter { $0.name.lowercased == "jérôme" }
    /// // SELECT * FROM "player" WHERE swiftLowercaseString("name") = 'jérôme'
    /// ```
    public var lowercased: SQLExpression { DatabaseFunction.lowercase(self) }

    /// Capital letters: `swiftUppercaseString("name")`.
    public var uppercased: SQLExpression { DatabaseFunction.uppercase(self) }

    /// Words with a capital letter in front, in the current locale: `swiftLocalizedCapitalizedString("name")`.
    public var localizedCapitalized: SQLExpression { DatabaseFunction.localizedCapitalize(self) }

    /// Small letters, in the current locale: `swiftLocalizedLowercaseString("name")`.
    public var localizedLowercased: SQLExpression { DatabaseFunction.localizedLowercase(self) }

    /// Capital letters, in the current locale: `swiftLocalizedUppercaseString("name")`.
    public var localizedUppercased: SQLExpression { DatabaseFunction.localizedUppercase(self) }
}
