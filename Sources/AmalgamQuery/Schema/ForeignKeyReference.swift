import AmalgamCore

/// A foreign key clause: `REFERENCES "team"("id") ON DELETE CASCADE`.
struct ForeignKeyReference {
    var table: String

    /// The referenced columns; nil for the primary key.
    var columns: [String]?
    var deleteAction: Database.ForeignKeyAction?
    var updateAction: Database.ForeignKeyAction?
    var isDeferred: Bool

    /// - Parameter definition: the table that is created or altered. The reference may refer to this table itself.
    func write(to writer: inout SQLWriter, from definition: any KeyedDefinition) throws {
        let columns = try columns ?? definition.primaryKeyColumns(ofReferenced: table, writer.db)
        writer.append("REFERENCES \(table.quotedDatabaseIdentifier)(")
        writer.append(columns.map(\.quotedDatabaseIdentifier).joined(separator: ", "))
        writer.append(")")
        if let deleteAction { writer.append(" ON DELETE \(deleteAction.rawValue)") }
        if let updateAction { writer.append(" ON UPDATE \(updateAction.rawValue)") }
        if isDeferred { writer.append(" DEFERRABLE INITIALLY DEFERRED") }
    }
}

/// A table that is created or altered. Its foreign keys may refer to the table itself.
protocol KeyedDefinition {
    /// The name of the table.
    var name: String { get }

    /// Returns the columns of the primary key that the definition of a new table contains. Returns nil for an existing
    /// table that is altered: the schema contains its primary key.
    func definedPrimaryKey(_ db: Database) throws -> [ColumnDefinition]?
}

extension KeyedDefinition {
    /// Returns the names of the primary key's columns. The table may be the one that is being created.
    fileprivate func primaryKeyColumns(ofReferenced table: String, _ db: Database) throws -> [String] {
        try referencedKey(table, db).map(\.name)
    }

    /// Returns the columns of the primary key. The table may be the one that is being created.
    func referencedKey(_ table: String, _ db: Database) throws -> [(name: String, type: Database.ColumnType?)] {
        if TableName(table) == TableName(name), let definedPrimaryKey = try definedPrimaryKey(db) {
            if definedPrimaryKey.isEmpty { return [("rowid", .integer)] }
            return definedPrimaryKey.map { ($0.name, $0.type) }
        }
        let primaryKey = try db.primaryKey(table)
        guard let columnInfos = primaryKey.columnInfos else { return [("rowid", .integer)] }
        return columnInfos.map { ($0.name, $0.columnType) }
    }
}
