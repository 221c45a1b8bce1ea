import CAmalgam
import Foundation

/// A row of a query result: the names of its columns, and their values.
///
/// ```swift
/// let row = try Row.fetchOne(db, sql: "SELECT id, name FROM player WHERE id = 1")!
/// let id: Int64 = row[0]             // by position
/// let name = row["name"] as String?  // by name, in any case
/// ```
///
/// A row of a cursor reads from the cursor's statement. If the application still retains this row when the cursor
/// moves, or is released, the row keeps a copy of its values. After the access of the cursor, use only copies: see
/// ``copy()``. Rows from `fetchAll`, `fetchOne`, `fetchSet` and dictionaries are copies.
///
/// Subscripts trap if a value can't be converted, or if a column is missing and the type isn't optional: these are
/// programmer errors. `decode` throws an error instead. Use ``DatabaseValue`` for a value of unknown type.
public final class Row {
    // A row reads its values from the statement that its cursor steps (a live row), or from cells, which are copies of
    // the values. A row that shows a part of another row, such as a scope (the columns of one joined table), reads
    // through its `owner`, the whole row.

    /// The live statement of a row without an adapter: the fastest path to a value.
    @exclusivity(unchecked)  // Only `detach` changes it, and nothing reads it during the change.
    @usableFromInline
    package private(set) var plainStatement: SQLiteStatement?

    @exclusivity(unchecked)
    private var ownStatement: Statement?

    @exclusivity(unchecked)
    private var ownCells: UnsafeMutablePointer<amalgam_cell>?

    /// The whole row, if this row is a view of it.
    private let owner: Row?

    /// The batch that owns the cells; nil if the row owns them.
    private let batch: RowBatch?

    @exclusivity(unchecked)
    private var ownIsStrict = false

    /// Whether the row reads through another row.
    var isView: Bool { owner != nil }

    /// The statement from which the row reads; nil for a copy.
    package var statement: Statement? { if let owner { owner.ownStatement } else { ownStatement } }

    /// The cells of a copy.
    var cells: UnsafeMutablePointer<amalgam_cell>? { if let owner { owner.ownCells } else { ownCells } }

    /// Whether the cells are copies from a connection with ``Configuration/strictDecoding``.
    var isStrict: Bool { if let owner { owner.ownIsStrict } else { ownIsStrict } }

    /// The names of the columns that the row shows.
    @usableFromInline
    package let columns: StatementColumns

    /// The columns of the statement, or of the cells, that the row shows; nil for all columns.
    package let layout: RowLayout?

    /// The number of columns.
    public let count: Int

    /// Predicts the position of the next column. It is created for the first column that is read by its name. A copied
    /// row has no predictor: it is searched linearly.
    @exclusivity(unchecked)  // Not accessed during a change.
    @usableFromInline
    private(set) var predictor: ColumnPredictor?

    private let hasPredictor: Bool

    /// The rows fetched for to-many associations, by key.
    package var prefetches: [String: PrefetchedRows] = [:]

    @exclusivity(unchecked)  // Not accessed during a change, like the next property.
    private var ownDecodingPlans: AnyObject?

    @exclusivity(unchecked)
    private var borrowedDecodingPlans: Unmanaged<AnyObject>?

    /// Decoding plans: data that decoders cache about the columns of this row, and reuse for the next rows of the
    /// cursor.
    ///
    /// The row retains plans passed to `keepDecodingPlans`, but not those passed to `borrowDecodingPlans`.
    package var decodingPlans: Unmanaged<AnyObject>? {
        borrowedDecodingPlans ?? ownDecodingPlans.map(Unmanaged.passUnretained)
    }

    package func keepDecodingPlans(_ plans: AnyObject?) { ownDecodingPlans = plans }

    /// See `positions(of:)`.
    @exclusivity(unchecked)
    @usableFromInline
    var latestPositions: _RowPositions?

    @exclusivity(unchecked)
    var firstPositions: (positions: ColumnPositions, flag: Bool)?

    @exclusivity(unchecked)
    var otherPositions: [(positions: ColumnPositions, flag: Bool)] = []

