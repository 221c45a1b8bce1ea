import AmalgamCore

/// The number of associated rows: `COUNT(DISTINCT "player"."id")`.
struct RowCountNode: ExpressionNode {
    let alias: TableAliasBase

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [] }

    var isAggregate: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        writer.append("COUNT(DISTINCT ")
        try AliasedNode(alias: alias, node: RowKeyNode()).write(to: &writer)
        writer.append(")")
    }
}

/// `COUNT(DISTINCT "player"."id") = 0`; its negation is `> 0`.
struct EmptinessNode: ExpressionNode {
    let count: RowCountNode
    let isEmpty: Bool

    var nestedNodes: [any SQLNode] { [] }

    var isAggregate: Bool { true }

    var negation: (any SQLNode)? { EmptinessNode(count: count, isEmpty: !isEmpty) }

    func write(to writer: inout SQLWriter) throws {
        try count.write(to: &writer)
        writer.append(isEmpty ? " = 0" : " > 0")
    }
}

/// The shortest key of a table, if it has one column: `"id"`, `"rowid"`.
struct RowKeyNode: SQLNode {
    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        guard let source = writer.scope?.source else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "there is no table of which this is the key")
        }
        let columns = try source.rowKey(writer.db)
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Not implemented for WITHOUT ROWID table with a multi-columns primary key")
        }
        writer.append(column: columns[0])
    }
}
