public import AmalgamCore

/// The type of a JSON value, by its name in SQLite: <https://sqlite.org/json1.html#jtype>.
///
/// ```swift
/// Player.filter { Database.jsonType($0.info, atPath: "$.score") == JSONType.integer }
/// // SELECT * FROM "player" WHERE JSON_TYPE("info", '$.score') = 'integer'
/// ```
public enum JSONType: String, DatabaseValueConvertible, Sendable, CaseIterable {
    /// A JSON null, as opposed to a missing value.
    case null

    /// The literal `true`.
    case `true`

    /// The literal `false`.
    case `false`

    /// A number without a fraction or exponent.
    case integer

    /// A number with a fraction or exponent.
    case real

    /// A string.
    case text

    /// An array.
    case array

    /// An object.
    case object
}
