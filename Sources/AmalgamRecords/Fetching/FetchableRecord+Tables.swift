public import AmalgamCore
public import AmalgamQuery

extension FetchableRecord where Self: TableRecord {
    /// Returns a cursor over all records of the table.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db)
    /// // SELECT * FROM "player"
    /// while let player = try players.next() { print(player.name) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> { try all().fetchCursor(db) }

    /// Fetches all records of the table.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db)
    /// // SELECT * FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

    /// Fetches one record of the table, in no particular order. Returns nil if the table is empty.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db)
    /// // SELECT * FROM "player" LIMIT 1
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }

    // MARK: Primary keys

    /// Returns a cursor over the records with the given primary keys, in no particular order.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db, keys: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns.
    public static func fetchCursor<Keys: Collection>(_ db: Database, keys: Keys) throws -> RecordCursor<Self>
    where Keys.Element: DatabaseValueConvertible {
        try all().filter(keys: keys).fetchCursor(db)
    }

    /// Fetches the records with the given primary keys, in no particular order.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, keys: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns; errors of the record's
    ///   initializer.
    public static func fetchAll<Keys: Collection>(_ db: Database, keys: Keys) throws -> [Self]
    where Keys.Element: DatabaseValueConvertible {
        if keys.isEmpty { return [] }
        return try all().filter(keys: keys).fetchAll(db)
    }

    /// Fetches the record with the given primary key. Returns nil if there is none.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, key: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns; errors of the record's
    ///   initializer.
    @inlinable
    public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
        if key.databaseValue.isNull { return nil }
        guard let statement = try KeyLookUp.start(db, Self.self, key) else {
            return try all().filter(key: key).fetchOne(db)
        }
        defer { statement.returnToCache() }
        return try statement.endingRun {
            guard try statement.step() else { return nil }
            return try Self(movingRow: Row(statement))
        }
    }

    /// Fetches the record with the given primary key. Throws an error if there is none.
    ///
    /// ```swift
    /// let player = try Player.find(db, key: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row has this key; the errors of `fetchOne(_:key:)`.
    public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
        if let record = try fetchOne(db, key: key) { return record }
        throw recordNotFound(db, key: key)
    }

    // MARK: Primary and unique keys

    /// Returns a cursor over the records with the given primary or unique keys.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db, keys: [["email": "anna@example.com"], ["email": "bo@example.com"]])
    /// // SELECT * FROM "player" WHERE ("email" = 'anna@example.com') OR ("email" = 'bo@example.com')
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the columns of a key aren't a primary key or a unique index.
    public static func fetchCursor(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> RecordCursor<Self> {
        try all().filter(keys: keys).fetchCursor(db)
    }

    /// Fetches the records with the given primary or unique keys, in no particular order.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, keys: [["email": "anna@example.com"], ["email": "bo@example.com"]])
    /// // SELECT * FROM "player" WHERE ("email" = 'anna@example.com') OR ("email" = 'bo@example.com')
    /// ```
    ///
    /// - Parameter keys: dictionaries of column names and values.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the columns of a key aren't a primary key or a unique index;
    ///   errors of the record's initializer.
    public static func fetchAll(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try all().filter(keys: keys).fetchAll(db)
    }

    /// Fetches the record with the given primary or unique key. Returns nil if there is none, or if the key is nil.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, key: ["email": "anna@example.com"])
    /// // SELECT * FROM "player" WHERE "email" = 'anna@example.com'
    /// ```
    ///
    /// - Parameter key: a dictionary of column names and values.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the columns of the key aren't a primary key or a unique index;
    ///   errors of the record's initializer.
    public static func fetchOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]?) throws -> Self? {
        guard let key else { return nil }
        return try all().filter(key: key).fetchOne(db)
    }

    /// Fetches the record with the given primary or unique key. Throws an error if there is none.
    ///
    /// ```swift
    /// let player = try Player.find(db, key: ["email": "anna@example.com"])
    /// // SELECT * FROM "player" WHERE "email" = 'anna@example.com'
    /// ```
    ///
    /// - Parameter key: a dictionary of column names and values.
    /// - Throws: a ``RecordError`` if no row has this key; a ``DatabaseError``; `SQLITE_MISUSE` if the columns of the
    ///   key aren't a primary key or a unique index; errors of the record's initializer.
    public static func find(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self {
        if let record = try fetchOne(db, key: key) { return record }
        throw recordNotFound(key: key)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Fetches the set of all records of the table.
    ///
    /// ```swift
    /// let players = try Player.fetchSet(db)
    /// // SELECT * FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public static func fetchSet(_ db: Database) throws -> Set<Self> { try all().fetchSet(db) }

    /// Fetches the set of the records with the given primary keys.
    ///
    /// ```swift
    /// let players = try Player.fetchSet(db, keys: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns; errors of the record's
    ///   initializer.
    public static func fetchSet<Keys: Collection>(_ db: Database, keys: Keys) throws -> Set<Self>
    where Keys.Element: DatabaseValueConvertible {
        if keys.isEmpty { return [] }
        return try all().filter(keys: keys).fetchSet(db)
    }

    /// Fetches the set of the records with the given primary or unique keys.
    ///
    /// - Parameter keys: dictionaries of column names and values.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the columns of a key aren't a primary key or a unique index;
    ///   errors of the record's initializer.
    public static func fetchSet(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> Set<Self> {
        if keys.isEmpty { return [] }
        return try all().filter(keys: keys).fetchSet(db)
    }
}

// MARK: - Identifiers

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Returns a cursor over the records with the given identifiers, in no particular order.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db, ids: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns.
    public static func fetchCursor<IDS: Collection>(_ db: Database, ids: IDS) throws -> RecordCursor<Self>
    where IDS.Element == ID {
        try fetchCursor(db, keys: ids)
    }

    /// Fetches the records with the given identifiers, in no particular order.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, ids: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns; errors of the record's
    ///   initializer.
    public static func fetchAll<IDS: Collection>(_ db: Database, ids: IDS) throws -> [Self]
    where IDS.Element == ID {
        try fetchAll(db, keys: ids)
    }

    /// Fetches the record with the given identifier. Returns nil if there is none.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, id: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns; errors of the record's
    ///   initializer.
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? { try fetchOne(db, key: id) }

    /// Fetches the record with the given identifier. Throws an error if there is none.
    ///
    /// ```swift
    /// let player = try Player.find(db, id: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row has this identifier; the errors of ``fetchOne(_:id:)``.
    public static func find(_ db: Database, id: ID) throws -> Self { try find(db, key: id) }
}

extension FetchableRecord where Self: TableRecord & Identifiable & Hashable, ID: DatabaseValueConvertible {
    /// Fetches the set of the records with the given identifiers.
    ///
    /// ```swift
    /// let players = try Player.fetchSet(db, ids: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns; errors of the record's
    ///   initializer.
    public static func fetchSet<IDS: Collection>(_ db: Database, ids: IDS) throws -> Set<Self>
    where IDS.Element == ID {
        try fetchSet(db, keys: ids)
    }
}
