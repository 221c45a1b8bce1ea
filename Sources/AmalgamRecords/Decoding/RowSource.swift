import AmalgamCore

/// The row that a record is being decoded from, for those who decode its properties.
///
/// One source serves all rows of a statement. It knows a row while `init(from:)` runs, and none in between: decoders and
/// containers that somebody keeps for longer throw.
final class RowSource {
    /// Whose strategies count.
    let recordType: any FetchableRecord.Type

    /// The columns that the row shows.
    let columns: StatementColumns

    /// Where they are in the statement; nil when all are where they show.
    private let baseIndexes: [Int]?

    private let hadDefaultKeys: Bool

    /// The row, which the caller of `reading` keeps.
    @exclusivity(unchecked)  // Decoders are used from one thread, and none of this calls itself.
    private var currentRow: Unmanaged<Row>?

    /// Where the values of the row are; nowhere while no record is being decoded.
    private var storage = RowStorageView.none

    /// The number of rows that were decoded before the current one.
    @exclusivity(unchecked)
    private(set) var rowNumber = 0

    /// The row of a source that serves for one row only, and for as long as somebody wants.
    private let ownRow: Row?

    /// - Parameter ownRow: a row that stays as it is; nil for a source that is given its rows.
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

    /// Where a column of the row is in the statement.
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

    /// The value of a column of a row that moves, when it converts easily.
    @inline(__always)
    func movingValue<Value: StatementColumnConvertible>(_ type: Value.Type, at base: Int) -> Value? {
        guard let statement = storage.statement else { return nil }
        return Value.fromStatement(statement, atUncheckedIndex: CInt(truncatingIfNeeded: base))
    }

    /// The value of a column that is of the kind that the type is made of; nil for other values, for a negative position,
    /// and while no record is being decoded.
    ///
    /// - Parameter base: the position of the column in the statement, or in the cells of a copy.
    @inline(__always)
    func value<Value: KeyedColumns.Scalar>(_ type: Value.Type, at base: Int) -> Value? {
        if base < 0 { return nil }
        if let statement = storage.statement {
            return Value.fromStatement(statement, atUncheckedIndex: CInt(truncatingIfNeeded: base))
        }
        return storage.cells.flatMap { Value.fromCell(base, of: $0) }
    }

    /// The row.
    ///
    /// - throws: a `DecodingError` when no record is being decoded.
    func row() throws -> Row {
        if let currentRow { return currentRow.takeUnretainedValue() }
        throw Self.outOfUse
    }

    /// The error of decoders and containers that somebody has kept for too long.
    static var outOfUse: DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription: "The decoder of a row is of no use once init(from:) has returned: copy what it gives."
            ))
    }

    // MARK: Columns

    /// Whether keys are the names of columns, now and when columns were looked for.
    var hasDefaultKeys: Bool { hadDefaultKeys && recordType.hasDefaultKeys }

    /// The position of the column of a key, or nil.
    func column(ofKey key: String) -> Int? {
        switch recordType.databaseColumnDecodingStrategy {
        case .useDefaultKeys: currentRow?.takeUnretainedValue().index(ofColumn: key)
        case .convertFromSnakeCase: keys.firstIndex(of: key) ?? columnEncoded(from: key)
        case .custom: keys.firstIndex(of: key)
        }
    }

    /// The position of the column that a key is encoded into.
    ///
    /// The column `player_id` is decoded as the key `playerId`. A property `playerID` is encoded into the same column.
    private func columnEncoded(from key: String) -> Int? {
        let name = SnakeCase.encode(key)
        return columns.names.firstIndex { $0.equalsIgnoringCase(name) }
    }

    /// The keys of the columns.
    private(set) lazy var keys: [String] = columns.names.map {
        recordType.databaseColumnDecodingStrategy.key(ofColumn: $0)
    }

    /// The name by which strategies know a column: as the record spells it.
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
