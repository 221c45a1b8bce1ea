/// What the table-valued functions of a connection read. SQLite only knows the functions.
private final class TableFunctionRegions: DatabaseAttachment {
    static let key = AttachmentKey<TableFunctionRegions>()
    var regions: [TableName: [any DatabaseRegionConvertible]] = [:]
}

extension Database {
    /// Notes what a table-valued function reads.
    package func setRegions(_ regions: [any DatabaseRegionConvertible], ofTableFunction name: String) {
        let functions = attachment(TableFunctionRegions.key, orInsert: TableFunctionRegions())
        functions.regions[TableName(name)] = regions.isEmpty ? nil : regions
    }

    /// A region, with what the table-valued functions in it read.
    func regionWithTableFunctions(_ region: DatabaseRegion) -> DatabaseRegion {
        guard let functions = attachment(TableFunctionRegions.key), !functions.regions.isEmpty else { return region }
        return union(of: region, functions)
    }

    private func union(of region: DatabaseRegion, _ functions: TableFunctionRegions) -> DatabaseRegion {
        let all = functions.regions
        let named = all.filter { region.isModified(byEventsOfKind: .insert(tableName: $0.key.spelling)) }
        // A function may use itself, through other functions: each is looked at once.
        named.keys.forEach { functions.regions[$0] = nil }
        defer { functions.regions = all }
        return named.values.joined().reduce(region) { region, part in
            // What is not known may be anything.
            region.union((try? part.databaseRegion(self)) ?? .fullDatabase)
        }
    }
}
