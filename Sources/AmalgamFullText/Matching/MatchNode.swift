import AmalgamCore
import AmalgamQuery

/// `"body" MATCH 'sqlite'`
struct MatchNode: CompositeNode {
    let target: any SQLNode
    let pattern: DatabaseValue

    var operands: [any SQLNode] { [target, pattern] }

    /// A full-text index answers MATCH, and nothing else does.
    var isConstant: Bool { false }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: target)
        writer.append(" MATCH ")
        writer.append(pattern)
    }
}

/// The hidden column of a full-text table that stands for all of its columns, and has its name: `"document"`.
struct FullTextTableNode: ExpressionNode {
    var isAtom: Bool { true }

    /// The column is that of the scope; it says so when the table is known by another name.
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

    /// SQLite's message is that of MATCH between columns: that there is no column with the name of the table helps nobody.
    ///
    /// A table that is not there is for the request to tell. All else is told at once: SQLite has ended the transaction
    /// when memory was missing, and the request would tell this only.
    private func checkTable(_ name: String, _ db: Database) throws {
        let columns: [ColumnInfo]
        do {
            columns = try db.columns(in: name)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return
        }
        if !columns.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            throw DatabaseError(message: "unable to use function MATCH in the requested context")
        }
    }
}
