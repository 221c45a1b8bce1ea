/// What is known of some rows of a table: their rowids, and values that columns have in each of them.
///
/// Rows are those that meet all that is known; nothing known means all rows. A row that does not belong to them is not
/// needed, and others may be there by mistake: a union takes in more than its parts, whenever that is simpler.
package struct KnownRows: Equatable, Sendable {
    /// Nil for any.
    package var rowIDs: Set<Int64>?

    /// The values of columns. They are integers, texts and blobs that are equal to the values of rows if and only if they are
    /// the same: see ``ColumnComparison/tellsApart(_:)``.
    package var values: [TableName: Set<DatabaseValue>]

    package init(rowIDs: Set<Int64>? = nil, values: [TableName: Set<DatabaseValue>] = [:]) {
        self.rowIDs = rowIDs
        self.values = values
    }

    /// Whether the rows are all rows.
    package var areAll: Bool { rowIDs == nil && values.isEmpty }

    /// Whether there is no such row.
    package var isEmpty: Bool { rowIDs?.isEmpty ?? false || values.contains { $0.value.isEmpty } }

    /// The rows of both, and maybe more: `(a, b)` in `(1, 2)` or `(3, 4)` are also `(1, 4)` and `(3, 2)`.
    func union(_ other: KnownRows) -> KnownRows {
        var result = KnownRows()
        if let rowIDs, let otherRowIDs = other.rowIDs { result.rowIDs = rowIDs.union(otherRowIDs) }
        for (column, values) in values {
            if let otherValues = other.values[column] { result.values[column] = values.union(otherValues) }
        }
        return result
    }

    func intersection(_ other: KnownRows) -> KnownRows {
        var result = self
        if let otherRowIDs = other.rowIDs { result.rowIDs = rowIDs?.intersection(otherRowIDs) ?? otherRowIDs }
        result.values.merge(other.values) { $0.intersection($1) }
        return result
    }
}

extension ColumnComparison {
    /// Whether a column holds a value that is equal to this one, if and only if it holds the same: no conversion, and no
    /// collation, makes others equal. <https://www.sqlite.org/datatype3.html#comparisons>
    ///
    /// A real may be equal to an integer. Where one is stored, it is taken for the integer: see
    /// ``DatabaseValue/integerIfEqual``.
    package func tellsApart(_ value: DatabaseValue) -> Bool {
        switch value.storage {
        case .null, .double: false
        case .int64: affinity != .text
        case .string: affinity != .numeric && collation == .binary && value.isStorable
        case .blob: value.isStorable
        }
    }
}

extension DatabaseValue {
    /// The integer that is equal to the value, if there is one, and else the value.
    package var integerIfEqual: DatabaseValue {
        guard case .double(let double) = storage, let integer = Int64(exactly: double) else { return self }
        return integer.databaseValue
    }
}
