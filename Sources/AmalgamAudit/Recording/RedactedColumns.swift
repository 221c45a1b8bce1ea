internal import AmalgamCore

/// The redacted columns of tables, also after they are renamed.
///
/// SQLite doesn't tell which column a statement has renamed. If a redacted column is missing, or if another column has its
/// position, all columns that weren't there before are redacted: one too many is better than a secret in the log. A rule for
/// all tables redacts their new names in all tables, because SQLite doesn't tell which table a statement has renamed either.
struct RedactedColumns {
    /// The columns of tables with redacted ones, when they were seen last.
    private var known: [TableName: [TableName]] = [:]
    private var renamed: [TableName: Set<TableName>] = [:]

    /// Returns the names of the redacted columns of a table.
    ///
    /// - Parameter columns: the names of all columns.
    mutating func names(in table: String, columns: [String], _ rule: AuditLog.Table) -> Set<TableName> {
        let table = TableName(table)
        let columns = columns.map { TableName($0) }
        if rule.redactedColumns.isEmpty { return [] }
        var names = rule.redactedColumns
        if rule.name == nil {
            for later in renamed.values { names.formUnion(later) }
        } else {
            names.formUnion(renamed[table] ?? [])
        }
        if let earlier = known[table], Self.mayHaveRenamed(names, earlier, columns) {
            let new = Set(columns).subtracting(earlier)
            renamed[table, default: []].formUnion(new)
            names.formUnion(new)
        }
        known[table] = columns
        return names
    }

    /// Whether one of the named columns isn't at its earlier position: it may have another name now. Its own name may be that
    /// of a column that was added later.
    private static func mayHaveRenamed(
        _ names: Set<TableName>, _ earlier: [TableName], _ columns: [TableName]
    ) -> Bool {
        earlier.indices.contains { index in
            names.contains(earlier[index]) && (index >= columns.count || columns[index] != earlier[index])
        }
    }
}

extension AuditLog.Table {
    /// - Throws: `SQLITE_MISUSE` if a redacted column belongs to the primary key.
    func checkRedaction(_ db: Database) throws {
        guard let name = name?.spelling, !redactedColumns.isEmpty, try db.tableExists(name, in: "main") else { return }
        for column in try db.primaryKey(name, in: "main").columns where redactedColumns.contains(TableName(column)) {
            throw Self.redactsKey(name, column)
        }
    }

    static func redactsKey(_ table: String, _ column: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The column \(column) of the table \(table) can't be redacted: it belongs to the primary key, which the \
                audit log stores to identify rows. Give the table another primary key, or don't audit it.
                """)
    }
}
