public import AmalgamCore
public import AmalgamRecords

/// A value, and how many rows have it.
///
/// ```swift
/// let authors = try Document.matching("sqlite").facet(by: Document.Columns.author, as: String.self).fetchAll(db)
/// // [FacetCount(value: "Anna", count: 12), FacetCount(value: nil, count: 3)]
/// ```
public struct FacetCount<Value: DatabaseValueConvertible>: FetchableRecord {
    /// The value; nil for NULL.
    public var value: Value?

    /// How many rows have it.
    public var count: Int

    /// A value, and how many rows have it.
    public init(value: Value?, count: Int) {
        self.value = value
        self.count = count
    }

    /// - throws: a ``RowDecodingError`` for a value of another type.
    public init(row: Row) throws {
        // NULL is a `DatabaseValue` as well, and no value here.
        let isNull = try row.decode(DatabaseValue.self, forColumn: "value").isNull
        value = isNull ? nil : try row.decode(forColumn: "value")
        count = try row.decode(forColumn: "count")
    }
}

extension FacetCount: Sendable where Value: Sendable {}

extension FacetCount: Equatable where Value: Equatable {}

extension FacetCount: Hashable where Value: Hashable {}
