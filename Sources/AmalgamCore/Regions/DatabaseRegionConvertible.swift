/// A type that has a database region: a table, a request, or a region itself.
///
/// ```swift
/// try db.notifyChanges(in: Table("player"))
/// ```
public protocol DatabaseRegionConvertible: Sendable {
    /// Returns the region, resolved in the schema of a connection.
    ///
    /// ```swift
    /// let region = try Table("player").databaseRegion(db)
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the region refers to a schema object that doesn't exist.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// The region of all tables, columns and rows.
    public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// A type-erased region.
///
/// ```swift
/// let players = AnyDatabaseRegionConvertible(Table("player"))
/// try db.registerAccess(to: players)
/// ```
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: @Sendable (Database) throws -> DatabaseRegion

    /// Creates a region that is computed when it is used.
    ///
    /// ```swift
    /// let names = AnyDatabaseRegionConvertible { db in
    ///     try db.makeStatement(sql: "SELECT name FROM player").databaseRegion
    /// }
    /// ```
    public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
        self.region = region
    }

    /// Wraps a region, or a value that has a region.
    public init(_ region: some DatabaseRegionConvertible) {
        self.region = { try region.databaseRegion($0) }
    }

    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}
