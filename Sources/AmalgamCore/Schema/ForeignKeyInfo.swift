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
    /// The number of the foreign key in its table, to which ``ForeignKeyViolation/foreignKeyId`` refers.
    public var id: Int

    /// The referenced table.
    public let destinationTable: String

    /// The columns of the foreign key, and the columns to which they refer.
    ///
    /// If the foreign key names no destination columns, the destinations are the primary key of the referenced table.
    public let mapping: [(origin: String, destination: String)]

    /// The action after a change of the referenced key; nil for NO ACTION.
    public let onUpdate: Database.ForeignKeyAction?

    /// The action after a deletion of the referenced row; nil for NO ACTION.
    public let onDelete: Database.ForeignKeyAction?

    /// Whether the foreign key is checked at the end of the transaction: DEFERRABLE INITIALLY DEFERRED.
    public let isDeferred: Bool

    /// The columns of the foreign key.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The referenced columns.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}

/// A foreign key, as declared by its table.
package struct ForeignKeyDeclaration {
    package var id: Int
    var destinationTable: String
    package var originColumns: [String] = []

    /// The referenced columns; empty for the primary key.
    package var destinationColumns: [String] = []

    var onUpdate: Database.ForeignKeyAction?
    var onDelete: Database.ForeignKeyAction?
    var isDeferred = false

    /// Returns the foreign keys described by the rows of `PRAGMA foreign_key_list`, which has a row for each column.
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
