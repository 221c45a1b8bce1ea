package import AmalgamCore

/// A statement that updates or deletes the rows of a relation.
enum BatchStatement {
    case delete
    case update([ColumnAssignment], Database.ConflictResolution?)

    fileprivate var verb: String {
        switch self {
        case .delete: "delete"
        case .update: "update"
        }
    }
}

extension Relation {
    /// Writes a statement that updates or deletes the rows.
    ///
    /// - Parameter returning: the result columns of the RETURNING clause.
    func write(_ statement: BatchStatement, returning: [SQLSelection] = [], to writer: inout SQLWriter) throws {
        let isGrouped = groups != nil || !groupFilters.isEmpty
        if try isGrouped && !groupsAreRows(writer.db) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "Can't \(statement.verb) query with GROUP BY clause")
        }
        if isGrouped || limit != nil || joins.contains(where: \.isJoined) {
            try writeByKey(statement, returning: returning, to: &writer)
        } else {
            try writeDirectly(statement, returning: returning, to: &writer)
        }
    }

    private func writeDirectly(
        _ statement: BatchStatement, returning: [SQLSelection], to writer: inout SQLWriter
    ) throws {
        let query = try SelectQuery(self, writer.db)
        try writer.statement(aliases: query.aliases) { writer in
            try query.writeCommonTables(to: &writer)
            try writer.within(query.root.scope) { writer in
                try writer.append(statement, table: query.root.scope)
                try query.writeFilter(to: &writer)
            }
            try writer.append(returning: returning, of: query.root.scope.source)
        }
    }

    /// Writes `DELETE FROM "player" WHERE "id" IN (SELECT "id" FROM "player" ORDER BY "score" LIMIT 10)`.
    ///
    /// The subquery selects the rows for requests that have a LIMIT, a GROUP BY clause, or joins. UPDATE and DELETE
    /// have no GROUP BY clause, DELETE has no joins, and SQLite supports LIMIT in both only with a compile-time option.
    private func writeByKey(
        _ statement: BatchStatement, returning: [SQLSelection], to writer: inout SQLWriter
    ) throws {
        var keys = self
        keys.joins.removeAll { !$0.isJoined }
        keys = keys.withoutSelection
        if limit == nil { keys.updateOrderings { $0 = Ordering() } }
        let columns = try source.rowKey(writer.db)
        keys.select(.known(columns.map { Column($0).sqlSelection }))
        keys.commonTables = []
        var outer = Relation(source, selection: [])
        outer.commonTables = commonTables
        let key: SQL =
            columns.count == 1
            ? "\(Column(columns[0]))"
            : "(\(columns.map { "\(Column($0))" as SQL }.joined(separator: ", ")))"
        let subquery = SQLExpression(node: ParenthesisedSubquery(subquery: RelationSubquery(relation: keys)))
        outer.filter(.known(SQL("\(key) IN \(subquery)").sqlExpression))
        try outer.writeDirectly(statement, returning: returning, to: &writer)
    }
}

extension SQLWriter {
    /// Writes a statement up to its WHERE clause.
    fileprivate mutating func append(_ statement: BatchStatement, table: SQLScope) throws {
        switch statement {
        case .delete:
            append("DELETE FROM ")
            append(changed: table)
        case .update(let assignments, let conflictResolution):
            append("UPDATE ")
            if let conflictResolution { append("OR \(conflictResolution.rawValue) ") }
            append(changed: table)
            append(" SET ")
            for (index, assignment) in assignments.enumerated() {
                if index > 0 { append(", ") }
                try assignment.write(to: &self)
            }
        }
    }

    /// Writes the name of the table that the statement changes.
    private mutating func append(changed table: SQLScope) {
        append(table.source.name.quotedDatabaseIdentifier)
        if table.name != table.source.name {
            append(" AS ")
            append(table.name.quotedDatabaseIdentifier)
        }
    }

    /// Writes a RETURNING clause. Its columns aren't qualified with the name of the table.
    package mutating func append(returning selection: [SQLSelection], of source: any SQLSource) throws {
        if selection.isEmpty { return }
        append(" RETURNING ")
        try within(SQLScope(source, name: source.name, isQualified: false)) { try $0.append(selection.map(\.node)) }
    }
}
