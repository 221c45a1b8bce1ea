import AmalgamCore
import AmalgamQuery

/// A call of an FTS5 auxiliary function, such as `highlight("document", 1, '<b>', '</b>')`.
///
/// The arguments may depend on the columns of the table, which are known only when the SQL is generated.
struct AuxiliaryNode: ExpressionNode {
    let name: String

    /// The arguments that don't depend on the columns of the table.
    var nestedNodes: [any SQLNode] = []

    let arguments: @Sendable (FullTextColumns) throws -> [any SQLNode]

    /// Runs before the call is generated. It registers a function of this package on the connection on its first use.
    var prepare: (@Sendable (Database) throws -> Void)?

    var isAtom: Bool { true }

    var isComputedPerRow: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        if let prepare {
            try writer.checkSchemaMayCall(name)
            try prepare(writer.db)
        }
        writer.append(name.sqlName)
        writer.append("(")
        let table = FullTextTableNode()
        let columns = FullTextColumns(source: try writer.fullTextTable, db: writer.db)
        try writer.append([table] + arguments(columns))
        writer.append(")")
    }
}

extension FTS5Function {
    /// A call of a function of this package, which is registered on the connection on its first use.
    func registeredCall(
        _ arguments: @escaping @Sendable (FullTextColumns) throws -> [any SQLNode]
    ) -> SQLExpression {
        SQLExpression(node: AuxiliaryNode(name: name, arguments: arguments, prepare: { try addIfMissing(to: $0) }))
    }
}

/// The columns of the full-text table that an expression is written for.
struct FullTextColumns {
    fileprivate let source: any SQLSource
    fileprivate let db: Database

    /// The names of all columns, in the order of the table.
    func names() throws -> [String] { try source.columnNames(db) }

    /// The index of a column.
    ///
    /// - Throws: `SQLITE_ERROR` if the column doesn't exist.
    func index(of column: String) throws -> Int {
        let index = try names().firstIndex { $0.equalsIgnoringCase(column) }
        guard let index else { throw DatabaseError(message: "no such column: \(column) in table \(source.name)") }
        return index
    }
}

extension SQLWriter {
    /// Throws if a view or a trigger would call a function that connections have after its first use in a request. Other
    /// connections couldn't read the view. A temporary view belongs to this connection.
    ///
    /// - Throws: `SQLITE_MISUSE`
    func checkSchemaMayCall(_ function: String) throws {
        if acceptsArguments || sql.hasPrefix("CREATE TEMPORARY ") { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                the schema can't have a call of \(function): a connection has this function after its first use in a \
                request. Fetch the request itself, or create a temporary view.
                """)
    }

    fileprivate var fullTextTable: any SQLSource {
        get throws {
            guard let scope else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "auxiliary functions of FTS5 belong to a request of a full-text table")
            }
            return scope.source
        }
    }
}

extension SQLExpressible {
    var node: any SQLNode { sqlExpression.node }
}
