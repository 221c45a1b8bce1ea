import CAmalgam
import Foundation

/// A row: column names, and their values.
///
/// ```swift
/// let row = try Row.fetchOne(db, sql: "SELECT id, name FROM player WHERE id = 1")!
/// let id: Int64 = row[0]             // by position
/// let name = row["name"] as String?  // by name, whatever its case
/// ```
///
/// The row of a cursor moves with the statement, and is used again for the next one. A row that somebody keeps becomes
/// a copy before the cursor moves. Rows that come from `fetchAll`, `fetchOne` and `fetchSet`, or from a dictionary, are
/// copies from the start.
///
/// Reading a column that does not hold the expected type is a programmer error, and traps; so does a missing
/// column, unless the type is optional. Use `decode` for an error in the place of the trap, and ``DatabaseValue``
/// to look at what is there.
public final class Row {
    // A row reads either from a live statement, or from cells that it owns. A part of a row reads through that row.

    /// The live statement of a row without an adapter: the shortest way to a value.
    @exclusivity(unchecked)  // Only `detach` changes it, and nobody reads it meanwhile.
    @usableFromInline
    package private(set) var plainStatement: SQLiteStatement?

    @exclusivity(unchecked)
    private var ownStatement: Statement?

    @exclusivity(unchecked)
    private var ownCells: UnsafeMutablePointer<amalgam_cell>?

    /// The whole row, when this is a part of it.
    private let owner: Row?

    /// Who owns the cells, when it is not the row.
    private let batch: RowBatch?

    /// The live statement. It also tells errors where they come from.
    package var statement: Statement? { if let owner { owner.ownStatement } else { ownStatement } }

    /// The cells of a copy.
    var cells: UnsafeMutablePointer<amalgam_cell>? { if let owner { owner.ownCells } else { ownCells } }

    /// The names of the columns that the row shows.
    @usableFromInline
    package let columns: StatementColumns

    /// Which columns of the statement, or of the cells, the row shows; nil for all of them.
    package let layout: RowLayout?

    /// The number of columns.
    public let count: Int

    /// Finds columns by name, in rows that move with a statement. Copies are many and read once: they scan.
    @usableFromInline
    let predictor: ColumnPredictor?

    /// The rows fetched for associations to many, by key.
    package var prefetches: [String: PrefetchedRows] = [:]

    @exclusivity(unchecked)  // As the next one: it is not used while it changes.
    private var ownDecodingPlans: AnyObject?

    @exclusivity(unchecked)
    private var borrowedDecodingPlans: Unmanaged<AnyObject>?

    /// What those who decode rows have found out about the columns of this one, and can use again when it moves.
    ///
    /// The row keeps what it gets here, and does not keep what it borrows.
    package var decodingPlans: Unmanaged<AnyObject>? {
        borrowedDecodingPlans ?? ownDecodingPlans.map(Unmanaged.passUnretained)
    }

    package func keepDecodingPlans(_ plans: AnyObject?) { ownDecodingPlans = plans }

    /// Until it gets nil here, whoever lends the plans keeps them.
    package func borrowDecodingPlans(_ plans: AnyObject?) {
        borrowedDecodingPlans = plans.map(Unmanaged.passUnretained)
    }

    /// A row that moves with a statement.
    package init(_ statement: Statement, layout: RowLayout? = nil) {
        ownStatement = statement
        self.layout = layout
        plainStatement = layout == nil ? statement.sqliteStatement : nil
        ownCells = nil
        owner = nil
        batch = nil
        columns = layout?.columns ?? statement.columns
        count = columns.names.count
        predictor = ColumnPredictor(columns)
    }

    /// A row that owns cells.
    init(cells: UnsafeMutablePointer<amalgam_cell>, columns: StatementColumns, layout: RowLayout? = nil) {
        ownCells = cells
        self.layout = layout
        self.columns = layout?.columns ?? columns
        plainStatement = nil
        ownStatement = nil
        owner = nil
        batch = nil
        count = self.columns.names.count
        predictor = nil
    }

