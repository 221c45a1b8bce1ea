/// A foreign key of a table: <https://sqlite.org/pragma.html#pragma_foreign_key_list>.
///
/// ```swift
/// // CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team ON DELETE CASCADE)
/// let foreignKey = try db.foreignKeys(on: "player")[0]
/// foreignKey.originColumns        // ["teamId"]
/// foreignKey.destinationTable     // "team"
/// foreignKey.destinationColumns   // ["id"]
/// foreignKey.onDelete             // .cascade
/// ```
public struct ForeignKeyInfo: Sendable {
    /// The number of the foreign key in its table. ``ForeignKeyViolation/foreignKeyId`` refers to it.
    public var id: Int

    /// The table that is referred to.
    public let destinationTable: String

    /// The columns that refer to another table, and those they refer to.
    ///
    /// The columns of the primary key, when the foreign key does not say which ones are meant.
    public let mapping: [(origin: String, destination: String)]

    /// What the change of a key in the destination table causes. Nil for NO ACTION.
    public let onUpdate: Database.ForeignKeyAction?

    /// What the deletion of a row in the destination table causes. Nil for NO ACTION.
    public let onDelete: Database.ForeignKeyAction?

    /// Whether the foreign key is checked at the end of a transaction: DEFERRABLE INITIALLY DEFERRED.
    public let isDeferred: Bool

    /// The columns that refer to another table.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The columns that are referred to.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}

/// A foreign key as its table declares it.
package struct ForeignKeyDeclaration {
    package var id: Int
    var destinationTable: String
    package var originColumns: [String] = []

    /// Empty when the primary key is meant.
    package var destinationColumns: [String] = []

    var onUpdate: Database.ForeignKeyAction?
    var onDelete: Database.ForeignKeyAction?
    var isDeferred = false

    /// The foreign keys that the rows of `PRAGMA foreign_key_list` describe: a row for each column.
    static func declarations(_ rows: [Row]) -> [ForeignKeyDeclaration] {
        var declarations: [ForeignKeyDeclaration] = []
        for row in rows {
            let id: Int = row["id"]
            if declarations.last?.id != id { declarations.append(ForeignKeyDeclaration(row, id: id)) }
            let last = declarations.count - 1
            declarations[last].originColumns.append(row["from"])
            if let destination = row["to"] as String? { declarations[last].destinationColumns.append(destination) }
        }
        return declarations
    }

    private init(_ row: Row, id: Int) {
        self.id = id
        destinationTable = row["table"]
        onUpdate = Database.ForeignKeyAction(rawValue: row["on_update"])
        onDelete = Database.ForeignKeyAction(rawValue: row["on_delete"])
    }
}

extension ForeignKeyInfo {
    init(_ declaration: ForeignKeyDeclaration, destinationColumns: [String]) {
        id = declaration.id
        destinationTable = declaration.destinationTable
        mapping = zip(declaration.originColumns, destinationColumns).map { ($0, $1) }
        onUpdate = declaration.onUpdate
        onDelete = declaration.onDelete
        isDeferred = declaration.isDeferred
    }
}
