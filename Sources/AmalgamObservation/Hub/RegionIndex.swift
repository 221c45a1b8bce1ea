import AmalgamCore

/// The tracked regions, by table. A change of one table takes no time for the observations of other tables.
struct RegionIndex {
    /// The region of one observation in one table.
    struct Entry {
        let member: any RunningObservation
        /// Nil for all columns.
        let columns: Set<TableName>?
        let rows: KnownRows
    }

    private typealias Entries = IdentifiedElements<Entry>

    private var tables: [TableName: Entries] = [:]
    private var fullDatabase = Entries()

    var isEmpty: Bool { tables.isEmpty && fullDatabase.isEmpty }

    mutating func add(_ member: any RunningObservation, _ region: DatabaseRegion) {
        guard let parts = region.parts else {
            return fullDatabase.append(Entry(member: member, columns: nil, rows: KnownRows()), id: member.id)
        }
        for part in parts {
            tables[part.table, default: Entries()].append(
                Entry(member: member, columns: part.columns, rows: part.rows), id: member.id)
        }
    }

    mutating func remove(_ member: any RunningObservation, _ region: DatabaseRegion) {
        guard let parts = region.parts else { return fullDatabase.remove(member.id) }
        for part in parts {
            tables[part.table]?.remove(member.id)
            if tables[part.table]?.isEmpty == true { tables[part.table] = nil }
        }
    }

    /// Returns the regions of the observations that track a table, in the order in which they were added.
    func entries(of table: String) -> [Entry] {
        let entries = tables[TableName(table)]?.all ?? []
        return fullDatabase.isEmpty ? entries : entries + fullDatabase.all
    }
}

extension RegionIndex.Entry {
    /// Whether a kind of change of its table affects the entry.
    func concerns(_ kind: DatabaseEventKind) -> Bool { columns.concerns(kind) }
}

extension Set<TableName>? {
    /// Whether a kind of change of a table affects at least one of these columns. Nil means all columns.
    ///
    /// An update of the rowid counts as an update of all columns, for two reasons. The rowid has several names:
    /// `UPDATE player SET rowid = 2` also changes `id`, if `id` is the INTEGER PRIMARY KEY. And a region may identify
    /// rows by the rowid.
    fileprivate func concerns(_ kind: DatabaseEventKind) -> Bool {
        guard let self, case .update(_, let names) = kind else { return true }
        return names.contains { $0 == "ROWID" || self.contains(TableName($0)) }
    }
}

extension DatabaseRegion {
    /// Whether a kind of change affects the region, whatever the rows.
    func isConcerned(by kind: DatabaseEventKind) -> Bool {
        guard let parts else { return true }
        let table = TableName(kind.tableName)
        return parts.contains { $0.table == table && $0.columns.concerns(kind) }
    }
}
