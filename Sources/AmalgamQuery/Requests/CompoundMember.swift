import AmalgamCore

/// A request that knows the parts of its rows without being compiled.
protocol CompoundMember {
    /// The parts of the rows that associations make, and how many columns each has; none for plain rows.
    ///
    /// - Throws: `SQLITE_MISUSE` when the rows can't come from a compound request.
    func rowParts(_ db: Database) throws -> [RowPartSize]

    /// What puts the columns in the parts; nil for plain rows.
    func rowAdapter(_ db: Database) throws -> (any RowAdapter)?
}

/// The number of columns of a part of a row.
struct RowPartSize: Equatable {
    /// The names of the part and of those that it is in; empty for the first table.
    var path: [String]
    var columnCount: Int
}

extension FetchRequest {
    /// The parts of the rows, of any request.
    func memberParts(_ db: Database) throws -> [RowPartSize] {
        if let member = self as? any CompoundMember { return try member.rowParts(db) }
        let request = try makePreparedRequest(db, forSingleResult: false)
        if request.adapter != nil { throw DatabaseError.adaptedMember }
        return []
    }

    /// What puts the columns in the parts, for any request.
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
