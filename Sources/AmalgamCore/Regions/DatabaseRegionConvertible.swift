/// A type that stands for a part of a database: a region, a table, a request.
public protocol DatabaseRegionConvertible: Sendable {
    /// The region, with the names of the schema of `db`.
    ///
    /// - throws: a ``DatabaseError`` when the region needs a schema object that does not exist.
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
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: @Sendable (Database) throws -> DatabaseRegion

    /// A region computed when it is asked for.
    public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
        self.region = region
    }

    /// Wraps a region, or what has one.
    public init(_ region: some DatabaseRegionConvertible) {
        self.region = { try region.databaseRegion($0) }
    }

    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}
