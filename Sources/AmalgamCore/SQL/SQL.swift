/// SQL with values in it.
///
/// Values interpolated in an `SQL` literal become bound arguments: they never change the meaning of the SQL.
///
/// ```swift
/// let name = "O'Brien"
/// try db.execute(literal: "INSERT INTO player (name, score) VALUES (\(name), \(10))")
/// // INSERT INTO player (name, score) VALUES (?,?) with arguments ["O'Brien", 10]
/// ```
///
/// Literals compose:
///
/// ```swift
/// var query: SQL = "SELECT * FROM player"
/// query += " WHERE score >= \(10)"
/// ```
public struct SQL: Sendable {
    /// A literal is text with its arguments, and nodes between the texts.
    enum Element: Sendable {
        case text(String, StatementArguments)
        case node(any SQLNode)
    }

    private(set) var elements: [Element]

    init(elements: [Element]) {
        self.elements = elements
    }

    /// A literal made of plain SQL and the arguments of its parameters.
    ///
    /// ```swift
    /// let query = SQL(sql: "SELECT * FROM player WHERE id = ?", arguments: [1])
    /// ```
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        self.init(elements: [.text(sql, arguments)])
    }

    /// A literal made of an expression.
    public init(_ expression: some SQLSpecificExpressible) {
        self.init(elements: [.node(expression.sqlExpression.node)])
    }

    /// Whether the literal is the empty text.
    public var isEmpty: Bool {
        elements.allSatisfy { element in
            if case .text(let sql, _) = element { sql.isEmpty } else { false }
        }
    }

    /// Whether the text of the literal has no parenthesis, hence no function and no subquery, and its nodes fulfil a
    /// condition.
    package func hasNoParenthesis(andNodes condition: (any SQLNode) -> Bool) -> Bool {
        elements.allSatisfy { element in
            switch element {
            case .text(let sql, _): !sql.utf8.contains(UInt8(ascii: "("))
            case .node(let node): condition(node)
            }
        }
    }

    /// The SQL text and its arguments.
    ///
    /// ```swift
    /// let query: SQL = "UPDATE player SET name = \("O'Brien") WHERE id = \(42)"
    /// let (sql, arguments) = try query.build(db)
    /// // "UPDATE player SET name = ? WHERE id = ?", ["O'Brien", 42]
    /// ```
    ///
    /// - throws: a ``DatabaseError`` when a part of the literal needs a schema object that does not exist.
    public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var writer = SQLWriter(db)
        try write(to: &writer)
        return (writer.sql, writer.arguments)
    }

    /// Adds another literal at the end.
    public mutating func append(literal sqlLiteral: SQL) {
        elements += sqlLiteral.elements
    }

    /// Adds plain SQL, and the arguments of its parameters, at the end.
    public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
        elements.append(.text(sql, arguments))
    }

    /// Two literals, one after the other, with the arguments of both.
    public static func + (lhs: SQL, rhs: SQL) -> SQL {
        SQL(elements: lhs.elements + rhs.elements)
    }

    /// Appends a literal, with its arguments.
    public static func += (lhs: inout SQL, rhs: SQL) {
        lhs.append(literal: rhs)
    }
}

extension SQL: SQLNode {
    package func write(to writer: inout SQLWriter) throws {
        for element in elements {
            switch element {
            case .text(let sql, let arguments): try writer.append(sql: sql, arguments: arguments)
            case .node(let node): try node.write(to: &writer)
            }
        }
    }
}

extension SQL: SQLSpecificExpressible {
    /// The literal, in the role of an expression.
    public var sqlExpression: SQLExpression { SQLExpression(node: self) }

    /// The literal, in the role of result columns.
    public var sqlSelection: SQLSelection { SQLSelection(node: self) }

    /// The literal, in the role of an ordering term.
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
    /// Joins literals with a separator, which is plain SQL.
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
    /// Joins literals with a separator, which is plain SQL.
    public func joined(separator: String = "") -> SQL {
        AnySequence(self).joined(separator: separator)
    }
}
