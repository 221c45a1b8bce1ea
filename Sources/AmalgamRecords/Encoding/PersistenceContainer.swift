public import AmalgamCore
public import AmalgamQuery

/// The columns that a record stores, and their values.
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
/// It is a collection of columns and stored values, in the order in which they were set.
public struct PersistenceContainer: @unchecked Sendable {
    // Sendable: the encoder is taken out before a container goes elsewhere.

    // Records of one type set the same columns in the same order. So the names of the last record are there already: a
    // column that is set is compared with the name at its position, and its value is added. Names that follow the last
    // value are only expected.

    private var names: [String]

    private(set) var values: [StoredValue] = []

    /// The encoder of a derived `encode(to:)`, which serves again.
    var encoder: RecordEncoder?

    /// An empty container.
    ///
    /// - Parameter names: the columns that are expected.
    init(expecting names: [String] = []) {
        self.names = names
        values.reserveCapacity(names.count)
    }

    /// The columns that were set.
    var columnNames: [String] { names.count == values.count ? names : Array(names.prefix(values.count)) }

    /// Sets a column.
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

    /// The position of a column that was set, whatever the case of its name.
    func index(of name: String) -> Int? {
        names.prefix(values.count).firstIndex { $0.equalsIgnoringCase(name) }
    }
}

extension PersistenceContainer {
    /// The value of a column, whatever the case of its name.
    ///
    /// The value that comes back is stored as the one that was set; it may be of another type.
    public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
        get { index(of: column).flatMap { values[$0].value } }
        set { set(StoredValue(newValue), column) }
    }

    /// The value of a column.
    ///
    /// ```swift
    /// container[Columns.name] = name
    /// ```
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        get { self[column.name] }
        set { self[column.name] = newValue }
    }
}

extension PersistenceContainer: RandomAccessCollection {
    public typealias Index = Int

    public var startIndex: Int { 0 }

    public var endIndex: Int { values.count }

    /// A column, and its stored value.
    public subscript(position: Int) -> (String, DatabaseValue) { (names[position], databaseValue(at: position)) }

    func databaseValue(at position: Int) -> DatabaseValue { values[position].databaseValue }

    /// The stored value of a column; NULL for one that was not set.
    func databaseValue(_ column: String) -> DatabaseValue { index(of: column).map(databaseValue(at:)) ?? .null }
}
