package import AmalgamCore

/// A table or view, as a source of rows.
package struct TableSource: SQLSource {
    package let name: String

    package init(name: String) {
        self.name = name
    }

    package func columnNames(_ db: Database) throws -> [String] {
        try db.columns(in: name).filter { !$0.isHidden }.map(\.name)
    }

    package func columnCount(_ db: Database) throws -> Int {
        try db.columns(in: name).count { !$0.isHidden }
    }

    package func primaryKey(_ db: Database) throws -> PrimaryKeyInfo? { try db.primaryKeyIfKnown(name) }
}

extension SQLSource {
    /// Returns the shortest key of the rows: the INTEGER PRIMARY KEY, the rowid, or the primary key.
    func rowKey(_ db: Database) throws -> [String] {
        guard let primaryKey = try primaryKey(db) else {
            throw DatabaseError(message: "database view \(name) has no primary key")
        }
        if let rowID = primaryKey.rowIDColumn { return [rowID] }
        guard primaryKey.tableHasRowID, let rowID = try db.rowIDName(ofTable: name) else { return primaryKey.columns }
        return [rowID]
    }
}
