public import AmalgamCore
public import AmalgamQuery

/// The columns that a record stores, with their values.
///
/// ```swift
/// struct Player: PersistableRecord {
///     var id: Int64
///     var name: String
///
///     func encode(to container: inout PersistenceContainer) {
///         container["id"] = id
///         container["name"] = name
///     }
/// }
/// ```
///
/// A container is a collection of column names with their stored values, in the order of the assignments.
public struct PersistenceContainer: @unchecked Sendable {
    // Sendable: the encoder is removed before a container is passed to another thread.

    // The names of the columns. Records of one type usually set the same columns in the same order. Therefore, a
    // container starts with the names of the previous record, and only the values are appended, as long as the columns
    // are set in this order. `names` may be longer than `values`: the last names then have no value yet.

    private var names: [String]

    private(set) var values: [StoredValue] = []

    /// The encoder of a derived `encode(to:)`, which is reused.
    var encoder: RecordEncoder?

    /// The writer of an `encode(to:)` that a macro has written, which is reused.
    var writer: RecordWriter?

    /// The parameters to which an `encode(to:)` that a macro has written binds its values, instead of storing them here.
    private(set) var parameters: UnsafeMutablePointer<StatementValues>?

    /// Creates an empty container.
    ///
    /// - Parameter names: the expected columns.
    init(expecting names: [String] = []) {
        self.names = names
        if !names.isEmpty { values.reserveCapacity(names.count) }
    }

    /// The columns that have a value.
    var columnNames: [String] { names.count == values.count ? names : Array(names.prefix(values.count)) }

    /// Encodes a record whose `encode(to:)` was written by a macro, and binds its values to the parameters of a
    /// statement.
    mutating func bind(_ record: some EncodableRecord, to values: inout StatementValues) throws {
        try withUnsafeMutablePointer(to: &values) { values in
            parameters = values
            defer { parameters = nil }
            try record.encode(to: &self)
        }
    }

    /// Sets the value of a column.
    @inline(__always)
    mutating func set(_ value: StoredValue, _ name: String) {
        if values.count < names.count, names[values.count] == name {
            values.append(value)
        } else {
            setUnexpected(value, name)
        }
    }

    private mutating func setUnexpected(_ value: StoredValue, _ name: String) {
        if let index = index(of: name) {
            values[index] = value
        } else {
            names.removeLast(names.count - values.count)
            names.append(name)
            values.append(value)
        }
    }

    /// Returns the position of a column that has a value. The name is case-insensitive.
    func index(of name: String) -> Int? {
        names.prefix(values.count).firstIndex { $0.equalsIgnoringCase(name) }
    }
}

extension PersistenceContainer {
    /// The value of a column. The name is case-insensitive.
    ///
    /// ```swift
    /// func encode(to container: inout PersistenceContainer) {
    ///     container["name"] = name
    /// }
    /// ```
    ///
    /// The returned value may have a different type than the assigned value, but both are stored as the same value. For
    /// example, an assigned `Int` is returned as an `Int64`.
    public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
        get { index(of: column).flatMap { values[$0].value } }
        set { set(StoredValue(newValue), column) }
    }

    /// The value of a column. The name is case-insensitive.
    ///
    /// ```swift
    /// func encode(to container: inout PersistenceContainer) {
    ///     container[Player.Columns.name] = name
    /// }
    /// ```
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        get { self[column.name] }
        set { self[column.name] = newValue }
    }

    /// The value of a typed column. The name is case-insensitive.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// func encode(to container: inout PersistenceContainer) {
    ///     container[score] = 10
    /// }
    /// ```
    ///
    /// The value is nil if the column has no value, or a value that can't be converted.
    public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value? {
        get { self[column.name].flatMap { try? column.value(ofStored: $0.databaseValue) } }
        set { self[column.name] = newValue.map(column.storedValue(of:)) }
    }

    /// The number of a typed column that stores a representation of its numbers. The name is case-insensitive.
    ///
    /// The value is nil if the column has no value, or a value that can't be converted.
    public subscript<Number: DatabaseValueConvertible>(_ column: TypedColumn<Represented<Number>>) -> Number? {
        get { self[column.asNumbers()] }
        set { self[column.asNumbers()] = newValue }
    }
}

extension PersistenceContainer: RandomAccessCollection {
    public typealias Index = Int

    public var startIndex: Int { 0 }

    public var endIndex: Int { values.count }

    /// The column name and the stored value at a position.
    public subscript(position: Int) -> (String, DatabaseValue) { (names[position], databaseValue(at: position)) }

    func databaseValue(at position: Int) -> DatabaseValue { values[position].databaseValue }

    /// The stored value of a column; NULL if the column has no value.
    func databaseValue(_ column: String) -> DatabaseValue { index(of: column).map(databaseValue(at:)) ?? .null }
}
