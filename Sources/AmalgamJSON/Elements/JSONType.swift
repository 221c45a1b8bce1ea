public import AmalgamCore

/// The type of a JSON value, as SQLite names it: <https://sqlite.org/json1.html#jtype>.
///
/// ```swift
/// Player.filter { Database.jsonType($0.info, atPath: "$.score") == JSONType.integer }
/// // SELECT * FROM "player" WHERE JSON_TYPE("info", '$.score') = 'integer'
/// ```
public enum JSONType: String, DatabaseValueConvertible, Sendable, CaseIterable {
    case null, `true`, `false`, integer, real, text, array, object
}
