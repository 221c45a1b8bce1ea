public import AmalgamCore

/// An expression whose values are JSON: a ``JSONColumn``, or any expression by ``AmalgamCore/SQLSpecificExpressible/asJSON``.
///
/// ```swift
/// struct Player: TableRecord {
///     enum Columns {
///         static let info = JSONColumn("info")
///     }
/// }
///
/// Player.filter { $0.info["country"] == "DE" }
/// // SELECT * FROM "player" WHERE ("info" ->> 'country') = 'DE'
/// ```
///
/// SQLite knows JSON as text and as JSONB, its binary form, and reads both everywhere. A value that is neither is an error
/// when the statement runs: `malformed JSON`. See <https://sqlite.org/json1.html>.
///
/// Paths are written into the SQL, and are no arguments: SQLite uses an index on `"info" ->> 'country'` for this very text.
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

extension SQLJSONExpressible {
    /// What JSON has at a path, as an SQL value: `"info" ->> 'country'`.
    ///
    /// ```swift
    /// info["country"]       // "info" ->> 'country'       the value of a key
    /// info["$.tags[0]"]     // "info" ->> '$.tags[0]'     a path
    /// tags[0]               // "tags" ->> 0               an element of an array
    /// ```
    ///
    /// Strings of JSON are texts, numbers are numbers, true and false are 1 and 0, null and what is not there are NULL,
    /// arrays and objects are JSON text. See <https://sqlite.org/json1.html#jptr>.
    public subscript(_ path: some SQLExpressible) -> SQLExpression {
        SQLExpression(node: JSONSubvalueNode(json: self, operation: .value, path: path.sqlExpression.node))
    }

    /// What JSON has at a path, as JSON: `"info" -> 'score'`.
    ///
    /// It is a text, and JSON for other functions: `Database.jsonArray([info.jsonRepresentation(atPath: "tags")])` has an
    /// array inside of an array.
    public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression(node: JSONSubvalueNode(json: self, operation: .representation, path: path.sqlExpression.node))
    }

    /// What JSON has at a path: an SQL value, or JSON for arrays and objects. `JSON_EXTRACT("info", '$.a')`
    ///
    /// The path begins with `$`. See <https://sqlite.org/json1.html#jex>.
    public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
        Database.jsonExtract(self, atPath: path)
    }

    /// A JSON array of what JSON has at some paths: `JSON_EXTRACT("info", '$.a', '$.b')`.
    public func jsonExtract<Paths: Collection>(atPaths paths: Paths) -> SQLExpression
    where Paths.Element: SQLExpressible {
        Database.jsonExtract(self, atPaths: paths)
    }
}

/// Any expression whose values are JSON.
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
    public let sqlExpression: SQLExpression

    /// Wraps an expression whose values are JSON.
    public init(_ base: some SQLJSONExpressible) {
        sqlExpression = base.sqlExpression
    }

    init(sqlExpression: SQLExpression) {
        self.sqlExpression = sqlExpression
    }
}

extension SQLSpecificExpressible {
    /// The expression, whose values are JSON.
    ///
    /// ```swift
    /// Column("info").asJSON["score"]
    /// // "info" ->> 'score'
    /// ```
    public var asJSON: AnySQLJSONExpressible { AnySQLJSONExpressible(sqlExpression: sqlExpression) }
}
