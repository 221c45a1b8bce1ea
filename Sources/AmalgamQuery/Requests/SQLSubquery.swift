public import AmalgamCore

/// A statement that can stand inside of another one: a request, a common table expression, plain SQL.
///
/// ```swift
/// let highest = Player.select { max($0.score) }
/// Player.filter { $0.score == highest }
/// // SELECT * FROM "player" WHERE "score" = (SELECT MAX("score") FROM "player")
/// ```
public protocol SQLSubqueryable: SQLSpecificExpressible {
    /// The statement.
    var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
    /// The first value of the first row, as an expression: `(SELECT …)`. NULL when there is no row.
    public var sqlExpression: SQLExpression { SQLExpression(node: ParenthesisedSubquery(subquery: sqlSubquery.node)) }
}

/// A statement that can stand inside of another one.
public struct SQLSubquery: SQLSubqueryable, Sendable {
    let node: any SubqueryNode

    init(_ node: any SubqueryNode) {
        self.node = node
    }

    /// Plain SQL: a SELECT statement.
    init(_ sqlLiteral: SQL) {
        node = SQLLiteralSubquery(sqlLiteral: sqlLiteral)
    }

    public var sqlSubquery: SQLSubquery { self }
}

/// A node that is written as a SELECT statement, without parentheses.
protocol SubqueryNode: SQLNode {
    /// The number of columns of the rows.
    func columnCount(_ db: Database) throws -> Int

    /// The names of the columns of the rows.
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

/// Plain SQL.
struct SQLLiteralSubquery: SubqueryNode {
    let sqlLiteral: SQL

    /// Writes the SQL without the semicolons and comments at its end: what is written behind would be a part of the comment.
    func write(to writer: inout SQLWriter) throws {
        let offset = writer.sql.utf8.count
        try writer.statement { try sqlLiteral.write(to: &$0) }
        writer.trimStatement(from: offset)
    }
}

/// `(SELECT …)`
struct ParenthesisedSubquery: SQLNode {
    let subquery: any SubqueryNode

    var isAtom: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        writer.append("(")
        try subquery.write(to: &writer)
        writer.append(")")
    }
}
