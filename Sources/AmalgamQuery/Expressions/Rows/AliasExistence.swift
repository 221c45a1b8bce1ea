public import AmalgamCore

extension TableAlias {
    /// An expression that is true if the joined row of the alias exists, and false if a LEFT JOIN has found none.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// Player.joining(optional: Player.team.aliased(team)).filter(!team.exists)
    /// // SELECT "player".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId" WHERE "team"."id" IS NULL
    /// ```
    ///
    /// The expression tests the rowid, or the primary key if the table has no rowid. If the table has neither, for
    /// example because it is a view, the expression tests whether any column isn't NULL.
    public var exists: SQLExpression {
        SQLExpression(node: AliasedNode(alias: self, node: ExistenceNode()))
    }
}

/// `"team"."id" IS NOT NULL`, and its negation.
private struct ExistenceNode: ExpressionNode {
    var isNegated = false

    var nestedNodes: [any SQLNode] { [] }

    var isComputedPerRow: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        guard let source = writer.scope?.source else { return }
        let conditions = try source.columnsOfExistingRows(writer.db).map { name in
            SQLExpression(node: EqualityNode(ColumnNode(name: name), isNegated ? .is : .isNot, DatabaseValue.null))
        }
        try conditions.joined(operator: isNegated ? .and : .or).node.write(to: &writer)
    }

    var negation: (any SQLNode)? { ExistenceNode(isNegated: !isNegated) }
}

extension SQLSource {
    /// Returns columns, at least one of which isn't NULL in each row.
    fileprivate func columnsOfExistingRows(_ db: Database) throws -> [String] {
        let names = try columnNames(db)
        guard let primaryKey = try primaryKey(db) else { return names }
        if primaryKey.isRowID { return primaryKey.columns }
        if !primaryKey.tableHasRowID { return primaryKey.columns }
        return try db.rowIDName(ofTable: name).map { [$0] } ?? names
    }
}
