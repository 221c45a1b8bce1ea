public import AmalgamCore

/// The path of a value inside JSON: keys of objects, and indexes of arrays.
///
/// ```swift
/// let path: JSONPath = ["address", "lines", 0]      // $.address.lines[0]
/// let last: JSONPath = ["tags", -1]                 // $.tags[#-1]
/// let odd: JSONPath = ["a.b", "say \"hi\"", ""]     // $."a.b"."say \"hi\"".""
/// let new: JSONPath = ["tags", .end]                // $.tags[#]
///
/// Player.filter { $0.info[["address", "lines", 0]] == "Main Street 1" }
/// // SELECT * FROM "player" WHERE ("info" ->> '$.address.lines[0]') = 'Main Street 1'
/// ```
///
/// In closures and key paths, member names are keys: `\.address.lines[0]`. To prevent misspelled keys, use the cases of
/// a `CodingKey` type: `JSONPath(Address.CodingKeys.city)`.
///
/// In an array literal, a string is always one key, which is quoted in the SQL if necessary. To parse a path in
/// SQLite's syntax, call ``init(parsing:)``. See <https://sqlite.org/json1.html#jpath>.
@dynamicMemberLookup
public struct JSONPath: Hashable, Sendable {
    /// A component of a path.
    ///
    /// ```swift
    /// let path = JSONPath([.key("tags"), .index(-1)])   // $.tags[#-1]
    /// ```
    public enum Component: Hashable, Sendable {
        /// The value of a key in an object.
        case key(String)

        /// An element of an array, counted from 0. Negative indexes count from the end: -1 is the last element.
        case index(Int)

        /// The position after the last element of an array, for insertions: `[#]`.
        case end
    }

    /// The components of the path.
    public var components: [Component]

    /// Creates a path of components.
    public init(_ components: some Sequence<Component>) {
        self.components = Array(components)
    }

    /// Creates a path of the keys of nested objects.
    ///
    /// ```swift
    /// enum Keys: CodingKey { case address, city }
    /// let path = JSONPath(Keys.address, Keys.city)   // $.address.city
    /// ```
    public init(_ codingKeys: any CodingKey...) {
        components = codingKeys.map { .key($0.stringValue) }
    }

    /// The path of the whole JSON value: `$`.
    public static let root = JSONPath([Component]())

    /// Returns the path with an additional component.
    ///
    /// ```swift
    /// let path = JSONPath.root.appending(.key("tags")).appending(.index(0))   // $.tags[0]
    /// ```
    public func appending(_ component: Component) -> JSONPath { JSONPath(components + [component]) }
}

// MARK: - Steps

extension JSONPath {
    /// The path of a key in the object at this path: `\.address.city`.
    public subscript(dynamicMember key: String) -> JSONPath { appending(.key(key)) }

    /// The path of a key in the object at this path.
    public subscript(key: String) -> JSONPath { appending(.key(key)) }

    /// The path of a key in the object at this path.
    public subscript(codingKey: some CodingKey) -> JSONPath { appending(.key(codingKey.stringValue)) }

    /// The path of an element in the array at this path, counted from 0. -1 is the last element.
    public subscript(index: Int) -> JSONPath { appending(.index(index)) }
}

extension JSONPath: ExpressibleByArrayLiteral {
    public init(arrayLiteral components: Component...) {
        self.init(components)
    }
}

extension JSONPath.Component: ExpressibleByStringLiteral {
    public init(stringLiteral key: String) { self = .key(key) }
}

extension JSONPath.Component: ExpressibleByIntegerLiteral {
    public init(integerLiteral index: Int) { self = .index(index) }
}

// MARK: - SQL

extension JSONPath: SQLExpressible {
    /// The path as a string literal: `'$.address.city'`.
    public var sqlExpression: SQLExpression { SQLExpression(node: PathNode(self)) }
}

extension SQLJSONExpressible {
    /// An expression for the value at a path, as an SQL value.
    ///
    /// ```swift
    /// JSONColumn("info")[["tags", -1]]   // "info" ->> '$.tags[#-1]'
    /// ```
    public subscript(_ path: JSONPath) -> SQLExpression {
        SQLExpression(node: JSONSubvalueNode(json: self, operation: .value, path: path.operand))
    }

    /// An expression for the value at a path, as an SQL value.
    ///
    /// ```swift
    /// JSONColumn("info")[\.address.lines[0]]   // "info" ->> '$.address.lines[0]'
    /// ```
    public subscript(_ path: (JSONPath) -> JSONPath) -> SQLExpression { self[path(.root)] }
}
