public import AmalgamCore
public import AmalgamQuery

extension TableRecord {
    /// Returns the error for a primary or unique key that no row has.
    ///
    /// ```swift
    /// throw Player.recordNotFound(key: ["email": "anna@example.com"])
    /// ```
    public static func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> RecordError {
        .recordNotFound(databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
    }

    /// Returns the error for a primary key that no row has. Returns a ``DatabaseError`` instead if the primary key
    /// can't be looked up, or doesn't have exactly one column.
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
    /// Returns the error for an identifier that no row has.
    ///
    /// ```swift
    /// guard let player = try Player.fetchOne(db, id: 1) else {
    ///     throw Player.recordNotFound(db, id: 1)
    /// }
    /// ```
    public static func recordNotFound(_ db: Database, id: ID) -> any Error { recordNotFound(db, key: id) }
}

extension TableRecord where Self: EncodableRecord {
    /// Returns the error for a record whose row isn't in the table. Returns a different error if the record can't be
    /// encoded, or if its primary key can't be looked up.
    ///
    /// ```swift
    /// guard try player.exists(db) else { throw player.recordNotFound(db) }
    /// ```
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
