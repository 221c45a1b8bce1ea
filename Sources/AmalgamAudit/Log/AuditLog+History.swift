public import AmalgamCore
public import AmalgamQuery

extension AuditLog {
    /// Returns a request for the entries of one row, oldest first.
    ///
    /// ```swift
    /// let entries = try AuditLog.history(of: "player", key: 1).fetchAll(db)
    /// ```
    ///
    /// An update that changes the key of a row is in the history of the old key, and in that of the new key. Cost: one
    /// index look-up per entry.
    ///
    /// - Parameters:
    ///   - tableName: the name of the table. Its case is ignored.
    ///   - key: the primary key of the row, such as an `Int64`, a `String` or a `UUID`.
    public static func history(
        of tableName: String, key: some DatabaseValueConvertible
    ) -> QueryInterfaceRequest<Entry> {
        history(of: tableName, key: Key(anyValue: key))
    }

    /// Returns a request for the entries of one row, oldest first. The primary key may have several columns.
    ///
    /// ```swift
    /// let entries = try AuditLog.history(of: "citizenship", key: [playerId, "FR"]).fetchAll(db)
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the name of the table. Its case is ignored.
    ///   - key: the primary key of the row.
    public static func history(of tableName: String, key: Key) -> QueryInterfaceRequest<Entry> {
        Entry
            .filter { $0.tableName == tableName && ($0.key == key || $0.newKey == key) }
            .order(Entry.Columns.id)
    }

    /// Returns a request for the last entry that records a change of one column of a row.
    ///
    /// ```swift
    /// if let entry = try AuditLog.lastChange(of: "score", in: "player", key: 1).fetchOne(db) {
    ///     print(entry.actor ?? "unknown", entry.date, entry["score"]?.oldValue ?? .null)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - columnName: the column, with the spelling of the schema. After `RENAME COLUMN`, changes from before the
    ///     renaming are found by the former name.
    ///   - tableName: the name of the table. Its case is ignored.
    ///   - key: the primary key of the row, such as an `Int64`, a `String` or a `UUID`.
    public static func lastChange(
        of columnName: String, in tableName: String, key: some DatabaseValueConvertible
    ) -> QueryInterfaceRequest<Entry> {
        lastChange(of: columnName, in: tableName, key: Key(anyValue: key))
    }

    /// Returns a request for the last entry that records a change of one column of a row. The primary key may have
    /// several columns.
    ///
    /// ```swift
    /// let entry = try AuditLog.lastChange(of: "since", in: "citizenship", key: [playerId, "FR"]).fetchOne(db)
    /// ```
    ///
    /// - Parameters:
    ///   - columnName: the column, with the spelling of the schema. After `RENAME COLUMN`, changes from before the
    ///     renaming are found by the former name.
    ///   - tableName: the name of the table. Its case is ignored.
    ///   - key: the primary key of the row.
    public static func lastChange(
        of columnName: String, in tableName: String, key: Key
    ) -> QueryInterfaceRequest<Entry> {
        history(of: tableName, key: key).changing(columnName).order(Entry.Columns.id.desc).limit(1)
    }
}

extension QueryInterfaceRequest where RowDecoder == AuditLog.Entry {
    /// Filters the entries that record a change of a column.
    ///
    /// ```swift
    /// let entries = try AuditLog.Entry.all().changing("score").fetchAll(db)
    /// // SELECT * FROM "amalgam_audit" WHERE EXISTS (SELECT 1 FROM json_each(changes) WHERE key = 'score')
    /// ```
    ///
    /// - Parameter columnName: the column, with the spelling of the schema.
    public func changing(_ columnName: String) -> QueryInterfaceRequest<AuditLog.Entry> {
        filter(
            literal: """
                EXISTS (SELECT 1 FROM json_each(\(AuditLog.Entry.Columns.changes)) AS "column" \
                WHERE "column".key = \(columnName))
                """)
    }

    /// Filters the entries that record a change of a column.
    ///
    /// ```swift
    /// let entries = try AuditLog.Entry.all().changing(TypedColumn<Int>("score")).fetchAll(db)
    /// ```
    ///
    /// - Parameter column: the column, with the spelling of the schema.
    public func changing(_ column: some NamedColumn) -> QueryInterfaceRequest<AuditLog.Entry> { changing(column.name) }
}
