import AmalgamCore

extension Relation {
    /// Returns whether the rows are grouped by the primary key or the rowid. In this case, a group contains one row of
    /// the table, which the statement can update or delete.
    func groupsAreRows(_ db: Database) throws -> Bool {
        guard let groups = try groups?.resolve(db), let primaryKey = try source.primaryKey(db) else { return false }
        let table = IdentifiedTable(db: db, source: source, aliases: aliases)
        let columns = Set(groups.compactMap { $0.plainColumn(in: table) })
        return try columns.isSuperset(of: primaryKey.columns.map(TableName.init))
            || columns.contains(where: table.isRowID)
    }
}
