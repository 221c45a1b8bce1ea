import AmalgamCore

/// An expression whose columns belong to the table of an alias.
struct AliasedNode: SQLNode {
    let alias: TableAliasBase
    let node: any SQLNode

    var isAtom: Bool { node.isAtom }

    var nestedNodes: [any SQLNode] { [node] }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? { node.comparand(of: value) }

    func write(to writer: inout SQLWriter) throws {
        try writer.within(alias, node)
    }
}

/// An ordering term whose columns belong to the table of an alias.
struct AliasedOrdering: OrderingNode {
    let alias: TableAliasBase
    let node: any SQLNode

    var nestedNodes: [any SQLNode] { [node] }

    var reversed: any SQLNode { AliasedOrdering(alias: alias, node: SQLOrdering(node: node).reversed.node) }

    func write(to writer: inout SQLWriter) throws {
        try writer.within(alias, node)
    }
}

/// Result columns of the table of an alias.
struct AliasedSelection: SelectionNode {
    let alias: TableAliasBase
    let node: any SQLNode

    var nestedNodes: [any SQLNode] { [node] }

    func write(to writer: inout SQLWriter) throws {
        try writer.within(alias, node)
    }

    func columnCount(in writer: SQLWriter) throws -> Int? {
        var writer = writer
        let scope = try writer.scope(of: alias)
        writer.enter(scope)
        return try SQLSelection(node: node).columnCount(in: writer)
    }

    var expression: (any SQLNode)? {
        SQLSelection(node: node).expression.map { AliasedNode(alias: alias, node: $0) }
    }

    var hasKey: Bool { SQLSelection(node: node).hasKey }

    var isComputedPerRow: Bool { SQLSelection(node: node).isComputedPerRow }
}

extension SQLWriter {
    /// Returns the scope (a table of the FROM clause, with its name) that an alias stands for.
    ///
    /// - Throws: `SQLITE_MISUSE` if no table of the request has the alias.
    fileprivate mutating func scope(of alias: TableAliasBase) throws -> SQLScope {
        guard let scope = scope(of: ObjectIdentifier(alias)) else { throw DatabaseError.undefinedAlias(alias) }
        return scope
    }

    /// Writes a node whose columns belong to the table of an alias.
    fileprivate mutating func within(_ alias: TableAliasBase, _ node: any SQLNode) throws {
        try checkDepth()
        let scope = try scope(of: alias)
        try within(scope) { try node.write(to: &$0) }
    }
}

extension DatabaseError {
    fileprivate static func undefinedAlias(_ alias: TableAliasBase) -> DatabaseError {
        let name = alias.userName.map { "\"\($0)\" " } ?? ""
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The alias \(name)stands for no table of the request. Give it to the request, or to one of its \
                associations, with the aliased(_:) method.
                """)
    }
}
