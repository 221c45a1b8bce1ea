public import AmalgamCore

/// The type of a JSON value, as SQLite names it: <https://sqlite.org/json1.html#jtype>.
///
/// ```swift
/// Player.filter { Database.jsonType($0.info, atPath: "$.score") == JSONType.integer }
/// // SELECT * FROM "player" WHERE JSON_TYPE("info", '$.score') = 'integer'
/// ```
public enum JSONType: String, DatabaseValueConvertible, Sendable, CaseIterable {
    /// `null`, which is no value, and yet there.
    case null

    /// `true`
    case `true`

    /// `false`
    case `false`

    /// A number without point and exponent.
    case integer

    /// Another number.
    case real

    /// A string.
    case text

    /// A list of values.
    case array

    /// Keys and values.
    case object
}
