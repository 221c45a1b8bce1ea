import AmalgamCore

/// What a started observation tracks.
struct TrackedRegion: Sendable {
    /// The region that was fetched last.
    private var fetched: DatabaseRegion?

    /// What must be tracked for it.
    private var tracked = DatabaseRegion()

    /// The tables of it, without views.
    private var tables = DatabaseRegion()

    /// The region that others were told of.
    private var announced: DatabaseRegion?

    /// The region that only changes with the schema, once it is known.
    var constant: DatabaseRegion?

    /// What must be tracked when a region was fetched, and what others are told of, if it is known.
    func tracked(for region: DatabaseRegion) -> (tracked: DatabaseRegion, tables: DatabaseRegion)? {
        fetched == region ? (tracked, tables) : nil
    }

    mutating func track(_ tracked: DatabaseRegion, tables: DatabaseRegion, for region: DatabaseRegion) {
        fetched = region
        self.tracked = tracked
        self.tables = tables
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
    /// The region without views. They are tracked as well, because another view of that name may be defined; but rows change in
    /// the tables below them.
    func excludingViews(_ db: Database) -> DatabaseRegion {
        (parts ?? []).reduce(self) { region, part in
            let isView = (try? db.viewExists(part.table.spelling)) ?? false
            return isView ? region.tableIntersection(part.table.spelling, rows: KnownRows(rowIDs: [])) : region
        }
    }

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
