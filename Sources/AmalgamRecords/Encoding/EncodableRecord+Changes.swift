public import AmalgamCore

extension EncodableRecord {
    /// Whether two records store the same values in the columns that both of them have.
    ///
    /// A record that doesn't encode is equal to no record.
    public func databaseEquals(_ record: Self) -> Bool {
        guard let columns = try? encoded(), let others = try? record.encoded() else { return false }
        return columns.changes(from: others).isEmpty
    }

    /// The columns that differ from those of another record, with the values they have there.
    ///
    /// ```swift
    /// let changes = try player.databaseChanges(from: oldPlayer)   // ["score": 10]
    /// ```
    ///
    /// Only columns that both records have are compared.
    ///
    /// - throws: errors of ``encode(to:)``.
    public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
        try encoded().changes(from: record.encoded()).dictionary
    }

    /// Changes the record, and returns the columns that differ then, with their old values.
    ///
    /// ```swift
    /// let changes = try player.databaseChanges { $0.score = 20 }   // ["score": 10]
    /// ```
    ///
    /// - throws: errors of ``encode(to:)``, and of the closure.
    public mutating func databaseChanges(modify: (inout Self) throws -> Void) throws -> [String: DatabaseValue] {
        let old = try encoded()
        try modify(&self)
        return try encoded().changes(from: old).dictionary
    }
}

/// Columns that have changed, with their old values.
typealias ColumnChanges = [(column: String, oldValue: DatabaseValue)]

extension ColumnChanges {
    var dictionary: [String: DatabaseValue] {
        Dictionary(map { ($0.column, $0.oldValue) }, uniquingKeysWith: { first, _ in first })
    }
}

extension PersistenceContainer {
    /// The columns that differ from those of another container. Columns that only one of them has don't count.
    func changes(from old: PersistenceContainer) -> ColumnChanges {
        // Records of one type have the same columns in the same order, in general.
        let oldNames = old.columnNames
        var changes: ColumnChanges = []
        for (position, name) in columnNames.enumerated() {
            let oldPosition =
                position < oldNames.count && oldNames[position] == name ? position : old.index(of: name)
            guard let oldPosition, !values[position].isStored(as: old.values[oldPosition]) else { continue }
            changes.append((name, old.databaseValue(at: oldPosition)))
        }
        return changes
    }
}
