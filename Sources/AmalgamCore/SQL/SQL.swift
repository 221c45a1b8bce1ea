/// An SQL string with its arguments.
///
/// Values interpolated in an `SQL` literal become bound arguments. They can't change the structure of the SQL.
///
/// ```swift
/// let name = "O'Brien"
/// try db.execute(literal: "INSERT INTO player (name, score) VALUES (\(name), \(10))")
/// // INSERT INTO player (name, score) VALUES (?,?) with arguments ["O'Brien", 10]
/// ```
///
/// Literals can be composed:
///
/// ```swift
/// var query: SQL = "SELECT * FROM player"
/// query += " WHERE score >= \(10)"
/// ```
public struct SQL: Sendable {
    /// A part of a literal: SQL with its arguments, or a node.
    enum Element: Sendable {
        case text(String, StatementArguments)
        case node(any SQLNode)
    }

    private(set) var elements: [Element]

    init(elements: [Element]) {
        self.elements = elements
    }

    /// Creates a literal from an SQL string and the arguments of its parameters.
    ///
    /// ```swift
    /// let query = SQL(sql: "SELECT * FROM player WHERE id = ?", arguments: [1])
    /// ```
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        self.init(elements: [.text(sql, arguments)])
    }

    /// Creates a literal from an expression.
    ///
    /// ```swift
    /// let name = SQL(Column("name"))
    /// let query: SQL = "SELECT \(name) FROM player"   // SELECT "name" FROM player
    /// ```
    public init(_ expression: some SQLOperand) {
        self.init(elements: [.node(expression.sqlExpression.node)])
    }

    /// Whether the literal is the empty string.
    public var isEmpty: Bool {
        elements.allSatisfy { element in
            if case .text(let sql, _) = element { sql.isEmpty } else { false }
        }
    }

    /// Returns whether the SQL strings of the literal contain no `(`, and all its nodes, such as interpolated
    /// expressions, meet a condition. An SQL string without `(` calls no function, and contains no subquery.
    package func hasNoParenthesis(andNodes condition: (any SQLNode) -> Bool) -> Bool {
        elements.allSatisfy { element in
            switch element {
            case .text(let sql, _): !sql.utf8.contains(UInt8(ascii: "("))
            case .node(let node): condition(node)
            }
        }
    }

    /// Returns the SQL string and its arguments.
    ///
    /// ```swift
    /// let query: SQL = "UPDATE player SET name = \("O'Brien") WHERE id = \(42)"
    /// let (sql, arguments) = try query.build(db)
    /// // "UPDATE player SET name = ? WHERE id = ?", ["O'Brien", 42]
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if a part of the literal refers to a schema object that doesn't exist.
    public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var writer = SQLWriter(db)
        try write(to: &writer)
        return (writer.sql, writer.arguments)
    }

    /// Appends a literal, with its arguments.
    ///
    /// ```swift
    /// var query: SQL = "SELECT * FROM player"
    /// query.append(literal: " WHERE name = \("Anna")")
    /// ```
    public mutating func append(literal sqlLiteral: SQL) {
        elements += sqlLiteral.elements
    }

    /// Appends an SQL string, and the arguments of its parameters.
    ///
    /// ```swift
    /// var query: SQL = "SELECT * FROM player"
    /// query.append(sql: " WHERE score > ?", arguments: [10])
    /// ```
    public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
        elements.append(.text(sql, arguments))
    }

    /// Concatenates two literals, with their arguments.
    ///
    /// ```swift
    /// let condition: SQL = "score > \(10)"
    /// let query = "SELECT * FROM player WHERE " + condition
    /// ```
    public static func + (lhs: SQL, rhs: SQL) -> SQL {
        SQL(elements: lhs.elements + rhs.elements)
    }

    /// Appends a literal, with its arguments.
    public static func += (lhs: inout SQL, rhs: SQL) {
        lhs.append(literal: rhs)
    }
}

extension SQL: SQLNode {
    package var nestedNodes: [any SQLNode] {
        elements.compactMap { element in
            if case .node(let node) = element { node } else { nil }
        }
    }

    package func write(to writer: inout SQLWriter) throws {
        try writer.checkDepth()
        for element in elements {
            switch element {
            case .text(let sql, let arguments): try writer.append(sql: sql, arguments: arguments)
            case .node(let node): try node.write(to: &writer)
            }
        }
    }
}

extension SQL: SQLSpecificExpressible {
    /// The literal as an expression.
    public var sqlExpression: SQLExpression { SQLExpression(node: self) }

    /// The literal as result columns.
    public var sqlSelection: SQLSelection { SQLSelection(node: self) }

    /// The literal as an ordering term.
    public var sqlOrdering: SQLOrdering { SQLOrdering(node: self) }
}

extension SQL: ExpressibleByStringInterpolation {
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }

    public init(extendedGraphemeClusterLiteral: String) { self.init(sql: extendedGraphemeClusterLiteral) }

    public init(stringLiteral: String) { self.init(sql: stringLiteral) }

    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(elements: sqlInterpolation.elements)
    }
}

extension Sequence<SQL> {
    /// Joins literals with a separator, which is an SQL string.
    ///
    /// ```swift
    /// let conditions: [SQL] = ["score > \(10)", "name = \("Anna")"]
    /// let query: SQL = "SELECT * FROM player WHERE \(conditions.joined(separator: " AND "))"
    /// ```
    public func joined(separator: String = "") -> SQL {
        var elements: [SQL.Element] = []
        for (index, literal) in enumerated() {
            if index > 0 && !separator.isEmpty { elements.append(.text(separator, StatementArguments())) }
            elements += literal.elements
        }
        return SQL(elements: elements)
    }
}

extension Collection<SQL> {
    /// Joins literals with a separator, which is an SQL string.
    ///
    /// ```swift
    /// let columns: [SQL] = ["id", "name"]
    /// let query: SQL = "SELECT \(columns.joined(separator: ", ")) FROM player"
    /// ```
    public func joined(separator: String = "") -> SQL {
        AnySequence(self).joined(separator: separator)
    }
}
