extension Row: RandomAccessCollection {
    /// The position of a column in a row.
    public struct Index: Strideable, Sendable {
        let index: Int

        public static func == (lhs: Index, rhs: Index) -> Bool { lhs.index == rhs.index }

        public static func < (lhs: Index, rhs: Index) -> Bool { lhs.index < rhs.index }

        public func distance(to other: Index) -> Int { other.index - index }

        public func advanced(by n: Int) -> Index { Index(index: index + n) }
    }

    public var startIndex: Index { Index(index: 0) }

    public var endIndex: Index { Index(index: count) }

    /// The name and the stored value of the column at a position. A position out of bounds is a programmer error and
    /// traps.
    public subscript(position: Index) -> (String, DatabaseValue) {
        checkIndex(position.index)
        return (columns.names[position.index], databaseValue(atUncheckedIndex: position.index))
    }

    /// The names of the columns, from left to right.
    public var columnNames: LazyMapCollection<Row, String> { lazy.map { $0.0 } }

    /// The stored values, from left to right.
    public var databaseValues: LazyMapCollection<Row, DatabaseValue> { lazy.map { $0.1 } }
}

extension Row: Hashable {
    /// Returns whether both rows have the same columns and values in the same order, the same scopes (parts of the row
    /// that adapters have named), and the same prefetched rows (those of to-many associations).
    public static func == (lhs: Row, rhs: Row) -> Bool {
        if lhs === rhs { return true }
        guard lhs.count == rhs.count, lhs.columns.names == rhs.columns.names else { return false }
        guard
            (0..<lhs.count).allSatisfy({
                lhs.databaseValue(atUncheckedIndex: $0) == rhs.databaseValue(atUncheckedIndex: $0)
            })
        else { return false }
        guard Set(lhs.scopes.names) == Set(rhs.scopes.names) else { return false }
        return lhs.scopes.allSatisfy { rhs.scopes[$0.name] == $0.row } && lhs.prefetches == rhs.prefetches
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (column, value) in self {
            hasher.combine(column)
            hasher.combine(value)
        }
    }
}

extension Row: CustomStringConvertible, CustomDebugStringConvertible {
    /// The columns and their values: `[id:1 name:"Anna"]`.
    public var description: String {
        "[" + map { "\($0.0):\($0.1)" }.joined(separator: " ") + "]"
    }

    /// The description, followed by the scopes and prefetched rows, if any.
    public var debugDescription: String {
        if layout == nil && prefetches.isEmpty { return description }
        var lines = ["▿ " + description]
        if layout != nil, unadapted.columns.names != columns.names || !scopes.isEmpty {
            lines.append("  unadapted: " + unadapted.description)
        }
        appendDetails(to: &lines, indentation: "  ")
        return lines.joined(separator: "\n")
    }

    private func appendDetails(to lines: inout [String], indentation: String) {
        for (name, row) in scopes.sorted(by: { $0.name < $1.name }) {
            lines.append("\(indentation)- \(name): \(row.description)")
            row.appendDetails(to: &lines, indentation: indentation + "  ")
        }
        for key in prefetchedRows.keys.sorted() {
            let rows = prefetchedRows[key] ?? []
            lines.append("\(indentation)+ \(key): \(rows.count) \(rows.count < 2 ? "row" : "rows")")
        }
    }
}
