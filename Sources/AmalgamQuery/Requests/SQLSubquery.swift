public import AmalgamCore

/// A type that can be written as a subquery: a request, a common table expression, or plain SQL.
///
/// ```swift
/// let highest = Player.select { max($0.score) }
/// Player.filter { $0.score == highest }
/// // SELECT * FROM "player" WHERE "score" = (SELECT MAX("score") FROM "player")
/// ```
public protocol SQLSubqueryable: SQLSpecificExpressible {
    /// The statement, as a subquery.
    var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
    /// The subquery as an expression, `(SELECT …)`: the first value of the first row, or NULL if the result is empty.
    public var sqlExpression: SQLExpression { SQLExpression(node: ParenthesisedSubquery(subquery: sqlSubquery.node)) }
}

/// A SELECT statement that can be part of another statement.
///
/// ```swift
/// let highest = Player.select { max($0.score) }.sqlSubquery
/// Player.filter { $0.score == highest }
/// // SELECT * FROM "player" WHERE "score" = (SELECT MAX("score") FROM "player")
/// ```
public struct SQLSubquery: SQLSubqueryable, Sendable {
    let node: any SubqueryNode

    init(_ node: any SubqueryNode) {
        self.node = node.depth > TooDeepNode.maximumDepth ? TooDeepSubquery() : node
    }

    /// Creates a subquery from an `SQL` literal, which is a SELECT statement.
    init(_ sqlLiteral: SQL) {
        self.init(SQLLiteralSubquery(sqlLiteral: sqlLiteral))
    }

    public var sqlSubquery: SQLSubquery { self }
}

/// A node that writes a SELECT statement, without parentheses.
protocol SubqueryNode: SQLNode {
    /// Returns the number of result columns.
    func columnCount(_ db: Database) throws -> Int

    /// Returns the names of the result columns.
    func columnNames(_ db: Database) throws -> [String]
}

extension SubqueryNode {
    func columnCount(_ db: Database) throws -> Int { try statement(db).columnCount }

    func columnNames(_ db: Database) throws -> [String] { try statement(db).columnNames }

    private func statement(_ db: Database) throws -> Statement {
        var writer = SQLWriter(db)
        try write(to: &writer)
        return try db.makeStatement(sql: writer.sql)
    }
}

/// A subquery written in SQL.
struct SQLLiteralSubquery: SubqueryNode {
    private let sqlLiteral: SQL

    let storedDepth: Int?

    init(sqlLiteral: SQL) {
        self.sqlLiteral = sqlLiteral
        storedDepth = TooDeepNode.subqueryDepth + sqlLiteral.depth
    }

    var nestedNodes: [any SQLNode] { sqlLiteral.nestedNodes }

    /// Writes the SQL without the semicolons and comments at its end: SQL that follows a comment would become part of
    /// the comment.
    func write(to writer: inout SQLWriter) throws {
        let offset = writer.sql.utf8.count
        try writer.statement { try sqlLiteral.write(to: &$0) }
        writer.trimStatement(from: offset)
    }
}

/// Takes the place of a subquery that is nested too deeply: see `TooDeepNode`.
struct TooDeepSubquery: SubqueryNode {
    var nestedNodes: [any SQLNode] { [] }

    /// - Throws: The error that SQLite reports for an expression that is too deep.
    func write(to writer: inout SQLWriter) throws { throw TooDeepNode.error }
}

/// A subquery in parentheses: `(SELECT …)`.
struct ParenthesisedSubquery: SQLNode {
    let subquery: any SubqueryNode

    /// The depth is stored, because the tree of a request has many nodes.
    let storedDepth: Int?

    init(subquery: any SubqueryNode) {
        self.subquery = subquery
        storedDepth = 1 + subquery.depth
    }

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [subquery] }

    func write(to writer: inout SQLWriter) throws {
        writer.append("(")
        try subquery.write(to: &writer)
        writer.append(")")
    }
}
