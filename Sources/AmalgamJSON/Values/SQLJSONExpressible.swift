public import AmalgamCore
public import Foundation

/// An expression whose values are JSON: a ``JSONColumn``, or the result of
/// ``SQLSpecificExpressible/asJSON``.
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
/// SQLite's JSON functions accept JSON text and JSONB. If the value is neither of them, running the statement throws
/// `malformed JSON`. See <https://sqlite.org/json1.html>.
///
/// Constant paths are literals in the SQL, not bound arguments: SQLite uses an index on `"info" ->> 'country'` only for
/// queries that contain this expression.
public protocol SQLJSONExpressible: SQLSpecificExpressible {
    /// Encodes Swift values that are compared with values inside the JSON, or inserted into the JSON by an edit.
    ///
    /// nil stands for the default encoder of JSON columns: dates are milliseconds since 1970, UUIDs are strings, and
    /// data is Base64.
    var valueEncoder: JSONEncoder? { get }
}

extension SQLJSONExpressible {
    public var valueEncoder: JSONEncoder? { nil }
}

extension SQLJSONExpressible {
    /// An expression for the value at a path, as an SQL value: `"info" ->> 'country'`.
    ///
    /// ```swift
    /// let (info, tags) = (JSONColumn("info"), JSONColumn("tags"))
    /// info["country"]       // "info" ->> 'country'       the value of a key
    /// info["$.tags[0]"]     // "info" ->> '$.tags[0]'     a path
    /// tags[0]               // "tags" ->> 0               an element of an array
    /// ```
    ///
    /// A path with one component is written as its key or array index: `info["$.country"]` is `"info" ->> 'country'`.
    /// Therefore, both spellings can use the same database index.
    ///
    /// | JSON value at the path | SQL value |
    /// | --- | --- |
    /// | a string | TEXT |
    /// | a number | INTEGER or REAL |
    /// | true, false | 1, 0 |
    /// | null, or no value at the path | NULL |
    /// | an array or object | TEXT: the JSON |
    ///
    /// A Swift value that is compared with the result is encoded by ``valueEncoder``:
    ///
    /// ```swift
    /// Player.filter { $0.info["since"] > Date(timeIntervalSince1970: 60) }
    /// // SELECT * FROM "player" WHERE ("info" ->> 'since') > 60000
    /// ```
    ///
    /// See <https://sqlite.org/json1.html#jptr>.
    public subscript(_ path: some SQLExpressible) -> SQLExpression {
        SQLExpression(node: JSONSubvalueNode(json: self, operation: .value, path: path.sqlExpression.node))
    }

    /// Returns an expression for the value at a path, as JSON text: `"info" -> 'score'`.
    ///
    /// ```swift
    /// Player.select { Database.jsonArray([$0.info.jsonRepresentation(atPath: "tags")]) }
    /// // SELECT JSON_ARRAY("info" -> 'tags') FROM "player"
    /// ```
    ///
    /// Other JSON functions treat the result as JSON, not as a string. If `tags` is `["a"]`, the example returns
    /// `[["a"]]`.
    public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression(node: JSONSubvalueNode(json: self, operation: .representation, path: path.sqlExpression.node))
    }

    /// Returns an expression for the value at a path: `JSON_EXTRACT("info", '$.a')`. The result is an SQL value. Arrays
    /// and objects are returned as JSON text.
    ///
    /// ```swift
    /// Player.select { $0.info.jsonExtract(atPath: "$.score") }
    /// // SELECT JSON_EXTRACT("info", '$.score') FROM "player"
    /// ```
    ///
    /// The path must begin with `$`. See <https://sqlite.org/json1.html#jex>.
    public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
        Database.jsonExtract(self, atPath: path)
    }

    /// Returns an expression for a JSON array of the values at several paths: `JSON_EXTRACT("info", '$.a', '$.b')`.
    ///
    /// ```swift
    /// Player.select { $0.info.jsonExtract(atPaths: ["$.score", "$.level"]) }
    /// // SELECT JSON_EXTRACT("info", '$.score', '$.level') FROM "player"
    /// ```
    public func jsonExtract<Paths: Collection>(atPaths paths: Paths) -> SQLExpression
    where Paths.Element: SQLExpressible {
        Database.jsonExtract(self, atPaths: paths)
    }
}

/// A type-erased expression whose values are JSON.
///
/// ```swift
/// let info = AnySQLJSONExpressible(JSONColumn("info"))
/// let players = Player.filter(info["country"] == "DE")
/// // SELECT * FROM "player" WHERE ("info" ->> 'country') = 'DE'
/// ```
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
    public let sqlExpression: SQLExpression

    public let valueEncoder: JSONEncoder?

    /// Creates a type-erased JSON expression.
    public init(_ base: some SQLJSONExpressible) {
        self.init(sqlExpression: base.sqlExpression, valueEncoder: base.valueEncoder)
    }

    init(sqlExpression: SQLExpression, valueEncoder: JSONEncoder? = nil) {
        self.sqlExpression = sqlExpression
        self.valueEncoder = valueEncoder
    }
}

extension SQLSpecificExpressible {
    /// The expression, treated as JSON.
    ///
    /// ```swift
    /// Column("info").asJSON["score"]
    /// // "info" ->> 'score'
    /// ```
    public var asJSON: AnySQLJSONExpressible {
        let valueEncoder = (self as? any SQLJSONExpressible)?.valueEncoder
        return AnySQLJSONExpressible(sqlExpression: sqlExpression, valueEncoder: valueEncoder)
    }

    /// Returns the expression, treated as JSON that the given encoder has written.
    ///
    /// ```swift
    /// let encoder = JSONEncoder()
    /// encoder.dateEncodingStrategy = .iso8601
    /// Column("info").asJSON(encoder: encoder)["since"] == Date(timeIntervalSince1970: 0)
    /// // ("info" ->> 'since') = '1970-01-01T00:00:00Z'
    /// ```
    ///
    /// - Parameter encoder: The encoder for Swift values that are compared with values inside the JSON.
    public func asJSON(encoder: JSONEncoder) -> AnySQLJSONExpressible {
        AnySQLJSONExpressible(sqlExpression: sqlExpression, valueEncoder: encoder)
    }
}

extension Optional where Wrapped: SQLSpecificExpressible {
    /// The expression, treated as JSON; NULL for nil.
    public var asJSON: AnySQLJSONExpressible {
        self?.asJSON ?? AnySQLJSONExpressible(sqlExpression: DatabaseValue.null.sqlExpression)
    }
}
