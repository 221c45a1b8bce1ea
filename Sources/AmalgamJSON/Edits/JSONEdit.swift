public import AmalgamCore
import Foundation

/// A change of a value inside JSON, which `JSONColumn.edit(_:)` converts to an assignment.
///
/// ```swift
/// try Player.updateAll(db) {
///     $0.info.edit(
///         .set(["score"], to: 10), .set(["active"], to: true), .append("new", to: ["tags"]), .remove(["draft"]))
/// }
/// // UPDATE "player" SET "info" =
/// //   JSON_REMOVE(
/// //     JSON_INSERT(JSON_SET("info", '$.score', 10, '$.active', JSON('true')), '$.tags[#]', 'new'),
/// //     '$.draft')
/// ```
///
/// | Swift value | JSON value |
/// | --- | --- |
/// | nil | null |
/// | a `Bool` | true or false |
/// | a string or a number | a string or a number |
/// | a date, a UUID, data, or a `DatabaseValueConvertible & Encodable` value | the output of the column's encoder |
/// | a JSON expression, such as a ``JSONColumn`` | the JSON |
/// | a different expression | its SQL value |
///
/// The default encoder of a column encodes dates as milliseconds since 1970, UUIDs as strings and data as Base64. To
/// set a different encoder, call ``JSONColumn/init(_:encoder:)``. To insert JSONB that is stored in a `Data` value,
/// pass `jsonb.databaseValue.asJSON`.
///
/// For `Encodable` values whose type isn't `DatabaseValueConvertible`, call a method such as ``set(_:encoding:by:)``.
///
/// An edit has no effect if the column or expression is NULL. It also has no effect if its path leads through a value
/// that is neither an object nor an array: `.set(["name", "first"], to: "Anna")` changes nothing if `name` is a string.
/// See <https://sqlite.org/json1.html#jins>.
public struct JSONEdit: Sendable {
    enum Action: Sendable {
        /// A call of a function with a path and a value.
        case assign(function: String, path: JSONPath, value: EditedValue)

        case remove(JSONPath)

        case patch(SQLExpression)
    }

    let action: Action

    private init(_ function: String, _ path: JSONPath, _ value: (any SQLExpressible)?) {
        action = .assign(function: function, path: path, value: EditedValue(value))
    }

    /// - Parameter jsonb: The value as JSONB.
    private init(_ function: String, _ path: JSONPath, jsonb: Data) {
        action = .assign(function: function, path: path, value: .expression(jsonb.databaseValue))
    }

    private init(_ action: Action) {
        self.action = action
    }

    /// Returns an edit that sets the value at a path, whether or not the path exists.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.set(["score"], to: 10)) }
    /// // UPDATE "player" SET "info" = JSON_SET("info", '$.score', 10)
    /// ```
    public static func set(_ path: JSONPath, to value: (any SQLExpressible)?) -> JSONEdit {
        JSONEdit("SET", path, value)
    }

    /// Returns an edit that inserts a value at a path, if the path doesn't exist.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.insert(10, at: ["score"])) }
    /// // UPDATE "player" SET "info" = JSON_INSERT("info", '$.score', 10)
    /// ```
    public static func insert(_ value: (any SQLExpressible)?, at path: JSONPath) -> JSONEdit {
        JSONEdit("INSERT", path, value)
    }

    /// Returns an edit that replaces the value at a path, if the path exists.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.replace(["score"], with: 10)) }
    /// // UPDATE "player" SET "info" = JSON_REPLACE("info", '$.score', 10)
    /// ```
    public static func replace(_ path: JSONPath, with value: (any SQLExpressible)?) -> JSONEdit {
        JSONEdit("REPLACE", path, value)
    }

    /// Returns an edit that appends an element to the array at a path. If the path doesn't exist, the edit creates an
    /// array.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.append("new", to: ["tags"])) }
    /// // UPDATE "player" SET "info" = JSON_INSERT("info", '$.tags[#]', 'new')
    /// ```
    public static func append(_ value: (any SQLExpressible)?, to path: JSONPath) -> JSONEdit {
        JSONEdit("INSERT", path.appending(.end), value)
    }

    /// Returns an edit that inserts an element into an array, before the element at a path. The path must end with an
    /// index.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.insertElement("first", before: ["tags", 0])) }
    /// // UPDATE "player" SET "info" = JSON_ARRAY_INSERT("info", '$.tags[0]', 'first')
    /// ```
    public static func insertElement(_ value: (any SQLExpressible)?, before path: JSONPath) -> JSONEdit {
        JSONEdit("ARRAY_INSERT", path, value)
    }

