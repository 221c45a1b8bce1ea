/// A set of rows of a table, described by two kinds of conditions: the rowids, and the values of some columns.
///
/// The set contains the rows that meet all conditions, or all rows if there are no conditions. A union may contain more
/// rows than the two sets, if this is simpler to describe, but never fewer.
package struct KnownRows: Equatable, Sendable {
    /// The rowids; nil for all rows.
    package var rowIDs: Set<Int64>?

    /// For each column with a condition, the values that the column has in the rows of the set: `[teamId: [1, 2]]` for
    /// `teamId IN (1, 2)`. All values are integers, strings and blobs for which ``ColumnComparison/tellsApart(_:)`` is
    /// true, so comparing values in Swift gives the same result as SQL.
    package var values: [TableName: Set<DatabaseValue>]

    package init(rowIDs: Set<Int64>? = nil, values: [TableName: Set<DatabaseValue>] = [:]) {
        self.rowIDs = rowIDs
        self.values = values
    }

    /// Whether the set contains all rows, without conditions.
    package var areAll: Bool { rowIDs == nil && values.isEmpty }

    /// Whether the set is empty.
    package var isEmpty: Bool { rowIDs?.isEmpty ?? false || values.contains { $0.value.isEmpty } }

    /// Returns a set with the rows of both sets, and possibly more: the union of `(a, b) = (1, 2)` and `(3, 4)` also
    /// contains `(1, 4)` and `(3, 2)`.
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
    /// Returns whether comparing values of the column with the given value gives the same result in Swift as in SQL.
    /// For this comparison, convert values of the column by ``DatabaseValue/integerIfEqual``: the INTEGER 1 equals the
    /// REAL 1.0 in SQL.
    ///
    /// Returns false if the affinity or the collation of the column may make different values equal, such as `'a'` and
    /// `'A'` with the collation NOCASE. Also returns false for NULL and for a REAL. See
    /// <https://www.sqlite.org/datatype3.html#comparisons>.
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
    /// The integer that is equal to the value, or the value itself if there is none.
    package var integerIfEqual: DatabaseValue {
        guard case .double(let double) = storage, let integer = Int64(exactly: double) else { return self }
        return integer.databaseValue
    }
}
