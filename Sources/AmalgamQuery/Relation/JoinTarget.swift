import AmalgamCore

/// The target of a join: a table, and the condition for the joined rows.
///
/// A request merges joins with the same key when it is built, without a connection. The check that the merged joins
/// have the same target needs a connection: only the schema tells whether an inferred foreign key is equal to an
/// explicit `ForeignKey`. Therefore, `checkRivals` runs later, when the SQL is written.
struct JoinTarget: Sendable {
    var tableName: String
    var condition: JoinCondition

    /// Returns whether both targets are certainly equal. Other targets may be equal according to the schema.
    func isSame(as other: JoinTarget) -> Bool {
        guard TableName(tableName) == TableName(other.tableName) else { return false }
        switch (condition, other.condition) {
        case (.foreignKey(let link), .foreignKey(let otherLink)): return link == otherLink
        case (.none, .none): return true
        default: return false
        }
    }

    /// Returns whether both targets have the same table and the same foreign key.
    ///
    /// Two conditions that aren't foreign keys can't be compared. The result is true for them, and the merged join has
    /// the condition that was added last.
    fileprivate func agrees(with other: JoinTarget, _ db: Database) throws -> Bool {
        guard TableName(tableName) == TableName(other.tableName) else { return false }
        switch (condition, other.condition) {
        case (.foreignKey(let link), .foreignKey(let otherLink)):
            return try link == otherLink || Set(link.columns(db)) == Set(otherLink.columns(db))
        case (.foreignKey, _), (_, .foreignKey): return false
        default: return true
        }
    }

    /// Returns a description for error messages: `player(captainId) → team(id)`.
    fileprivate func description(_ db: Database) throws -> String {
        switch condition {
        case .foreignKey(let link): try link.description(db)
        case .expression: "a condition on \(tableName)"
        case .none: "all rows of \(tableName)"
        }
    }
}

extension Join {
    var target: JoinTarget { JoinTarget(tableName: relation.source.name, condition: condition) }

    /// Checks that all associations that are merged into this join have the same target.
    ///
    /// - Throws: `SQLITE_MISUSE` if two of these associations have different tables or foreign keys.
    func checkRivals(_ db: Database) throws {
        for rival in rivals where try !rival.agrees(with: target, db) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Two associations of one request have the key "\(key)" and join different rows: \
                    \(try rival.description(db)), and \(try target.description(db)). Give one of them another key \
                    with the forKey(_:) method.
                    """)
        }
    }
}

extension ForeignKeyLink {
    /// Returns a description for error messages: `player(captainId) → team(id)`.
    fileprivate func description(_ db: Database) throws -> String {
        let columns = try columns(db)
        let (left, right) = (columns.map(\.left), columns.map(\.right))
        let (originColumns, destinationColumns) = originIsLeft ? (left, right) : (right, left)
        return """
            \(origin)(\(originColumns.joined(separator: ", "))) → \
            \(destination)(\(destinationColumns.joined(separator: ", ")))
            """
    }
}
