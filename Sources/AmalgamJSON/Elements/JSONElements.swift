public import AmalgamCore
public import AmalgamQuery
import Foundation

/// The values inside JSON, as rows of the table-valued functions `json_each` and `json_tree`.
///
/// Elements can be used in conditions, requests, and joins:
///
/// ```swift
/// // An element is equal to a value
/// Player.filter { $0.tags.each.contains("swift") }
/// // SELECT * FROM "player" WHERE 'swift' IN (SELECT "value" FROM json_each("player"."tags"))
///
/// // An element satisfies a condition
/// Player.filter { $0.scores.each.contains { $0.value > 100 } }
/// // SELECT * FROM "player"
/// // WHERE EXISTS (SELECT 1 FROM json_each("player"."scores") WHERE "json_each"."value" > 100)
///
/// // Flatten and group
/// let tag = TableAlias<JSONElement>()
/// Player.joining(required: Player.association(to: \.tags.each).aliased(tag))
///     .select(tag.value, count())
///     .group(tag.value)
/// // SELECT "json_each"."value", COUNT(*) FROM "player" JOIN json_each("player"."tags")
/// // GROUP BY "json_each"."value"
///
/// // Rows
/// let elements = try JSONElements.each(of: #"{"a":1,"b":[2,3]}"#).all().fetchAll(db)   // [JSONElement]
/// // SELECT * FROM json_each('{"a":1,"b":[2,3]}')
/// ```
///
/// A JSON value that is neither an array nor an object has one row. NULL has no rows. See
/// <https://sqlite.org/json1.html#jeach>.
public struct JSONElements: Sendable {
    let source: ElementsSource

    /// Encodes the Swift values that are compared with elements.
    let valueEncoder: JSONEncoder?

    init(_ function: String, _ json: some SQLExpressible, _ path: JSONPath?) {
        source = ElementsSource(name: function, json: json.node, path: path.map(PathNode.init))
        valueEncoder = (json as? any SQLJSONExpressible)?.valueEncoder
    }

    /// Returns the elements of an array, or the values of an object: `json_each(json)`.
    ///
    /// ```swift
    /// let tags = JSONElements.each(of: #"["a","b"]"#)
    /// let values = try tags.all().select(\.value, as: String.self).fetchAll(db)   // ["a", "b"]
    /// ```
    ///
    /// - Parameter path: The path of the array or object, as in `json_each(json, '$.tags')`. The root, by default.
    public static func each(of json: some SQLExpressible, atPath path: JSONPath? = nil) -> JSONElements {
        JSONElements("json_each", json, path)
    }

    /// Returns a value and all values inside it, recursively: `json_tree(json)`.
    ///
    /// ```swift
    /// let leaves = JSONElements.tree(of: #"{"a":1,"b":[2,3]}"#).all().filter { $0.atom != nil }
    /// // SELECT * FROM json_tree('{"a":1,"b":[2,3]}') WHERE "atom" IS NOT NULL
    /// ```
    public static func tree(of json: some SQLExpressible, atPath path: JSONPath? = nil) -> JSONElements {
        JSONElements("json_tree", json, path)
    }

    /// Returns the elements of an array, or the values of an object: `jsonb_each(json)`. Elements that are arrays or
    /// objects are JSONB.
    public static func jsonbEach(of json: some SQLExpressible, atPath path: JSONPath? = nil) -> JSONElements {
        JSONElements("jsonb_each", json, path)
    }

    /// Returns a value and all values inside it, recursively: `jsonb_tree(json)`. Values that are arrays or objects are
    /// JSONB.
    public static func jsonbTree(of json: some SQLExpressible, atPath path: JSONPath? = nil) -> JSONElements {
        JSONElements("jsonb_tree", json, path)
    }

    /// Returns a request of the elements.
    ///
    /// ```swift
    /// let leaves = JSONElements.tree(of: json).all().filter { $0.atom != nil }.select(\.fullkey, as: String.self)
    /// // SELECT "fullkey" FROM json_tree('…') WHERE "atom" IS NOT NULL
    /// ```
    ///
    /// If the elements are those of a JSON column, use the request as a subquery in a request of the column's table:
    ///
    /// ```swift
    /// Player.annotated { $0.scores.each.all().select { max($0.value) }.forKey("best") }
    /// // SELECT *, (SELECT MAX("value") FROM json_each("player"."scores")) AS "best" FROM "player"
    /// ```
    public func all() -> QueryInterfaceRequest<JSONElement> { QueryInterfaceRequest(allRowsOf: source) }
}

extension SQLJSONExpressible {
    /// The elements of the array, or the values of the object: `json_each("tags")`.
    ///
    /// ```swift
    /// Player.filter { $0.tags.each.contains("swift") }
    /// // SELECT * FROM "player" WHERE 'swift' IN (SELECT "value" FROM json_each("player"."tags"))
    /// ```
    public var each: JSONElements { .each(of: self) }

    /// Returns the elements of the array at a path, or the values of the object: `json_each("info", '$.tags')`.
    ///
    /// ```swift
    /// Player.filter { $0.info.each(atPath: ["tags"]).contains("swift") }
    /// // SELECT * FROM "player" WHERE 'swift' IN (SELECT "value" FROM json_each("player"."info", '$.tags'))
    /// ```
    public func each(atPath path: JSONPath) -> JSONElements { .each(of: self, atPath: path) }

    /// The value and all values inside it, recursively: `json_tree("info")`.
    public var tree: JSONElements { .tree(of: self) }

    /// Returns the value at a path and all values inside it, recursively: `json_tree("info", '$.address')`.
    public func tree(atPath path: JSONPath) -> JSONElements { .tree(of: self, atPath: path) }
}

/// A table-valued function, such as `json_each("player"."tags", '$.en')`.
struct ElementsSource: TableFunctionCallNode {
    let name: String
    let json: any SQLNode
    let path: (any SQLNode)?

    private static let columns = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"]

    var nestedNodes: [any SQLNode] { [json, path].compactMap(\.self) }

    func columnNames(_ db: Database) -> [String] { Self.columns }

    func columnCount(_ db: Database) -> Int { Self.columns.count }

    func primaryKey(_ db: Database) -> PrimaryKeyInfo? { nil }

    func write(to writer: inout SQLWriter) throws {
        writer.append("\(name)(")
        try writer.append([json, path].compactMap { $0 })
        writer.append(")")
    }
}
