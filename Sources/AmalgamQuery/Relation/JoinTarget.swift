import AmalgamCore

/// What the key of a join stands for: a table, and which of its rows are joined.
///
/// Joins of one key are merged into one join, before there is a database. Whether they mean the same rows is checked when
/// the SQL is written: a foreign key that the schema tells may be the one that another association was given.
struct JoinTarget: Sendable {
    var tableName: String
    var condition: JoinCondition

    /// Whether both targets are certainly the same. Two targets that are not may still mean the same rows.
    func isSame(as other: JoinTarget) -> Bool {
        guard TableName(tableName) == TableName(other.tableName) else { return false }
        switch (condition, other.condition) {
        case (.foreignKey(let link), .foreignKey(let otherLink)): return link == otherLink
        case (.none, .none): return true
        default: return false
        }
    }

    /// Whether both targets are the same rows of the same table.
    ///
    /// Conditions written in Swift can't be compared: the last one counts.
    fileprivate func agrees(with other: JoinTarget, _ db: Database) throws -> Bool {
        guard TableName(tableName) == TableName(other.tableName) else { return false }
        switch (condition, other.condition) {
        case (.foreignKey(let link), .foreignKey(let otherLink)):
            return try link == otherLink || Set(link.columns(db)) == Set(otherLink.columns(db))
        case (.foreignKey, _), (_, .foreignKey): return false
        default: return true
        }
    }

    /// `player(captainId) → team(id)`
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

    /// Checks that all associations that were joined under the key of the join are the same one.
    ///
    /// - Throws: `SQLITE_MISUSE` when two of them have different tables or foreign keys.
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
    /// `player(captainId) → team(id)`
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
