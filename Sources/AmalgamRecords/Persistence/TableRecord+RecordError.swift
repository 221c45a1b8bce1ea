public import AmalgamCore
public import AmalgamQuery

extension TableRecord {
    /// The error of a key that is that of no row.
    ///
    /// ```swift
    /// throw Player.recordNotFound(key: ["email": "anna@example.com"])
    /// ```
    public static func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> RecordError {
        .recordNotFound(databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
    }

    /// The error of a primary key that is that of no row; another error when the table does not have a primary key of one
    /// column.
    ///
    /// ```swift
    /// guard let player = try Player.fetchOne(db, key: 1) else {
    ///     throw Player.recordNotFound(db, key: 1)
    /// }
    /// ```
    public static func recordNotFound(_ db: Database, key: some DatabaseValueConvertible) -> any Error {
        do {
            let columns = try db.primaryKey(databaseTableName).columns
            if columns.count == 1 { return recordNotFound(key: [columns[0]: key]) }
            return DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Requesting by key requires a single-column primary key in the table '\(databaseTableName)'. \
                    Use a dictionary of columns and values.
                    """)
        } catch {
            return error
        }
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// The error of an identifier that is that of no row.
    public static func recordNotFound(_ db: Database, id: ID) -> any Error { recordNotFound(db, key: id) }
}

extension TableRecord where Self: EncodableRecord {
    /// The error of a record that has no row; another error when its primary key cannot be told.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            let container = try encoded()
            let columns = try db.primaryKey(type(of: self).databaseTableName).columns
            let key = columns.map { ($0, container.databaseValue($0)) }
            return RecordError.recordNotFound(
                databaseTableName: type(of: self).databaseTableName,
                key: Dictionary(key, uniquingKeysWith: { first, _ in first }))
        } catch {
            return error
        }
    }
}
