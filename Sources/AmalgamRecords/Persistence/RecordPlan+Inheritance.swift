import AmalgamCore

extension RecordPlan {
    /// Checks that no column of the table is meant for a property that a class inherits: its values would be lost.
    ///
    /// - Throws: `SQLITE_MISUSE` if there is one.
    func checkInheritedProperties(_ db: Database, _ columns: [String]) throws {
        guard let inherited = writer?.inherited, !inherited.isEmpty else { return }
        let written = Set(columns.map(TableName.init))
        for column in try db.columns(in: tableName) where !written.contains(TableName(column.name)) {
            guard let property = inherited.first(where: { $0.name.equalsIgnoringCase(column.name) }) else { continue }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the column \(column.name.quotedDatabaseIdentifier) of table \(tableName) isn't written: \
                    '\(property.name)' is a property of the superclass \(property.superclass), which '@Record' doesn't \
                    see. Declare it in the record
                    """)
        }
    }
}