    /// Returns an edit that removes the value at a path.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.remove(["draft"])) }
    /// // UPDATE "player" SET "info" = JSON_REMOVE("info", '$.draft')
    /// ```
    public static func remove(_ path: JSONPath) -> JSONEdit { JSONEdit(.remove(path)) }

    /// Returns an edit that merges a JSON patch into the JSON, by RFC 7396. A null in the patch removes the key.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.patch(with: #"{"score":10,"draft":null}"#)) }
    /// // UPDATE "player" SET "info" = JSON_PATCH("info", '{"score":10,"draft":null}')
    /// ```
    public static func patch(with patch: some SQLExpressible) -> JSONEdit { JSONEdit(.patch(patch.sqlExpression)) }
}

// MARK: - Codable values

extension JSONEdit {
    /// Returns an edit that sets the value at a path to an encoded value, whether or not the path exists.
    ///
    /// ```swift
    /// try Player.updateAll(db) { try $0.info.edit(.set(["address"], encoding: Address(city: "Rome"))) }
    /// // UPDATE "player" SET "info" = JSON_SET("info", '$.address', x'…')
    /// ```
    ///
    /// The encoded value is passed as JSONB.
    ///
    /// - Throws: Errors of the encoder.
    public static func set(
        _ path: JSONPath, encoding value: some Encodable, by encoder: JSONBEncoder = JSONBEncoder()
    ) throws -> JSONEdit {
        JSONEdit("SET", path, jsonb: try encoder.encode(value))
    }

    /// Returns an edit that appends an encoded value to the array at a path.
    ///
    /// ```swift
    /// let address = Address(city: "Rome")
    /// try Player.updateAll(db) { try $0.info.edit(.append(encoding: address, to: ["addresses"])) }
    /// // UPDATE "player" SET "info" = JSON_INSERT("info", '$.addresses[#]', x'…')
    /// ```
    ///
    /// - Throws: Errors of the encoder.
    public static func append(
        encoding value: some Encodable, to path: JSONPath, by encoder: JSONBEncoder = JSONBEncoder()
    ) throws -> JSONEdit {
        JSONEdit("INSERT", path.appending(.end), jsonb: try encoder.encode(value))
    }

    /// Returns an edit that merges an encoded value into the JSON, by RFC 7396.
    ///
    /// - Throws: Errors of the encoder.
    public static func patch(
        encoding value: some Encodable, by encoder: JSONBEncoder = JSONBEncoder()
    ) throws -> JSONEdit {
        patch(with: try encoder.encode(value))
    }
}

/// A value to insert into JSON.
enum EditedValue: Sendable {
    case bool(Bool)
    case expression(any SQLNode)
    case json(any SQLNode)
    case swift(SwiftValue)

    /// A Swift value that is encoded when its column is known.
    struct SwiftValue: @unchecked Sendable {
        // Sendable: the value is only read.
        let value: any SQLExpressible
    }

    init(_ value: (any SQLExpressible)?) {
        switch value {
        case nil: self = .expression(DatabaseValue.null)
        case let bool as Bool: self = .bool(bool)
        case let json as any SQLJSONExpressible: self = .json(json.node)
        case let expression as any SQLOperand: self = .expression(expression.node)
        case let value?: self = .swift(SwiftValue(value: value))
        }
    }

    /// The value as an argument of an SQL function that returns JSON in the given form: text or JSONB.
    ///
    /// - Parameter encoder: The encoder of the column.
    func node(in form: JSONForm, _ encoder: JSONEncoder?) -> any SQLNode {
        switch self {
        case .bool(let bool): form.literal(bool)
        case .expression(let node): node
        case .json(let node): form.part(AnySQLJSONExpressible(sqlExpression: SQLExpression(node: node)))
        case .swift(let swift):
            switch EncodedJSON(swift.value, by: encoder) {
            case nil: swift.value.node
            case .scalar(let value): value
            case .bool(let bool): form.literal(bool)
            case .container(let json): form.part(json.asJSON)
            }
        }
    }
}

extension JSONForm {
    /// The literal as JSON, such as `JSON('true')`.
    fileprivate func literal(_ bool: Bool) -> any SQLNode { SQL(sql: "\(rawValue)('\(bool)')") }
}