    /// A row of a batch, which owns the cells.
    init(_ batch: RowBatch, _ cells: UnsafeMutablePointer<amalgam_cell>) {
        ownCells = cells
        layout = batch.layout
        columns = batch.columns
        self.batch = batch
        plainStatement = nil
        ownStatement = nil
        owner = nil
        count = columns.names.count
        predictor = nil
    }

    /// Makes a row that nobody else has another one of its batch.
    func move(to cells: UnsafeMutablePointer<amalgam_cell>) { ownCells = cells }

    /// Another look at the values of a row.
    init(_ base: Row, layout: RowLayout?, columns: StatementColumns) {
        self.layout = layout
        self.columns = columns
        ownStatement = nil
        plainStatement = nil
        ownCells = nil
        owner = base.owner ?? base
        batch = nil
        count = columns.names.count
        predictor = nil
    }

    deinit {
        if batch == nil, let ownCells { amalgam_row_free(ownCells) }
        predictor?.deallocate()
    }

    /// A copy of the current row of a statement.
    ///
    /// - throws: `SQLITE_NOMEM` when memory is exhausted.
    package convenience init(copying statement: Statement, layout: RowLayout? = nil) throws {
        try self.init(copying: statement, statement.columns, layout: layout)
    }

    /// A copy of the current row of a statement, which has these columns.
    convenience init(copying statement: Statement, _ columns: StatementColumns, layout: RowLayout?) throws {
        let cells = try Self.copyCells(of: statement, count: Self.cellCount(layout, columns))
        self.init(cells: cells, columns: columns, layout: layout)
    }

    /// The number of cells that a copy of a row needs. A layout may be older than the columns of its statement, which
    /// SQLite compiles again after a change of the schema: cells beyond the columns of now are NULL.
    private static func cellCount(_ layout: RowLayout?, _ columns: StatementColumns) -> Int {
        layout?.baseColumns.names.count ?? columns.names.count
    }

    /// Copies the values of the current row of a statement.
    static func copyCells(of statement: Statement, count: Int) throws -> UnsafeMutablePointer<amalgam_cell> {
        if let cells = amalgam_row_copy(statement.sqliteStatement, CInt(count)) { return cells }
        throw DatabaseError(resultCode: .SQLITE_NOMEM)
    }

    /// Makes a copy of a live row, in its place.
    package func detach() {
        ownDecodingPlans = nil
        guard let ownStatement else { return }
        let count = Self.cellCount(layout, columns)
        guard let cells = amalgam_row_copy(ownStatement.sqliteStatement, CInt(count)) else {
            fatalError("out of memory")
        }
        ownCells = cells
        self.ownStatement = nil
        plainStatement = nil
    }

    /// A row without columns.
    public convenience init() {
        self.init([] as [(String, DatabaseValue)])
    }

    /// A row that stays as it is when its cursor moves. Scopes and prefetched rows are copied too.
    public func copy() -> Row {
        guard let statement else { return self }
        let columns = statement.columns
        guard let cells = amalgam_row_copy(statement.sqliteStatement, CInt(Self.cellCount(layout, columns))) else {
            fatalError("out of memory")
        }
        let row = Row(cells: cells, columns: columns, layout: layout)
        row.prefetches = prefetches
        return row
    }
}

// Not Sendable: the rows of a cursor read from its statement.
@available(*, unavailable)
extension Row: Sendable {}

// MARK: - Building

extension Row: ExpressibleByDictionaryLiteral {
    /// Columns in the order of the literal. Names may be repeated.
    public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements.map { ($0.0, $0.1?.databaseValue ?? .null) })
    }

    /// Columns in the order of the dictionary.
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(dictionary.map { ($0.key, $0.value?.databaseValue ?? .null) })
    }

    /// Columns with names and types that are only known at run time.
    ///
    /// - Returns: nil when a key is not a string, or a value has no database representation.
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

/// Cells for values, in the form that `amalgam_row_copy` gives them: a head, then the bytes of texts and blobs.
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
    /// The number of bytes of a text or blob.
    fileprivate var byteCount: Int {
        switch storage {
        case .string(let string): string.utf8.count
        case .blob(let data): data.count
        default: 0
        }
    }
}
