import AmalgamCore

/// The source of the row that a record is decoded from.
///
/// One source serves all rows of a statement. It has a row only while `init(from:)` of the record runs: if the record
/// stores its decoder or a container, and uses it later, `row()` throws an error. Only a source that was created with a
/// copied row (`ownRow`) has this row at all times. A source is used from one thread.
final class RowSource {
    /// The record type whose strategies apply.
    let recordType: any FetchableRecord.Type

    /// The columns of the row.
    let columns: StatementColumns

    /// The positions of these columns in the statement; nil if they are the positions in the row.
    private let baseIndexes: [Int]?

    private let hadDefaultKeys: Bool

    /// The current row. The caller of `reading` retains it.
    @exclusivity(unchecked)  // Decoders are used from one thread, and accesses never overlap.
    private var currentRow: Unmanaged<Row>?

    /// The storage of the current row's values; `.none` while no record is being decoded.
    private var storage = RowStorageView.none

    /// The number of rows decoded before the current one.
    @exclusivity(unchecked)
    private(set) var rowNumber = 0

    /// The row of a source that serves a single row, and that can be retained.
    private let ownRow: Row?

    /// - Parameter ownRow: a copied row; nil for a source that receives its rows in `reading(_:_:)`.
    init(_ recordType: any FetchableRecord.Type, _ row: Row, keeping ownRow: Row? = nil) {
        self.recordType = recordType
        self.ownRow = ownRow
        columns = row.columns
        hadDefaultKeys = recordType.hasDefaultKeys
        baseIndexes = row.layout?.baseIndexes
        currentRow = ownRow.map(Unmanaged.passUnretained)
    }

    /// Whether a record is being decoded.
    var isReading: Bool { currentRow != nil }

    /// Returns the position of a column in the statement.
    func baseIndex(_ index: Int) -> Int { baseIndexes?[index] ?? index }

    /// Runs a closure that decodes a row.
    @inline(__always)
    func reading<T>(_ row: Row, _ body: () throws -> T) rethrows -> T {
        currentRow = Unmanaged.passUnretained(row)
        storage = row.storageView
        defer {
            rowNumber &+= 1
            currentRow = ownRow.map(Unmanaged.passUnretained)
            storage = .none
        }
        return try body()
    }

    /// The value of a column, read from the statement; nil if the row is a copy, or if the value needs a conversion.
    @inline(__always)
    func movingValue<Value: StatementColumnConvertible>(_ type: Value.Type, at base: Int) -> Value? {
        guard let statement = storage.statement else { return nil }
        return Value.fromStatement(statement, atUncheckedIndex: CInt(truncatingIfNeeded: base))
    }

    /// Returns the value of a column, if it has the storage class of the requested type, such as INTEGER for `Int`.
    /// For other storage classes, returns the converted value if the row is attached to a statement, or nil. Returns
    /// nil for a negative position, and while no record is being decoded.
    ///
    /// - Parameter base: the position of the column in the statement, or in the cells of a copied row.
    @inline(__always)
    func value<Value: KeyedColumns.Scalar>(_ type: Value.Type, at base: Int) -> Value? {
        if base < 0 { return nil }
        if let statement = storage.statement {
            return Value.fromStatement(statement, atUncheckedIndex: CInt(truncatingIfNeeded: base))
        }
        return storage.cells.flatMap { Value.fromCell(base, of: $0) }
    }

    /// Returns the current row.
    ///
    /// - Throws: a `DecodingError` if no record is being decoded.
    func row() throws -> Row {
        if let currentRow { return currentRow.takeUnretainedValue() }
        throw Self.outOfUse
    }

    /// The error of decoders and containers that are used after `init(from:)` has returned.
    static var outOfUse: DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription: "The decoder of a row is of no use once init(from:) has returned: copy what it gives."
            ))
    }

    // MARK: Columns

    /// Whether keys are column names, both now and when the columns were looked up.
    var hasDefaultKeys: Bool { hadDefaultKeys && recordType.hasDefaultKeys }

    /// Returns the position of the column of a key, or nil.
    func column(ofKey key: String) -> Int? {
        switch recordType.databaseColumnDecodingStrategy {
        case .useDefaultKeys: currentRow?.takeUnretainedValue().index(ofColumn: key)
        case .convertFromSnakeCase: keys.firstIndex(of: key) ?? columnEncoded(from: key)
        case .custom: keys.firstIndex(of: key)
        }
    }

    /// Returns the position of the column whose name is the key in snake case.
    ///
    /// For example, the key `playerID` is found in the column `player_id`. The opposite conversion, of the column name
    /// to camel case, wouldn't find the column: its result is `playerId`.
    private func columnEncoded(from key: String) -> Int? {
        let name = SnakeCase.encode(key)
        return columns.names.firstIndex { $0.equalsIgnoringCase(name) }
    }

    /// The coding keys of the columns.
    private(set) lazy var keys: [String] = columns.names.map {
        recordType.databaseColumnDecodingStrategy.key(ofColumn: $0)
    }

    /// Returns the column name passed to strategies, in the record's spelling.
    func strategyName(ofKey key: String, column: Int) -> String {
        switch recordType.databaseColumnDecodingStrategy {
        case .useDefaultKeys: key
        default: columns.names[column]
        }
    }
}

extension FetchableRecord {
    fileprivate static var hasDefaultKeys: Bool {
        if case .useDefaultKeys = databaseColumnDecodingStrategy { true } else { false }
    }
}
