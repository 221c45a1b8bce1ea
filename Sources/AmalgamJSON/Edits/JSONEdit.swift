public import AmalgamCore
import Foundation

/// A change inside of JSON: what ``JSONColumn/edit(_:)`` makes an assignment of.
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
/// | value | becomes |
/// | --- | --- |
/// | nil | null |
/// | a `Bool` | true or false |
/// | a string, a number | a string, a number |
/// | a date, a UUID, data, another `Encodable` value | what the encoder of the column writes |
/// | an expression of JSON, such as a ``JSONColumn`` | a part of JSON |
/// | another expression | its value |
///
/// The encoder of a column writes dates as milliseconds since 1970, UUIDs as strings and data as Base64, unless the column
/// has another one: ``JSONColumn/init(_:encoder:)``. To insert JSONB that you have as data, pass
/// `jsonb.databaseValue.asJSON`.
///
/// `Encodable` values that no column can store have their own methods, such as ``set(_:encoding:by:)``. A path that goes
/// through a value that is neither an object nor an array changes nothing, and neither does an edit of NULL. See
/// <https://sqlite.org/json1.html#jins>.
public struct JSONEdit: Sendable {
    enum Action: Sendable {
        /// A function of a path and a value.
        case assign(function: String, path: JSONPath, value: EditedValue)

        case remove(JSONPath)

        case patch(SQLExpression)
    }

    let action: Action

    private init(_ function: String, _ path: JSONPath, _ value: (any SQLExpressible)?) {
        action = .assign(function: function, path: path, value: EditedValue(value))
    }

    /// - Parameter jsonb: the value, as JSONB.
    private init(_ function: String, _ path: JSONPath, jsonb: Data) {
        action = .assign(function: function, path: path, value: .expression(jsonb.databaseValue))
    }

    private init(_ action: Action) {
        self.action = action
    }

    /// Sets the value at a path, whether something is there or not.
    public static func set(_ path: JSONPath, to value: (any SQLExpressible)?) -> JSONEdit {
        JSONEdit("SET", path, value)
    }

    /// Sets the value at a path, if nothing is there.
    public static func insert(_ value: (any SQLExpressible)?, at path: JSONPath) -> JSONEdit {
        JSONEdit("INSERT", path, value)
    }

    /// Sets the value at a path, if something is there.
    public static func replace(_ path: JSONPath, with value: (any SQLExpressible)?) -> JSONEdit {
        JSONEdit("REPLACE", path, value)
    }

    /// Adds a last element to the array at a path. Where nothing is, it becomes an array.
    public static func append(_ value: (any SQLExpressible)?, to path: JSONPath) -> JSONEdit {
        JSONEdit("INSERT", path.appending(.end), value)
    }

    /// Adds an element to an array, before the one at a path, which ends with an index.
    public static func insertElement(_ value: (any SQLExpressible)?, before path: JSONPath) -> JSONEdit {
        JSONEdit("ARRAY_INSERT", path, value)
    }

    /// Removes what is at a path.
    public static func remove(_ path: JSONPath) -> JSONEdit { JSONEdit(.remove(path)) }

    /// Merges JSON into the value; a null removes its key: RFC 7396.
    ///
    /// ```swift
    /// .patch(with: #"{"score":10,"draft":null}"#)
    /// ```
    public static func patch(with patch: some SQLExpressible) -> JSONEdit { JSONEdit(.patch(patch.sqlExpression)) }
}

// MARK: - Codable values

extension JSONEdit {
    /// Sets the value at a path to an encoded one, whether something is there or not.
    ///
    /// ```swift
    /// try Player.updateAll(db) { try $0.info.edit(.set(["address"], encoding: Address(city: "Rome"))) }
    /// // UPDATE "player" SET "info" = JSON_SET("info", '$.address', x'…')
    /// ```
    ///
    /// The argument is JSONB.
    ///
    /// - throws: errors of the encoder.
    public static func set(
        _ path: JSONPath, encoding value: some Encodable, by encoder: JSONBEncoder = JSONBEncoder()
    ) throws -> JSONEdit {
        JSONEdit("SET", path, jsonb: try encoder.encode(value))
    }

    /// Adds an encoded value as the last element to the array at a path.
    ///
    /// - throws: errors of the encoder.
    public static func append(
        encoding value: some Encodable, to path: JSONPath, by encoder: JSONBEncoder = JSONBEncoder()
    ) throws -> JSONEdit {
        JSONEdit("INSERT", path.appending(.end), jsonb: try encoder.encode(value))
    }

    /// Merges an encoded value into the value.
    ///
    /// - throws: errors of the encoder.
    public static func patch(
        encoding value: some Encodable, by encoder: JSONBEncoder = JSONBEncoder()
    ) throws -> JSONEdit {
        patch(with: try encoder.encode(value))
    }
}

/// A value that becomes a part of JSON.
enum EditedValue: Sendable {
    case bool(Bool)
    case expression(any SQLNode)
    case json(any SQLNode)
    case swift(SwiftValue)

    /// A value that is encoded once its column is known.
    struct SwiftValue: @unchecked Sendable {
        // Sendable: the value is only read.
        let value: any SQLExpressible
    }

    init(_ value: (any SQLExpressible)?) {
        switch value {
        case nil: self = .expression(DatabaseValue.null)
        case let bool as Bool: self = .bool(bool)
        case let json as any SQLJSONExpressible: self = .json(json.node)
        case let expression as any SQLSpecificExpressible: self = .expression(expression.node)
        case let value?: self = .swift(SwiftValue(value: value))
        }
    }

    /// The value, as an argument of a function that returns JSON in a form.
    ///
    /// - Parameter encoder: the encoder of the column.
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
    /// `JSON('true')`
    fileprivate func literal(_ bool: Bool) -> any SQLNode { SQL(sql: "\(rawValue)('\(bool)')") }
}
