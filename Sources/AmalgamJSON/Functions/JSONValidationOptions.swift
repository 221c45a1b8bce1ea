/// The formats that count as valid JSON: see ``Database/jsonIsValid(_:options:)``.
///
/// ```swift
/// Player.filter { Database.jsonIsValid($0.info, options: [.json, .jsonb]) }
/// // SELECT * FROM "player" WHERE JSON_VALID("info", 9)
/// ```
///
/// See <https://sqlite.org/json1.html#jvalid>.
public struct JSONValidationOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// TEXT values that are JSON by RFC 8259, without extensions.
    public static let json = JSONValidationOptions(rawValue: 1)

    /// TEXT values that are JSON or JSON5.
    public static let json5 = JSONValidationOptions(rawValue: 2)

    /// BLOB values that are probably JSONB. SQLite only checks the outermost header, which is fast.
    public static let probablyJSONB = JSONValidationOptions(rawValue: 4)

    /// BLOB values that are JSONB. SQLite checks them completely.
    public static let jsonb = JSONValidationOptions(rawValue: 8)
}
