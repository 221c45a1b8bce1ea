import AmalgamCore

/// `REFERENCES "team"("id") ON DELETE CASCADE`
struct ForeignKeyReference {
    var table: String

    /// The columns referred to; nil for the primary key.
    var columns: [String]?
    var deleteAction: Database.ForeignKeyAction?
    var updateAction: Database.ForeignKeyAction?
    var isDeferred: Bool

    /// - Parameter definition: the table under way, which may refer to itself.
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

/// A table that is created or altered, and may refer to itself.
protocol KeyedDefinition {
    /// The name of the table.
    var name: String { get }

    /// The columns of the primary key that the definition has; nil when the schema knows it.
    func definedPrimaryKey(_ db: Database) throws -> [ColumnDefinition]?
}

extension KeyedDefinition {
    /// The primary key of a table that may be the one under way.
    fileprivate func primaryKeyColumns(ofReferenced table: String, _ db: Database) throws -> [String] {
        try referencedKey(table, db).map(\.name)
    }

    /// The columns of the primary key of a table that may be the one under way.
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
