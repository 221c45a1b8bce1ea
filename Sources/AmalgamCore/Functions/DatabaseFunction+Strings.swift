import Foundation

// SQL functions that convert the case of all letters. SQLite's own functions convert only ASCII letters.
//
// Every connection has these functions. Even the localized ones are declared deterministic, because indexes and
// generated columns of existing database files may call them.

extension DatabaseFunction {
    /// The function `swiftCapitalizedString`: `capitalized` of Foundation.
    ///
    /// ```swift
    /// try String.fetchOne(db, sql: "SELECT \(DatabaseFunction.capitalize.name)('jérÔME')")   // "Jérôme"
    /// ```
    ///
    /// The six functions `swift…String` return NULL for NULL and for numbers. They decode a BLOB as UTF-8.
    public static let capitalize = ofStrings("swiftCapitalizedString") { $0.capitalized }

    /// The function `swiftLowercaseString`: `lowercased()` of Swift.
    ///
    /// ```swift
    /// try String.fetchOne(db, sql: "SELECT swiftLowercaseString('JÉRÔME')")   // "jérôme"
    /// ```
    public static let lowercase = ofStrings("swiftLowercaseString") { $0.lowercased() }

    /// The function `swiftUppercaseString`: `uppercased()` of Swift.
    ///
    /// ```swift
    /// try String.fetchOne(db, sql: "SELECT swiftUppercaseString('Jérôme')")   // "JÉRÔME"
    /// try String.fetchOne(db, sql: "SELECT UPPER('Jérôme')")                  // "JéRôME"
    /// ```
    public static let uppercase = ofStrings("swiftUppercaseString") { $0.uppercased() }

    /// The function `swiftLocalizedCapitalizedString`: `localizedCapitalized` of Foundation, in the current locale.
    public static let localizedCapitalize = ofStrings("swiftLocalizedCapitalizedString") { $0.localizedCapitalized }

    /// The function `swiftLocalizedLowercaseString`: `localizedLowercase` of Foundation, in the current locale.
    public static let localizedLowercase = ofStrings("swiftLocalizedLowercaseString") { $0.localizedLowercase }

    /// The function `swiftLocalizedUppercaseString`: `localizedUppercase` of Foundation, in the current locale.
    public static let localizedUppercase = ofStrings("swiftLocalizedUppercaseString") { $0.localizedUppercase }

    /// The functions that every connection has.
    static let defaults = [
        capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase, localizedUppercase,
    ]

    private static func ofStrings(
        _ name: String, _ transform: @escaping @Sendable (String) -> String
    ) -> DatabaseFunction {
        DatabaseFunction(name, pure: true, options: .innocuous) { (value: DatabaseValue) in
            String.fromDatabaseValue(value).map(transform)
        }
    }
}
