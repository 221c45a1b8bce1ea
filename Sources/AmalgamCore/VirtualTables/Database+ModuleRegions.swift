extension Database {
    /// A region, with what the table-valued functions in it read. SQLite only knows the functions.
    func regionWithTableFunctions(_ region: DatabaseRegion) -> DatabaseRegion {
        moduleRegions.isEmpty ? region : union(of: region)
    }

    private func union(of region: DatabaseRegion) -> DatabaseRegion {
        let named = moduleRegions.filter { region.isModified(byEventsOfKind: .insert(tableName: $0.key.spelling)) }
        // A function may use itself, by way of others: each is looked at once.
        let regions = moduleRegions
        named.keys.forEach { moduleRegions[$0] = nil }
        defer { moduleRegions = regions }
        return named.values.joined().reduce(region) { region, part in
            // What cannot be told may be anything.
            region.union((try? part.databaseRegion(self)) ?? .fullDatabase)
        }
    }
}
