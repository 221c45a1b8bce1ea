public import AmalgamCore
public import AmalgamRecords

/// A value, and the number of rows that have it.
///
/// ```swift
/// let authors = try Document.matching("sqlite").facet(by: Document.Columns.author, as: String.self).fetchAll(db)
/// // [FacetCount(value: "Anna", count: 12), FacetCount(value: nil, count: 3)]
/// ```
public struct FacetCount<Value: DatabaseValueConvertible>: FetchableRecord {
    /// The value; nil stands for NULL.
    public var value: Value?

    /// The number of rows with this value.
    public var count: Int

    /// Creates a count.
    public init(value: Value?, count: Int) {
        self.value = value
        self.count = count
    }

    /// - Throws: A ``RowDecodingError`` if the value can't be decoded as `Value`.
    public init(row: Row) throws {
        // `DatabaseValue` decodes NULL to a value, but a `nil` value stands for NULL here.
        let isNull = try row.decode(DatabaseValue.self, forColumn: "value").isNull
        value = isNull ? nil : try row.decode(forColumn: "value")
        count = try row.decode(forColumn: "count")
    }
}

extension FacetCount: Sendable where Value: Sendable {}

extension FacetCount: Equatable where Value: Equatable {}

extension FacetCount: Hashable where Value: Hashable {}
