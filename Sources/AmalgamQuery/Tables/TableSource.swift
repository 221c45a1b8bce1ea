package import AmalgamCore

/// A table or view, as a source of rows.
package struct TableSource: SQLSource {
    package let name: String

    package init(name: String) {
        self.name = name
    }

    package var nestedNodes: [any SQLNode] { [] }

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

    /// Returns the columns whose values tell each row from all others in a GROUP BY clause: the primary key, or the
    /// rowid if the primary key may contain NULL. Returns nil if the rows have no known key.
    ///
    /// SQLite accepts NULL in the primary key of a table with a rowid, unless the key is the rowid or is NOT NULL. All
    /// rows whose key is NULL are one group.
    func groupKey(_ db: Database) throws -> [String]? {
        guard let primaryKey = try primaryKey(db) else { return nil }
        if primaryKey.mayContainNull, let rowID = try db.rowIDName(ofTable: name) { return [rowID] }
        return primaryKey.columns
    }
}

extension PrimaryKeyInfo {
    /// Whether several rows can have NULL in a column of the key.
    var mayContainNull: Bool {
        tableHasRowID && !isRowID && columnInfos?.contains { !$0.isNotNull } == true
    }
}
