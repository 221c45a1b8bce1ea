import AmalgamCore

/// The region of a started observation.
struct TrackedRegion: Sendable {
    /// The region that the last fetch has read.
    private var fetched: DatabaseRegion?

    /// The region to track after `fetched` was read.
    private var tracked = DatabaseRegion()

    /// The tables of `fetched`, without views.
    private var tables = DatabaseRegion()

    /// The last region that the `willTrackRegion` closures were called with.
    private var announced: DatabaseRegion?

    /// The region, if it is known and can only change with the schema.
    var constant: DatabaseRegion?

    /// The region to track after a fetch has read a region, and the read region without views. Nil if not known.
    func tracked(for region: DatabaseRegion) -> (tracked: DatabaseRegion, tables: DatabaseRegion)? {
        fetched == region ? (tracked, tables) : nil
    }

    mutating func track(_ tracked: DatabaseRegion, tables: DatabaseRegion, for region: DatabaseRegion) {
        fetched = region
        self.tracked = tracked
        self.tables = tables
    }

    /// Discards the regions that depend on the schema, because tables or views have changed.
    mutating func forget() {
        constant = nil
        fetched = nil
    }

    /// - Returns: whether the `willTrackRegion` closures must be called with the region.
    mutating func announce(_ region: DatabaseRegion) -> Bool {
        defer { announced = region }
        return announced != region
    }
}

extension DatabaseRegion {
    /// The region without views. Views are only tracked because they may be redefined: changed rows belong to tables.
    func excludingViews(_ db: Database) -> DatabaseRegion {
        (parts ?? []).reduce(self) { region, part in
            let isView = (try? db.viewExists(part.table.spelling)) ?? false
            return isView ? region.tableIntersection(part.table.spelling, rows: KnownRows(rowIDs: [])) : region
        }
    }

    /// Returns the region, extended to all columns of the tables whose generated columns are read. An update of another
    /// column may change a generated column, but SQLite reports only the updated column.
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
