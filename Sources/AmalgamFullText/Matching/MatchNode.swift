import AmalgamCore
import AmalgamQuery

/// A MATCH condition, such as `"body" MATCH 'sqlite'`.
struct MatchNode: CompositeNode {
    let target: any SQLNode
    let pattern: DatabaseValue

    /// The function of this package that the pattern names.
    var function: String?

    var operands: [any SQLNode] { [target, pattern] }

    /// MATCH isn't a function of its operands: it needs a full-text index.
    var isConstant: Bool { false }

    func write(to writer: inout SQLWriter) throws {
        if let function { try writer.checkSchemaMayCall(function) }
        try writer.append(operand: target)
        writer.append(" MATCH ")
        writer.append(pattern)
    }
}

/// The hidden column that has the name of the full-text table, and stands for all of its columns: `"document"`.
struct FullTextTableNode: ExpressionNode {
    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [] }

    /// Writes the column of the source in scope, qualified if the source has an alias.
    func write(to writer: inout SQLWriter) throws {
        guard let scope = writer.scope else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a full-text table is missing: matches belong to a request of such a table")
        }
        try checkTable(scope.source.name, writer.db)
        if scope.isQualified && scope.name != scope.source.name {
            writer.append(column: scope.source.name)
        } else {
            writer.append(scope.source.name.quotedDatabaseIdentifier)
        }
    }

    /// Throws an error if the table isn't a full-text table. Without this check, SQLite would report a missing column
    /// with the name of the table.
    ///
    /// If the table doesn't exist, this method returns, and the request throws `no such table`. This method throws all
    /// other errors of reading the table's columns, because the request might not report their cause. For example, if
    /// exhausted memory rolls back the transaction, the request only reports the rollback.
    private func checkTable(_ name: String, _ db: Database) throws {
        let columns: [ColumnInfo]
        do {
            columns = try db.columns(in: name)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return
        }
        if !columns.contains(where: { $0.name.equalsIgnoringCase(name) }) {
            var error = DatabaseError(message: "unable to use function MATCH in the requested context")
            error.context = "table \(name)"
            throw error
        }
    }
}
