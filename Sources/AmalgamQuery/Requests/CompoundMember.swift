import AmalgamCore

/// A request that knows, without compiling its statement, which columns of its rows belong to which table.
///
/// The columns of the request `Player.including(optional: Player.team)` are those of `player`, then those of `team`.
protocol CompoundMember {
    /// Returns the numbers of columns of the first table and of each included association. Returns an empty array if
    /// the request includes no association.
    ///
    /// - Throws: `SQLITE_MISUSE` if the request can't be a member of a compound request.
    func rowParts(_ db: Database) throws -> [RowPartSize]

    /// Returns the adapter that gives the row a scope for each included association. The scope contains the columns of
    /// the associated table. Returns nil if the request includes no association.
    func rowAdapter(_ db: Database) throws -> (any RowAdapter)?
}

/// The number of columns of one table in a row.
struct RowPartSize: Equatable {
    /// The keys of the associations from the first table to this one: `["team", "league"]`. Empty for the first table.
    var path: [String]
    var columnCount: Int
}

extension FetchRequest {
    /// Returns the `rowParts` of a `CompoundMember`. Returns an empty array for any other request.
    ///
    /// - Throws: `SQLITE_MISUSE` if the request can't be a member of a compound request.
    func memberParts(_ db: Database) throws -> [RowPartSize] {
        if let member = self as? any CompoundMember { return try member.rowParts(db) }
        let request = try makePreparedRequest(db, forSingleResult: false)
        if request.adapter != nil { throw DatabaseError.adaptedMember }
        return []
    }

    /// Returns the `rowAdapter` of a `CompoundMember`. Returns nil for any other request.
    func memberAdapter(_ db: Database) throws -> (any RowAdapter)? {
        try (self as? any CompoundMember)?.rowAdapter(db)
    }
}

extension DatabaseError {
    fileprivate static var adaptedMember: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                A request of a compound request adapts its rows. Adapt those of the compound request, with its \
                adapted(_:) method.
                """)
    }
}

extension QueryInterfaceRequest: CompoundMember {
    func rowParts(_ db: Database) throws -> [RowPartSize] {
        if _relation.joins.isEmpty { return [] }
        if try !_relation.prefetches(db).isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    A compound request can't fetch associations to many. Remove including(all:) from its requests.
                    """)
        }
        return try SelectQuery(_relation, db).partSizes()
    }

    func rowAdapter(_ db: Database) throws -> (any RowAdapter)? {
        _relation.joins.isEmpty ? nil : try SelectQuery(_relation, db).adapter()
    }
}

extension SQLRequest: CompoundMember {
    func rowParts(_ db: Database) throws -> [RowPartSize] {
        if adapter != nil { throw DatabaseError.adaptedMember }
        return []
    }

    func rowAdapter(_ db: Database) -> (any RowAdapter)? { nil }
}

extension AdaptedFetchRequest: CompoundMember {
    func rowParts(_ db: Database) throws -> [RowPartSize] { throw DatabaseError.adaptedMember }

    func rowAdapter(_ db: Database) -> (any RowAdapter)? { nil }
}

extension AnyFetchRequest: CompoundMember {
    func rowParts(_ db: Database) throws -> [RowPartSize] { try base.memberParts(db) }

    func rowAdapter(_ db: Database) throws -> (any RowAdapter)? { try base.memberAdapter(db) }
}
