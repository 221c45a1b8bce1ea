import AmalgamCore

/// What a started observation tracks.
struct TrackedRegion: Sendable {
    /// The region that was fetched last.
    private var fetched: DatabaseRegion?

    /// What must be tracked for it.
    private var tracked = DatabaseRegion()

    /// The region that others were told of.
    private var announced: DatabaseRegion?

    /// The region that only changes with the schema, once it is known.
    var constant: DatabaseRegion?

    /// What must be tracked when a region was fetched, if it is known.
    func tracked(for region: DatabaseRegion) -> DatabaseRegion? { fetched == region ? tracked : nil }

    mutating func track(_ tracked: DatabaseRegion, for region: DatabaseRegion) {
        fetched = region
        self.tracked = tracked
    }

    /// Tables and views have other definitions.
    mutating func forget() {
        constant = nil
        fetched = nil
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
    func includingSourcesOfGeneratedColumns(_ db: Database) -> DatabaseRegion {
        (parts ?? []).reduce(self) { region, part in
            guard let names = part.columns, let columns = try? db.columns(in: part.table.spelling) else {
                return region
            }
            let isGenerated = columns.contains { $0.generation != nil && names.contains(TableName($0.name)) }
            return isGenerated ? region.union(DatabaseRegion(table: part.table.spelling)) : region
        }
    }
}