    /// Sets plans that the row doesn't retain. The caller retains them until it sets nil.
    package func borrowDecodingPlans(_ plans: AnyObject?) {
        borrowedDecodingPlans = plans.map(Unmanaged.passUnretained)
    }

    /// Creates a row that moves with a statement.
    @usableFromInline
    package init(_ statement: Statement, layout: RowLayout? = nil) {
        ownStatement = statement
        self.layout = layout
        plainStatement = layout == nil ? statement.sqliteStatement : nil
        ownCells = nil
        owner = nil
        batch = nil
        columns = layout?.columns ?? statement.columns
        count = columns.names.count
        hasPredictor = true
    }

    /// Returns the position of a column, found by its name, and creates the predictor.
    @usableFromInline
    func firstIndex(ofColumn name: String) -> Int? {
        guard hasPredictor else { return columns.index(of: name) }
        let predictor = ColumnPredictor(columns)
        self.predictor = predictor
        return predictor.index(of: name, in: columns)
    }

    /// Creates a row that owns its cells.
    init(
        cells: UnsafeMutablePointer<amalgam_cell>, columns: StatementColumns, layout: RowLayout? = nil,
        isStrict: Bool = false
    ) {
        ownCells = cells
        ownIsStrict = isStrict
        self.layout = layout
        self.columns = layout?.columns ?? columns
        plainStatement = nil
        ownStatement = nil
        owner = nil
        batch = nil
        count = self.columns.names.count
        hasPredictor = false
    }

    /// Creates a row of a batch, which owns the cells.
    init(_ batch: RowBatch, _ cells: UnsafeMutablePointer<amalgam_cell>) {
        ownCells = cells
        layout = batch.layout
        columns = batch.columns
        ownIsStrict = batch.isStrict
        self.batch = batch
        plainStatement = nil
        ownStatement = nil
        owner = nil
        count = columns.names.count
        hasPredictor = false
    }

    /// Turns the row into a different row of its batch. The row object must be uniquely referenced.
    func move(to cells: UnsafeMutablePointer<amalgam_cell>) { ownCells = cells }

    /// Creates a view of a row, with a different layout.
    init(_ base: Row, layout: RowLayout?, columns: StatementColumns) {
        self.layout = layout
        self.columns = columns
        ownStatement = nil
        plainStatement = nil
        ownCells = nil
        owner = base.owner ?? base
        batch = nil
        count = columns.names.count
        hasPredictor = false
    }

    deinit {
        if batch == nil, let ownCells { amalgam_row_free(ownCells) }
        predictor?.deallocate()
    }

    /// Creates a copy of the current row of a statement.
    ///
    /// - Throws: `SQLITE_NOMEM` if memory is exhausted.
    package convenience init(copying statement: Statement, layout: RowLayout? = nil) throws {
        try self.init(copying: statement, statement.columns, layout: layout)
    }

    /// Creates a copy of the current row of a statement that has these columns.
    convenience init(copying statement: Statement, _ columns: StatementColumns, layout: RowLayout?) throws {
        let cells = try Self.copyCells(of: statement, count: Self.cellCount(layout, columns))
        self.init(cells: cells, columns: columns, layout: layout, isStrict: statement.decodesStrictly)
    }

    /// The number of cells in a copy of a row. If SQLite has recompiled the statement after a schema change, the layout
    /// may have more columns than the statement. The additional cells are NULL.
    private static func cellCount(_ layout: RowLayout?, _ columns: StatementColumns) -> Int {
        layout?.baseColumns.names.count ?? columns.names.count
    }

    /// Copies the values of the current row of a statement.
    static func copyCells(of statement: Statement, count: Int) throws -> UnsafeMutablePointer<amalgam_cell> {
        if let cells = amalgam_row_copy(statement.sqliteStatement, CInt(count)) { return cells }
        throw DatabaseError(resultCode: .SQLITE_NOMEM)
    }

