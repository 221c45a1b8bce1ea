public import AmalgamCore

extension TableAlias {
    /// Whether there is a row of the table: false in rows of a LEFT JOIN that found none.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// Player.joining(optional: Player.team.aliased(team)).filter(!team.exists)
    /// // SELECT "player".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId" WHERE "team"."id" IS NULL
    /// ```
    ///
    /// Rows are recognised by their rowid, by their primary key where there is no rowid, and else, as in a view, by any
    /// column that is not NULL.
    public var exists: SQLExpression {
        SQLExpression(node: AliasedNode(alias: self, node: ExistenceNode()))
    }
}

/// `"team"."id" IS NOT NULL`, and its negation.
private struct ExistenceNode: ExpressionNode {
    var isNegated = false

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
    /// Columns of which one at least is not NULL in any row.
    fileprivate func columnsOfExistingRows(_ db: Database) throws -> [String] {
        let names = try columnNames(db)
        guard let primaryKey = try primaryKey(db) else { return names }
        if primaryKey.isRowID { return primaryKey.columns }
        if !primaryKey.tableHasRowID { return primaryKey.columns }
        return try db.rowIDName(ofTable: name).map { [$0] } ?? names
    }
}
