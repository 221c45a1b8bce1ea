public import AmalgamCore
public import AmalgamQuery

extension FetchableRecord where Self: TableRecord {
    /// A cursor over all records.
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> { try all().fetchCursor(db) }

    /// All records.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db)
    /// // SELECT * FROM "player"
    /// ```
    public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

    /// Any record, or nil.
    public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }

    // MARK: Primary keys

    /// A cursor over the records with these primary keys.
    public static func fetchCursor<Keys: Collection>(_ db: Database, keys: Keys) throws -> RecordCursor<Self>
    where Keys.Element: DatabaseValueConvertible {
        try all().filter(keys: keys).fetchCursor(db)
    }

    /// The records with these primary keys, in any order.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, keys: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    public static func fetchAll<Keys: Collection>(_ db: Database, keys: Keys) throws -> [Self]
    where Keys.Element: DatabaseValueConvertible {
        if keys.isEmpty { return [] }
        return try all().filter(keys: keys).fetchAll(db)
    }

    /// The record with a primary key, or nil.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, key: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` when the primary key has several columns; errors of the record.
    public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
        if key.databaseValue.isNull { return nil }
        let lookUp = try RecordPlans.of(db).lookUp(db, Self.self)
        // An observation wants to know which row is read.
        guard let sql = lookUp.sql, !db.isRecordingAccess else { return try all().filter(key: key).fetchOne(db) }
        return try db.withStatement(sql: sql) { try fetchOne($0, arguments: lookUp.arguments(key)) }
    }

    /// The record with a primary key.
    ///
    /// - throws: a ``RecordError`` when there is none.
    public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
        if let record = try fetchOne(db, key: key) { return record }
        throw recordNotFound(db, key: key)
    }

    // MARK: Primary and unique keys

    /// A cursor over the records with these primary or unique keys, by the names of their columns.
    public static func fetchCursor(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> RecordCursor<Self> {
        try all().filter(keys: keys).fetchCursor(db)
    }

    /// The records with these primary or unique keys, by the names of their columns.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, keys: [["email": "anna@example.com"], ["email": "bo@example.com"]])
    /// // SELECT * FROM "player" WHERE ("email" = 'anna@example.com') OR ("email" = 'bo@example.com')
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when the columns are not unique.
    public static func fetchAll(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try all().filter(keys: keys).fetchAll(db)
    }

    /// The record with a primary or unique key, by the names of its columns; nil when there is none, or no key.
    ///
    /// - throws: `SQLITE_MISUSE` when the columns are not unique.
    public static func fetchOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]?) throws -> Self? {
        guard let key else { return nil }
        return try all().filter(key: key).fetchOne(db)
    }

    /// The record with a primary or unique key, by the names of its columns.
    ///
    /// - throws: a ``RecordError`` when there is none; `SQLITE_MISUSE` when the columns are not unique.
    public static func find(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self {
        if let record = try fetchOne(db, key: key) { return record }
        throw recordNotFound(key: key)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// All different records.
    public static func fetchSet(_ db: Database) throws -> Set<Self> { try all().fetchSet(db) }

    /// The records with these primary keys.
    public static func fetchSet<Keys: Collection>(_ db: Database, keys: Keys) throws -> Set<Self>
    where Keys.Element: DatabaseValueConvertible {
        if keys.isEmpty { return [] }
        return try all().filter(keys: keys).fetchSet(db)
    }

    /// The records with these primary or unique keys, by the names of their columns.
    public static func fetchSet(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> Set<Self> {
        if keys.isEmpty { return [] }
        return try all().filter(keys: keys).fetchSet(db)
    }
}

// MARK: - Identifiers

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// A cursor over the records with these identifiers.
    public static func fetchCursor<IDS: Collection>(_ db: Database, ids: IDS) throws -> RecordCursor<Self>
    where IDS.Element == ID {
        try fetchCursor(db, keys: ids)
    }

    /// The records with these identifiers, in any order.
    public static func fetchAll<IDS: Collection>(_ db: Database, ids: IDS) throws -> [Self]
    where IDS.Element == ID {
        try fetchAll(db, keys: ids)
    }

    /// The record with an identifier, or nil.
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? { try fetchOne(db, key: id) }

    /// The record with an identifier.
    ///
    /// - throws: a ``RecordError`` when there is none.
    public static func find(_ db: Database, id: ID) throws -> Self { try find(db, key: id) }
}

extension FetchableRecord where Self: TableRecord & Identifiable & Hashable, ID: DatabaseValueConvertible {
    /// The records with these identifiers.
    public static func fetchSet<IDS: Collection>(_ db: Database, ids: IDS) throws -> Set<Self>
    where IDS.Element == ID {
        try fetchSet(db, keys: ids)
    }
}
