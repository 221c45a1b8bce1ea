public import AmalgamCore

/// The way to a value inside of JSON: keys of objects, and positions in arrays.
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
/// Where a closure or key path is expected, members are keys as well: `\.address.lines[0]`. Keys that are cases of a
/// `CodingKey` type cannot be misspelled: `JSONPath(Address.CodingKeys.city)`.
///
/// A string is always one key, which is quoted where it must be, whatever it contains; a path as SQLite writes it is
/// parsed by ``init(parsing:)``. See <https://sqlite.org/json1.html#jpath>.
@dynamicMemberLookup
public struct JSONPath: Hashable, Sendable {
    /// A step of a path.
    public enum Component: Hashable, Sendable {
        /// The value of a key of an object.
        case key(String)

        /// An element of an array, from 0 on. Negative ones count from the end: -1 is the last one.
        case index(Int)

        /// The place after the last element of an array, for what is inserted: `[#]`.
        case end
    }

    /// The steps.
    public var components: [Component]

    /// The path of some steps.
    public init(_ components: some Sequence<Component>) {
        self.components = Array(components)
    }

    /// The path of the keys of nested objects.
    public init(_ codingKeys: any CodingKey...) {
        components = codingKeys.map { .key($0.stringValue) }
    }

    /// JSON as a whole: `$`.
    public static let root = JSONPath([Component]())

    /// A longer path.
    public func appending(_ component: Component) -> JSONPath { JSONPath(components + [component]) }
}

// MARK: - Steps

extension JSONPath {
    /// A key of the object at this path: `\.address.city`.
    public subscript(dynamicMember key: String) -> JSONPath { appending(.key(key)) }

    /// A key of the object at this path.
    public subscript(key: String) -> JSONPath { appending(.key(key)) }

    /// A key of the object at this path.
    public subscript(codingKey: some CodingKey) -> JSONPath { appending(.key(codingKey.stringValue)) }

    /// An element of the array at this path, from 0 on; -1 is the last one.
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
    /// The path, written into the SQL: `'$.address.city'`.
    public var sqlExpression: SQLExpression { SQLExpression(node: PathNode(self)) }
}

extension SQLJSONExpressible {
    /// What JSON has at a path, as an SQL value.
    ///
    /// ```swift
    /// info[["tags", -1]]   // "info" ->> '$.tags[#-1]'
    /// ```
    public subscript(_ path: JSONPath) -> SQLExpression {
        SQLExpression(node: JSONSubvalueNode(json: self, operation: .value, path: path.operand))
    }

    /// What JSON has at a path, as an SQL value.
    ///
    /// ```swift
    /// info[\.address.lines[0]]   // "info" ->> '$.address.lines[0]'
    /// ```
    public subscript(_ path: (JSONPath) -> JSONPath) -> SQLExpression { self[path(.root)] }
}
