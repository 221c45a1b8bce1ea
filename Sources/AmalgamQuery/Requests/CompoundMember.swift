import AmalgamCore

/// A request whose row layout is known before its statement is compiled.
protocol CompoundMember {
    /// Returns the column counts of the first table and of each included association; empty without associations.
    ///
    /// - Throws: `SQLITE_MISUSE` if the request can't be a member of a compound request.
    func rowParts(_ db: Database) throws -> [RowPartSize]

    /// Returns the adapter that makes a scope of the row for each included association; nil for plain rows.
    func rowAdapter(_ db: Database) throws -> (any RowAdapter)?
}

/// The number of columns of a part of a row.
struct RowPartSize: Equatable {
    /// The name of the part, after the names of the parts that contain it. Empty for the first table.
    var path: [String]
    var columnCount: Int
}

extension FetchRequest {
    /// Returns the parts of the rows, for any request.
    func memberParts(_ db: Database) throws -> [RowPartSize] {
        if let member = self as? any CompoundMember { return try member.rowParts(db) }
        let request = try makePreparedRequest(db, forSingleResult: false)
        if request.adapter != nil { throw DatabaseError.adaptedMember }
        return []
    }

    /// Returns the adapter that assigns the columns to the parts, for any request.
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
