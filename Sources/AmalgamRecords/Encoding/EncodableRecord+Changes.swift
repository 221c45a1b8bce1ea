public import AmalgamCore

extension EncodableRecord {
    /// Returns whether two records store the same values in the columns that both records encode.
    ///
    /// ```swift
    /// var copy = player
    /// copy.score = 20
    /// player.databaseEquals(copy)   // false
    /// ```
    ///
    /// The result is false if a record can't be encoded.
    public func databaseEquals(_ record: Self) -> Bool {
        guard let columns = try? encoded(), let others = try? record.encoded() else { return false }
        return columns.changes(from: others).isEmpty
    }

    /// Returns the columns whose values differ from those of the given record, with the values of the given record.
    ///
    /// ```swift
    /// let oldPlayer = player
    /// player.score = 20
    /// let changes = try player.databaseChanges(from: oldPlayer)   // ["score": 10]
    /// ```
    ///
    /// The names of columns are case-insensitive. Columns that only the given record encodes are ignored. A column that
    /// only this record encodes was NULL in a record of another type, and is ignored in one of the same type.
    ///
    /// - Throws: errors of ``encode(to:)``.
    public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
        try encoded().changes(from: record.encoded(), ofSameType: isSameType(as: record)).dictionary
    }

    /// Whether two records have the same dynamic type.
    func isSameType(as record: some EncodableRecord) -> Bool { type(of: self) as Any.Type == type(of: record) }

    /// Modifies the record, and returns the columns that have changed, with their old values.
    ///
    /// ```swift
    /// let changes = try player.databaseChanges { $0.score = 20 }   // ["score": 10]
    /// ```
    ///
    /// - Throws: errors of ``encode(to:)``, and of the closure.
    public mutating func databaseChanges(modify: (inout Self) throws -> Void) throws -> [String: DatabaseValue] {
        let old = try encoded()
        try modify(&self)
        return try encoded().changes(from: old).dictionary
    }
}

/// Changed columns, with their old values.
typealias ColumnChanges = [(column: String, oldValue: DatabaseValue)]

extension ColumnChanges {
    var dictionary: [String: DatabaseValue] {
        Dictionary(map { ($0.column, $0.oldValue) }, uniquingKeysWith: { first, _ in first })
    }
}

extension PersistenceContainer {
    /// Returns the columns whose values differ from those of an older container, with the older values. Columns that
    /// only one of the two containers has are ignored.
    ///
    /// - Parameter ofSameType: Whether the containers belong to records of the same type. Otherwise, a column that the
    ///   older container doesn't have was NULL.
    func changes(from old: PersistenceContainer, ofSameType: Bool = true) -> ColumnChanges {
        // Records of one type usually have the same columns in the same order.
        let oldNames = old.columnNames
        var changes: ColumnChanges = []
        for (position, name) in columnNames.enumerated() {
            let oldPosition =
                position < oldNames.count && oldNames[position] == name ? position : old.index(of: name)
            if let oldPosition {
                if values[position].isStored(as: old.values[oldPosition]) { continue }
                changes.append((name, old.databaseValue(at: oldPosition)))
            } else if !ofSameType, !values[position].isNull {
                changes.append((name, .null))
            }
        }
        return changes
    }
}
