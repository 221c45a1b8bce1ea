import AmalgamCore

/// What a started observation tracks.
struct TrackedRegion: Sendable {
    /// The region that was fetched last.
    private var fetched: DatabaseRegion?

    /// What must be tracked for it.
    private var tracked = DatabaseRegion()

    /// The region that others were told of.
    private var announced: DatabaseRegion?

    /// The region that never changes, once it is known.
    var constant: DatabaseRegion?

    /// What must be tracked when a region was fetched.
    mutating func track(_ region: DatabaseRegion, _ db: Database) -> DatabaseRegion {
        if fetched == region { return tracked }
        fetched = region
        tracked = region.includingSourcesOfGeneratedColumns(db)
        return tracked
    }

    /// - Returns: whether others must be told of the region.
    mutating func announce(_ region: DatabaseRegion) -> Bool {
        defer { announced = region }
        return announced != region
    }
}

extension DatabaseRegion {
    /// The values of generated columns change with those of other columns, and SQLite tells of the latter. So the tables
    /// where generated columns are read are tracked as a whole.
    fileprivate func includingSourcesOfGeneratedColumns(_ db: Database) -> DatabaseRegion {
        (parts ?? []).reduce(self) { region, part in
            guard let names = part.columns, let columns = try? db.columns(in: part.table.spelling) else {
                return region
            }
            let isGenerated = columns.contains { $0.generation != nil && names.contains(TableName($0.name)) }
            return isGenerated ? region.union(DatabaseRegion(table: part.table.spelling)) : region
        }
    }
}
