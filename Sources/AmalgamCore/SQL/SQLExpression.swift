/// A type with an SQL expression: a value, a column, or an expression built from these.
///
/// ```swift
/// let threshold: any SQLExpressible = 10
/// let query: SQL = "SELECT * FROM player WHERE score > \(threshold)"
/// // SELECT * FROM player WHERE score > ?
/// ```
public protocol SQLExpressible {
    /// The SQL expression of `self`.
    var sqlExpression: SQLExpression { get }
}

/// A type that can be a result column of a SELECT statement.
///
/// ```swift
/// let columns: [any SQLSelectable] = [Column("id"), Column("name")]
/// let request = Table("player").select(columns)   // SELECT "id", "name" FROM "player"
/// ```
public protocol SQLSelectable {
    /// The result columns of `self`.
    var sqlSelection: SQLSelection { get }
}

/// A type that can be a term of an ORDER BY clause.
///
/// ```swift
/// let term: any SQLOrderingTerm = Column("score").desc
/// let request = Table("player").order(term)   // SELECT * FROM "player" ORDER BY "score" DESC
/// ```
public protocol SQLOrderingTerm {
    /// The ordering term of `self`.
    var sqlOrdering: SQLOrdering { get }
}

/// A column or an expression, but not a plain Swift value: an argument of SQL functions.
///
/// ```swift
/// let operand: any SQLOperand = Column("name")
/// let request = Table("player").order(operand)   // SELECT * FROM "player" ORDER BY "name"
/// ```
public protocol SQLOperand: SQLExpressible, SQLOrderingTerm, SQLSelectable {}

/// A column or an expression with numbers, which can be added to a column, or summed up by an association.
///
/// ```swift
/// let bonus: any SQLNumericOperand = Column("bonus")
/// try Player.updateAll(db) { $0.score += bonus }   // UPDATE "player" SET "score" = "score" + "bonus"
/// ```
public protocol SQLNumericOperand: SQLOperand {}

/// A column or an expression that can be a condition.
///
/// ```swift
/// let isActive: any SQLCondition = Column("isActive")
/// let request = Table("player").filter(isActive)   // SELECT * FROM "player" WHERE "isActive"
/// ```
public protocol SQLCondition: SQLExpressible {}

/// A type made for SQL, such as a column, rather than a plain Swift value, such as a string.
///
/// Operators and functions that would be ambiguous for plain Swift values require at least one operand of this type:
///
/// ```swift
/// let isBetter = Column("score") > 10   // a Column conforms to SQLSpecificExpressible, an Int doesn't
/// ```
public protocol SQLSpecificExpressible: SQLNumericOperand, SQLCondition {}

extension SQLSpecificExpressible {
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    public var sqlOrdering: SQLOrdering { SQLOrdering(node: sqlExpression.node) }
}

/// An SQL expression.
///
/// ```swift
/// let isBetter: SQLExpression = Column("score") > 10
/// let request = Table("player").filter(isBetter)   // SELECT * FROM "player" WHERE "score" > 10
/// ```
public struct SQLExpression: SQLSpecificExpressible, Sendable {
    package let node: any SQLNode

    package init(node: any SQLNode) {
        self.node = node.limited
    }

    /// Creates an expression from a part of an expression, whose depth is known to be limited.
    package init(part node: any SQLNode) {
        self.node = node
    }

    public var sqlExpression: SQLExpression { self }

    /// The expression as one result column. This also holds for an SQL literal, which could contain several columns.
    public var sqlSelection: SQLSelection {
        SQLSelection(node: (node as? SQL).map(LiteralColumn.init) ?? node)
    }
}

/// A literal that is a single result column.
private struct LiteralColumn: SQLNode {
    let literal: SQL

    var nestedNodes: [any SQLNode] { literal.nestedNodes }

    func write(to writer: inout SQLWriter) throws { try literal.write(to: &writer) }
}

/// Result columns of a SELECT statement.
///
/// ```swift
/// let selection = SQL(sql: "id, name").sqlSelection
/// let request = Table("player").select(selection)   // SELECT id, name FROM "player"
/// ```
public struct SQLSelection: SQLSelectable, Sendable {
    package let node: any SQLNode

    package init(node: any SQLNode) {
        self.node = node.limited
    }

    public var sqlSelection: SQLSelection { self }
}

/// A term of an ORDER BY clause.
///
/// ```swift
/// let ordering: SQLOrdering = SQL(sql: "name COLLATE NOCASE DESC").sqlOrdering
/// ```
public struct SQLOrdering: SQLOrderingTerm, Sendable {
    package let node: any SQLNode

    package init(node: any SQLNode) {
        self.node = node.limited
    }

    public var sqlOrdering: SQLOrdering { self }
}
