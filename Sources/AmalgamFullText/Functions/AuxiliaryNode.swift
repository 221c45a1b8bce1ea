import AmalgamCore
import AmalgamQuery

/// A call of an auxiliary function: `highlight("document", 1, '<b>', '</b>')`.
///
/// The arguments may depend on the columns of the table, which are known once the call is written.
struct AuxiliaryNode: ExpressionNode {
    let name: String
    let arguments: @Sendable (FullTextColumns) throws -> [any SQLNode]

    /// Runs before the call is written: functions of this package are on a connection once somebody needs them.
    var prepare: (@Sendable (Database) throws -> Void)?

    var isAtom: Bool { true }

    var isComputedPerRow: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        try prepare?(writer.db)
        writer.append(name.sqlName)
        writer.append("(")
        let table = FullTextTableNode()
        let columns = FullTextColumns(source: try writer.fullTextTable, db: writer.db)
        try writer.append([table] + arguments(columns))
        writer.append(")")
    }
}

/// The columns of the full-text table that an expression is written for.
struct FullTextColumns {
    fileprivate let source: any SQLSource
    fileprivate let db: Database

    /// All names, from left to right.
    func names() throws -> [String] { try source.columnNames(db) }

    /// The number of a column.
    ///
    /// - throws: `SQLITE_ERROR` for a column that does not exist.
    func index(of column: String) throws -> Int {
        let index = try names().firstIndex { $0.lowercased() == column.lowercased() }
        guard let index else { throw DatabaseError(message: "no such column: \(column) in table \(source.name)") }
        return index
    }
}

extension SQLWriter {
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
