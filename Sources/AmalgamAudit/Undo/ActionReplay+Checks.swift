internal import AmalgamCore
internal import AmalgamSessions

// Comparing the rows of an action with the current ones.
extension ActionReplay {
    /// Returns what each place must contain, and adds the conflicts with changes by other code.
    ///
    /// An update conflicts if one of its columns has changed since, and a deletion if any column has.
    func targets(_ conflicts: inout [ChangeConflict]) throws -> [RowWriter.Target] {
        let mayBeRenumbered = try RecordedAction.schemaVersion(database) != action.schemaVersion
        var targets: [RowWriter.Target] = []
        for (number, rows) in Dictionary(grouping: action.rows, by: \.table).sorted(by: { $0.key < $1.key }) {
            let table = tables[number]
            let comparison = Comparison(
                database: database, table: table, width: action.tables[number].columns.count,
                comparesAll: mayBeRenumbered && table.insertsRowID)
            let reader = try RowReader(database, table)
            let copies = comparison.comparesAll ? try comparison.copies(rows.compactMap(from)) : [:]
            for row in rows {
                let (from, to) = (from(row), to(row))
                let current = try reader.image(at: row.place)
                var kind = try comparison.conflict(from, to, current)
                // VACUUM may have given the rowid to another row with the same values.
                if kind == nil, let from, comparison.comparesAll, copies[from, default: 0] != 1 { kind = .data }
                if let kind {
                    let shown = kind == .notFound ? nil : current
                    conflicts.append(table.conflict(kind, row.place, from: from, to: to, shown))
                } else {
                    let expected = try comparison.expected(from, to, current)
                    targets.append(
                        RowWriter.Target(table: number, place: row.place, current: current, expected: expected))
                }
            }
        }
        return targets
    }

    private func from(_ row: RecordedAction.Row) -> RowImage? { direction == .undo ? row.after : row.before }
    private func to(_ row: RecordedAction.Row) -> RowImage? { direction == .undo ? row.before : row.after }
}

/// Compares recorded images with the rows of a table, which may have additional columns at the end.
private struct Comparison {
    let database: Database
    let table: ImagedTable
    /// The number of recorded columns.
    let width: Int
    /// Whether all columns of an update must be unchanged, because the rowid alone doesn't tell whether this is the row.
    let comparesAll: Bool

    /// - Returns: nil if the row may be written.
    func conflict(_ from: RowImage?, _ to: RowImage?, _ current: RowImage?) throws -> ChangeConflict.Kind? {
        guard let from else { return current == nil ? nil : .conflict }
        guard let current else { return .notFound }
        let (old, now) = (from.values, current.values)
        let new = to?.values
        let differs = (0..<width).contains { column in
            (comparesAll || new == nil || new![column] != old[column]) && now[column] != old[column]
        }
        if differs { return .data }
        if new != nil { return nil }
        // A deletion would also delete what other code has written to columns that were added since.
        for column in width..<now.count where try table.defaultValue(database, ofColumn: column) != now[column] {
            return .data
        }
        return nil
    }

    func expected(_ from: RowImage?, _ to: RowImage?, _ current: RowImage?) throws -> RowImage? {
        guard let to else { return nil }
        guard let from, let current else { return try table.complete(to, database) }
        let (old, new) = (from.values, to.values)
        var values = current.values
        for column in 0..<width where new[column] != old[column] { values[column] = new[column] }
        return RowImage(values: values)
    }

    /// Counts the rows of the table that equal an image.
    func copies(_ images: [RowImage]) throws -> [RowImage: Int] {
        if images.isEmpty { return [:] }
        var counts = Dictionary(images.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })
        try database.unnoticed {
            let statement = try database.makeStatement(sql: table.scan)
            try statement.run(binding: { _ in 0 }) { row in
                let image = try RowImage(row, columns: 0..<width)
                if let count = counts[image] { counts[image] = count + 1 }
            }
        }
        return counts
    }
}

extension ImagedTable {
    /// Describes a conflict as the change of a changeset.
    ///
    /// - Parameter current: the current row, for the kinds `data` and `conflict`.
    func conflict(
        _ kind: ChangeConflict.Kind, _ place: RowPlace, from: RowImage?, to: RowImage?, _ current: RowImage?
    ) -> ChangeConflict {
        let hasKey = isPrimaryKey.contains(true)
        let rowID = hasKey ? [] : [place.rowID.databaseValue]
        func values(_ image: RowImage?) -> [DatabaseValue?] {
            guard let image else { return [] }
            return rowID + image.values.map { DatabaseValue(image: $0, encoding: encoding) }
        }
        var (old, new) = (values(from), values(to))
        if from != nil && to != nil {
            let (before, after) = (from!.values, to!.values)
            for column in before.indices where column < after.count && before[column] == after[column] {
                new[rowID.count + column] = nil
                if !isPrimaryKey[column] { old[rowID.count + column] = nil }
            }
            if !hasKey { new[0] = nil }
        }
        let change = RecordedChange(
            tableName: name, isPrimaryKey: (hasKey ? [] : [true]) + isPrimaryKey,
            operation: from == nil ? .insert : to == nil ? .delete : .update, old: old, new: new)
        return ChangeConflict(kind: kind, change: change, currentValues: current.map { values($0).map { $0 ?? .null } })
    }
}
