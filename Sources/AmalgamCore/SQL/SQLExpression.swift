/// A type that can stand where SQL expects an expression.
public protocol SQLExpressible {
    /// The SQL expression of `self`.
    var sqlExpression: SQLExpression { get }
}

/// A type that can stand where SQL expects a result column: after SELECT.
public protocol SQLSelectable {
    /// The result columns of `self`.
    var sqlSelection: SQLSelection { get }
}

/// A type that can stand where SQL expects an ordering term: after ORDER BY.
public protocol SQLOrderingTerm {
    /// The ordering term of `self`.
    var sqlOrdering: SQLOrdering { get }
}

/// A type that is made to be written in SQL, such as a column, and unlike a value such as a string.
///
/// Operators and functions that would be ambiguous on plain Swift values want at least one operand of this kind.
public protocol SQLSpecificExpressible: SQLExpressible, SQLOrderingTerm, SQLSelectable {}

extension SQLSpecificExpressible {
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    public var sqlOrdering: SQLOrdering { SQLOrdering(node: sqlExpression.node) }
}

/// An SQL expression: any node that can write itself.
public struct SQLExpression: SQLSpecificExpressible, Sendable {
    package let node: any SQLNode

    package init(node: any SQLNode) {
        self.node = node
    }

    public var sqlExpression: SQLExpression { self }

    /// The expression as one result column, even if it is made of plain SQL, which may stand for any number of them.
    public var sqlSelection: SQLSelection {
        SQLSelection(node: (node as? SQL).map(LiteralColumn.init) ?? node)
    }
}

/// A literal that is one result column.
private struct LiteralColumn: SQLNode {
    let literal: SQL

    func write(to writer: inout SQLWriter) throws { try literal.write(to: &writer) }
}

/// The result columns of a SELECT: any node that can write itself.
public struct SQLSelection: SQLSelectable, Sendable {
    package let node: any SQLNode

    package init(node: any SQLNode) {
        self.node = node
    }

    public var sqlSelection: SQLSelection { self }
}

/// A term of an ORDER BY clause: any node that can write itself.
public struct SQLOrdering: SQLOrderingTerm, Sendable {
    package let node: any SQLNode

    package init(node: any SQLNode) {
        self.node = node
    }

    public var sqlOrdering: SQLOrdering { self }
}
