import AmalgamCore

/// The condition for which rows of two tables are joined.
enum JoinCondition: Sendable {
    /// A foreign key between the tables.
    case foreignKey(ForeignKeyLink)

    /// Any expression. Its aliases stand for the table on the left of the JOIN, and for the joined table.
    case expression(SQLExpression, left: TableAliasBase, right: TableAliasBase)

    /// No condition: each row is joined with all rows.
    case none
}

/// A foreign key between two joined tables. Either table can be on the left of the JOIN.
struct ForeignKeyLink: Equatable, Sendable {
    /// The table that has the columns of the key.
    var origin: String

    /// The table that the key refers to.
    var destination: String

    /// The explicit foreign key, if any.
    var foreignKey: ForeignKey?

    /// Whether the table that has the foreign key is on the left of the JOIN. Otherwise, it is the joined table.
    var originIsLeft: Bool

    /// Whether the tables are joined in the opposite direction of the association.
    var isReversed = false

    /// The same foreign key, in the opposite direction of the JOIN.
    var reversed: ForeignKeyLink {
        var link = self
        link.originIsLeft.toggle()
        link.isReversed.toggle()
        return link
    }

    /// Returns the pairs of columns that are equal in joined rows.
    ///
    /// - Throws: `SQLITE_MISUSE` if the foreign key can't be inferred from the schema, or if an explicit `ForeignKey`
    ///   has different numbers of origin and destination columns.
    func columns(_ db: Database) throws -> [JoinedColumns] {
        try foreignKeyColumns(db).map { origin, destination in
            originIsLeft
                ? JoinedColumns(left: origin, right: destination) : JoinedColumns(left: destination, right: origin)
        }
    }

    private func foreignKeyColumns(_ db: Database) throws -> [(origin: String, destination: String)] {
        guard let foreignKey else { return try inferredColumns(db) }
        if let destinationColumns = foreignKey.destinationColumns {
            guard destinationColumns.count == foreignKey.originColumns.count else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        Number of columns don't match: the foreign key from '\(origin)' to '\(destination)' has \
                        \(foreignKey.originColumns.count) origin and \(destinationColumns.count) destination columns.
                        """)
            }
            return Array(zip(foreignKey.originColumns, destinationColumns))
        }
        return try columns(db, from: foreignKey.originColumns)
    }

    /// Returns the columns of the only foreign key between both tables.
    private func inferredColumns(_ db: Database) throws -> [(origin: String, destination: String)] {
        let candidates = try foreignKeys(db)
        switch candidates.count {
        case 1: return candidates[0].mapping
        case 0: throw failure("Could not infer foreign key", advice: "")
        default: throw failure("Ambiguous foreign key", advice: "")
        }
    }

    /// Returns the columns, each with the column that it refers to by the schema's foreign key, or in the primary key.
    private func columns(
        _ db: Database, from originColumns: [String]
    ) throws -> [(origin: String, destination: String)] {
        let names = originColumns.map(TableName.init)
        for candidate in try foreignKeys(db) {
            let positions = names.map { name in
                candidate.mapping.firstIndex { TableName($0.origin) == name }
            }
            if candidate.mapping.count == names.count, !positions.contains(nil) {
                return zip(originColumns, positions).map { ($0, candidate.mapping[$1!].destination) }
            }
        }
        if let primaryKey = try db.primaryKeyIfKnown(destination), primaryKey.columns.count == originColumns.count {
            return Array(zip(originColumns, primaryKey.columns))
        }
        throw failure("Could not infer foreign key", advice: ", with both origin and destination columns")
    }

    private func foreignKeys(_ db: Database) throws -> [ForeignKeyInfo] {
        if try db.viewExists(origin) { return [] }
        return try db.foreignKeys(on: origin).filter { TableName($0.destinationTable) == TableName(destination) }
    }

    private func failure(_ what: String, advice: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                \(what) from '\(origin)' to '\(destination)'. To fix this error, provide an explicit `ForeignKey` in \
                the association definition\(advice).
                """)
    }
}

/// Two columns that are equal in joined rows: one of the table on the left of a JOIN, and one of the joined table.
struct JoinedColumns: Hashable, Sendable {
    var left: String
    var right: String

    static func == (lhs: JoinedColumns, rhs: JoinedColumns) -> Bool {
        TableName(lhs.left) == TableName(rhs.left) && TableName(lhs.right) == TableName(rhs.right)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(TableName(left))
        hasher.combine(TableName(right))
    }
}
