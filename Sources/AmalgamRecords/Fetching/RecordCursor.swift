public import AmalgamCore

/// A cursor over records.
///
/// ```swift
/// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
/// while let player = try players.next() { print(player.name) }
/// ```
///
/// All records are created from the same `Row` object, whose values are those of the statement's current row. If an
/// initializer stores the row, the row is copied, and the cursor continues with a new one.
public final class RecordCursor<Record: FetchableRecord>: _StatementRunCursor {
    public typealias Element = Record

    public let _run: StatementRun

    private var layout: StatementLayout

    /// The row that initializers receive. The cursor creates the row after the first step of the statement, because
    /// SQLite may recompile a statement with different columns when the statement starts.
    @usableFromInline
    var row: Row?

    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        layout = try StatementLayout(adapter, statement)
        _run = try StatementRun(statement, arguments: arguments)
    }

    deinit { keepRow() }

    /// Detaches the current row if another object retains it.
    @inlinable
    func keepRow() {
        if row != nil && !isKnownUniquelyReferenced(&row) { detachRow() }
    }

    @usableFromInline
    func detachRow() {
        if _run.isCurrent && _run.statement.database.isAccessible { row?.detach() }
        row = nil
    }

    @inlinable
    public func next() throws -> Record? {
        keepRow()
        guard try _run.step() else { return nil }
        return try element()
    }

    @inlinable
    public func forEach(_ body: (Record) throws -> Void) throws {
        while let record = try next() { try body(record) }
    }

    /// The remaining records.
    @inlinable
    package func remainder() throws -> [Record] {
        var records: [Record] = []
        while true {
            keepRow()
            guard try _run.step() else { return records }
            records.append(try element())
        }
    }

    @inlinable
    public func _element() throws -> Record {
        if let row { return try Record(row: row) }
        return try Record(row: makeRow())
    }

    @usableFromInline
    func makeRow() throws -> Row {
        let row = Row(_run.statement, layout: try layout.current(_run.statement))
        self.row = row
        return row
    }
}
