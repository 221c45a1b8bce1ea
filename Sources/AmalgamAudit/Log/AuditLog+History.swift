public import AmalgamCore
public import AmalgamQuery

extension AuditLog {
    /// What happened to one row, from its first entry to its last.
    ///
    /// ```swift
    /// let entries = try AuditLog.history(of: "player", key: 1).fetchAll(db)
    /// ```
    ///
    /// An update that changes the key is in the history of both keys. It takes one look at an index for each entry.
    ///
    /// - Parameters:
    ///   - tableName: the table, whatever its case.
    ///   - key: the primary key of the row, such as an `Int64`, a `String` or a `UUID`.
    public static func history(
        of tableName: String, key: some DatabaseValueConvertible
    ) -> QueryInterfaceRequest<Entry> {
        history(of: tableName, key: Key(anyValue: key))
    }

    /// What happened to one row, whose primary key has one column or several.
    ///
    /// ```swift
    /// let entries = try AuditLog.history(of: "citizenship", key: [playerId, "FR"]).fetchAll(db)
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the table, whatever its case.
    ///   - key: the primary key of the row.
    public static func history(of tableName: String, key: Key) -> QueryInterfaceRequest<Entry> {
        Entry
            .filter { $0.tableName == tableName && ($0.key == key || $0.newKey == key) }
            .order(Entry.Columns.id)
    }

    /// The last entry of a row in which a column got another value: who did it, when, and what was there before.
    ///
    /// ```swift
    /// let entry = try AuditLog.lastChange(of: "score", in: "player", key: 1).fetchOne(db)
    /// print(entry?.actor, entry?["score"]?.oldValue)
    /// ```
    ///
    /// - Parameters:
    ///   - columnName: the column, with the spelling of the schema.
    ///   - tableName: the table, whatever its case.
    ///   - key: the primary key of the row, such as an `Int64`, a `String` or a `UUID`.
    public static func lastChange(
        of columnName: String, in tableName: String, key: some DatabaseValueConvertible
    ) -> QueryInterfaceRequest<Entry> {
        lastChange(of: columnName, in: tableName, key: Key(anyValue: key))
    }

    /// The last entry of a row in which a column got another value. The primary key has one column or several.
    ///
    /// - Parameters:
    ///   - columnName: the column, with the spelling of the schema.
    ///   - tableName: the table, whatever its case.
    ///   - key: the primary key of the row.
    public static func lastChange(
        of columnName: String, in tableName: String, key: Key
    ) -> QueryInterfaceRequest<Entry> {
        history(of: tableName, key: key).changing(columnName).order(Entry.Columns.id.desc).limit(1)
    }
}

extension QueryInterfaceRequest where RowDecoder == AuditLog.Entry {
    /// Keeps the entries in which a column got another value.
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
}
