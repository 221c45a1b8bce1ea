public import AmalgamCore
public import Foundation

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
public protocol SQLJSONExpressible: SQLSpecificExpressible {
    /// Encodes the Swift values that are compared with values inside the JSON, and those that an edit puts into it.
    ///
    /// nil stands for the encoder of JSON columns: dates are milliseconds since 1970, UUIDs are strings, data is Base64.
    var valueEncoder: JSONEncoder? { get }
}

extension SQLJSONExpressible {
    public var valueEncoder: JSONEncoder? { nil }
}

extension SQLJSONExpressible {
    /// What JSON has at a path, as an SQL value: `"info" ->> 'country'`.
    ///
    /// ```swift
    /// info["country"]       // "info" ->> 'country'       the value of a key
    /// info["$.tags[0]"]     // "info" ->> '$.tags[0]'     a path
    /// tags[0]               // "tags" ->> 0               an element of an array
    /// ```
    ///
    /// A path of one step is written as its key or position: `info["$.country"]` is `"info" ->> 'country'`, so that one
    /// index serves all spellings.
    ///
    /// Strings of JSON are TEXT values, numbers are numbers, true and false are 1 and 0, null and missing values are NULL,
    /// arrays and objects are JSON text. A Swift value on the other side of a comparison is encoded by ``valueEncoder``:
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

    public let valueEncoder: JSONEncoder?

    /// Wraps an expression whose values are JSON.
    public init(_ base: some SQLJSONExpressible) {
        self.init(sqlExpression: base.sqlExpression, valueEncoder: base.valueEncoder)
    }

    init(sqlExpression: SQLExpression, valueEncoder: JSONEncoder? = nil) {
        self.sqlExpression = sqlExpression
        self.valueEncoder = valueEncoder
    }
}

extension SQLSpecificExpressible {
    /// The expression, whose values are JSON.
    ///
    /// ```swift
    /// Column("info").asJSON["score"]
    /// // "info" ->> 'score'
    /// ```
    public var asJSON: AnySQLJSONExpressible {
        let valueEncoder = (self as? any SQLJSONExpressible)?.valueEncoder
        return AnySQLJSONExpressible(sqlExpression: sqlExpression, valueEncoder: valueEncoder)
    }

    /// The expression, whose values are JSON that an encoder has written.
    ///
    /// ```swift
    /// let encoder = JSONEncoder()
    /// encoder.dateEncodingStrategy = .iso8601
    /// Column("info").asJSON(encoder: encoder)["since"] == Date(timeIntervalSince1970: 0)
    /// // ("info" ->> 'since') = '1970-01-01T00:00:00Z'
    /// ```
    ///
    /// - Parameter encoder: encodes the Swift values that are compared with values inside the JSON.
    public func asJSON(encoder: JSONEncoder) -> AnySQLJSONExpressible {
        AnySQLJSONExpressible(sqlExpression: sqlExpression, valueEncoder: encoder)
    }
}

extension Optional where Wrapped: SQLSpecificExpressible {
    /// The expression, whose values are JSON; NULL for nil.
    public var asJSON: AnySQLJSONExpressible {
        self?.asJSON ?? AnySQLJSONExpressible(sqlExpression: DatabaseValue.null.sqlExpression)
    }
}