    /// Turns a live row into a copy, in place.
    @usableFromInline
    package func detach() {
        ownDecodingPlans = nil
        latestPositions = nil
        guard let ownStatement else { return }
        let count = Self.cellCount(layout, columns)
        guard let cells = amalgam_row_copy(ownStatement.sqliteStatement, CInt(count)) else {
            fatalError("out of memory")
        }
        ownCells = cells
        ownIsStrict = ownStatement.decodesStrictly
        self.ownStatement = nil
        plainStatement = nil
    }

    /// Creates a row without columns.
    public convenience init() {
        self.init([] as [(String, DatabaseValue)])
    }

    /// Returns a copy that doesn't change when the cursor moves. Scopes and prefetched rows are copied too.
    ///
    /// ```swift
    /// let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
    /// let firstRow = try rows.next()?.copy()
    /// ```
    public func copy() -> Row {
        guard let statement else { return self }
        let columns = statement.columns
        guard let cells = amalgam_row_copy(statement.sqliteStatement, CInt(Self.cellCount(layout, columns))) else {
            fatalError("out of memory")
        }
        let row = Row(cells: cells, columns: columns, layout: layout, isStrict: statement.decodesStrictly)
        row.prefetches = prefetches
        return row
    }
}

// Not Sendable: the rows of a cursor read from its statement.
@available(*, unavailable)
extension Row: Sendable {}

// MARK: - Building

extension Row: ExpressibleByDictionaryLiteral {
    /// Creates a row with the columns of a dictionary literal, in order. Names may be repeated.
    ///
    /// ```swift
    /// let row: Row = ["id": 1, "name": "Anna"]
    /// ```
    public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements.map { ($0.0, $0.1?.databaseValue ?? .null) })
    }

    /// Creates a row with the columns of a dictionary, in the order of the dictionary.
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(dictionary.map { ($0.key, $0.value?.databaseValue ?? .null) })
    }

    /// Creates a row with columns whose names and types are only known at run time.
    ///
    /// The result is nil if a key isn't a string, or if a value has no database representation.
    public convenience init?(_ dictionary: [AnyHashable: Any]) {
        var elements: [(String, DatabaseValue)] = []
        for (key, element) in dictionary {
            guard let name = key.base as? String, let value = DatabaseValue(value: element) else { return nil }
            elements.append((name, value))
        }
        self.init(elements)
    }

    package convenience init(_ elements: [(String, DatabaseValue)]) {
        self.init(cells: makeCells(elements.map(\.1)), columns: StatementColumns(names: elements.map(\.0)))
    }
}

/// Allocates cells for values, in the format of `amalgam_row_copy`: the cells, followed by the bytes of strings and
/// blobs.
private func makeCells(_ values: [DatabaseValue]) -> UnsafeMutablePointer<amalgam_cell> {
    let stride = MemoryLayout<amalgam_cell>.stride
    let head = stride * max(1, values.count)
    let byteCount = values.reduce(head) { $0 + $1.byteCount }
    guard let cells = amalgam_row_allocate(byteCount) else { fatalError("out of memory") }
    let memory = UnsafeMutableRawPointer(cells)
    var offset = head
    func append(_ bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress { (memory + offset).copyMemory(from: start, byteCount: bytes.count) }
        offset += bytes.count
    }
    for (index, value) in values.enumerated() {
        var cell = amalgam_cell(payload: 0, length: Int32(clamping: value.byteCount), type: SQLITE_NULL)
        switch value.storage {
        case .null:
            break
        case .int64(let integer):
            (cell.type, cell.payload) = (SQLITE_INTEGER, integer)
        case .double(let double):
            (cell.type, cell.payload) = (SQLITE_FLOAT, Int64(bitPattern: double.bitPattern))
        case .string(var string):
            (cell.type, cell.payload) = (SQLITE_TEXT, Int64(offset))
            string.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        case .blob(let data):
            (cell.type, cell.payload) = (SQLITE_BLOB, Int64(offset))
            data.withUnsafeBytes(append)
        }
        cells[index] = cell
    }
    return cells
}

extension DatabaseValue {
    /// The number of bytes of a string or blob.
    fileprivate var byteCount: Int {
        switch storage {
        case .string(let string): string.utf8.count
        case .blob(let data): data.count
        default: 0
        }
    }
}
