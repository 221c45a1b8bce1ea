public import AmalgamCore

/// The virtual table of a ``DatabaseTableFunction``: its columns, followed by a hidden column for each argument.
@usableFromInline
final class TableFunctionModule<Source: RowSupply, Reader: TableFunctionReader>: VirtualTable
where Reader.Row == Source.Row {
    @usableFromInline
    let function: DatabaseTableFunction

    @usableFromInline
    unowned let database: Database

    @usableFromInline
    let reader: Reader

    @usableFromInline
    let makeSource: (TableFunctionArguments) throws -> Source

    @usableFromInline
    init(
        _ function: DatabaseTableFunction, _ database: Database, _ reader: Reader,
        _ makeSource: @escaping (TableFunctionArguments) throws -> Source
    ) {
        self.function = function
        self.database = database
        self.reader = reader
        self.makeSource = makeSource
    }

    @usableFromInline
    var schema: String { function.schema }

    @usableFromInline
    var options: VirtualTableSafetyOptions { function.options }

    @usableFromInline
    func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> TableFunctionPlan? {
        try function.bestIndex(info, database)
    }

    @inlinable
    func open() -> TableFunctionCursor<Source, Reader> { TableFunctionCursor(self) }
}

/// The positions of the arguments that a statement provides, in the order in which `filter` receives their values.
@usableFromInline
struct TableFunctionPlan: Hashable, CustomStringConvertible {
    @usableFromInline
    var arguments: [Int] = []

    /// The arguments as a string, such as `start=? stop=?`.
    @usableFromInline
    var description = ""
}

extension DatabaseTableFunction {
    /// Returns a plan that uses all arguments that a statement provides. If the plan ignored an argument, the function
    /// would return the rows of a different call. Returns nil in two cases:
    /// - SQLite can't pass a provided argument, because its value isn't known when the scan begins.
    /// - A required argument is missing.
    fileprivate func bestIndex(
        _ info: borrowing VirtualTableIndexInfo, _ database: Database
    ) throws -> TableFunctionPlan? {
        var plan = TableFunctionPlan()
        for (index, argument) in arguments.enumerated() {
            let given = info.constraints.filter {
                $0.column == columns.count + index && ($0.operator == .equal || $0.operator == .is)
            }
            if let usable = given.first(where: \.isUsable) {
                try info.use(usable, omit: true)
                plan.arguments.append(index)
                plan.description += (plan.arguments.count == 1 ? "" : " ") + "\(argument.name)=?"
            } else if !given.isEmpty {
                return nil
            } else if argument.isRequired {
                // This error is only reported if SQLite finds no plan. SQLite plans both sides of an OR separately.
                database.hooks.pendingError = PendingCallbackError(
                    noQuerySolution: "table function \(name): argument \(argument.name) is missing")
                return nil
            }
        }
        info.estimatedRows = max(1, estimatedRows)
        info.estimatedCost = Double(max(1, estimatedRows))
        return plan
    }
}

/// A cursor whose state is in separately allocated memory, so that copying the cursor only copies a pointer.
@usableFromInline
struct TableFunctionCursor<Source: RowSupply, Reader: TableFunctionReader>: VirtualTableCursor
where Reader.Row == Source.Row {
    @usableFromInline
    typealias Plan = TableFunctionPlan

    @usableFromInline
    typealias Scan = TableFunctionScan<Source, Reader>

    @usableFromInline
    let scan: UnsafeMutablePointer<Scan>

    /// Frees the memory when the cursor is released.
    @usableFromInline
    let owner: MemoryOwner<Scan>

    @inlinable
    init(_ table: TableFunctionModule<Source, Reader>) {
        owner = MemoryOwner(Scan(table))
        scan = owner.memory
    }

    @inlinable
    func filter(_ plan: TableFunctionPlan, _ arguments: borrowing VirtualTableArguments) throws {
        try scan.pointee.filter(plan, arguments)
    }

    @inlinable
    func next() throws -> Bool { try scan.pointee.next() }

    @inlinable
    func column(_ index: Int, _ result: borrowing SQLiteResult) throws {
        if index >= scan.pointee.columnCount {
            scan.pointee.values.give(index - scan.pointee.columnCount, result)
        } else if let row = scan.pointee.row {
            try scan.pointee.reader.read(row, index, result)
        }
    }

    @usableFromInline
    var rowID: Int64 { scan.pointee.rowID }
}

/// Owns a value in allocated memory, and frees this memory.
@usableFromInline
final class MemoryOwner<Value> {
    @usableFromInline
    let memory: UnsafeMutablePointer<Value>

    @inlinable
    init(_ value: Value) {
        memory = .allocate(capacity: 1)
        memory.initialize(to: value)
    }

    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
    }
}

/// The state of a scan of the rows that one call of a table function returns.
@usableFromInline
struct TableFunctionScan<Source: RowSupply, Reader: TableFunctionReader>
where Reader.Row == Source.Row {
    @usableFromInline
    let table: TableFunctionModule<Source, Reader>

    @usableFromInline
    let reader: Reader

    /// The number of visible columns.
    @usableFromInline
    let columnCount: Int

    /// Nil before the first scan, and if there are no rows.
    @usableFromInline
    var source: Source?

    @usableFromInline
    var row: Source.Row?

    @usableFromInline
    var rowNumber: Int64 = 0

    /// The values of the arguments; nil for arguments that are left out.
    @usableFromInline
    var values: [DatabaseValue?]

    @inlinable
    init(_ table: TableFunctionModule<Source, Reader>) {
        self.table = table
        reader = table.reader
        columnCount = table.function.columns.count
        values = Array(repeating: nil, count: table.function.arguments.count)
    }

    @inlinable
    mutating func filter(_ plan: TableFunctionPlan, _ arguments: borrowing VirtualTableArguments) throws {
        // The previous scan is released first, because its rows may hold resources.
        source = nil
        row = nil
        rowNumber = 0
        for (position, index) in plan.arguments.enumerated() { values[index] = try arguments[position] }
        if lacksArgument { return }
        source = try table.makeSource(TableFunctionArguments(arguments.database, table.function, values))
    }

    /// Whether a required argument is NULL. There are no rows in this case, because `argument = NULL` is never true.
    @usableFromInline
    var lacksArgument: Bool {
        zip(values, table.function.arguments).contains { $1.isRequired && $0?.isNull ?? true }
    }

    @inlinable
    mutating func next() throws -> Bool {
        row = try source?.next()
        if row == nil { return false }
        rowNumber &+= 1
        return true
    }

    /// The number of the row, combined with a digest of the arguments.
    ///
    /// For a condition such as `(start = 1 AND stop = 2) OR (start = 5 AND stop = 6)`, SQLite may call the function
    /// once for each operand of OR. It then skips rows of the second call whose rowids the first call has returned.
    /// Therefore, calls with different arguments need different rowids, which the digest provides.
    @usableFromInline
    var rowID: Int64 {
        let digest = values.allSatisfy { $0 == nil } ? 0 : Int64(values.digest & 0x7FFF_FFFF)
        return digest << 32 | (rowNumber & 0xFFFF_FFFF)
    }
}

extension [DatabaseValue?] {
    /// Sets the result to the value of an argument, for its hidden column.
    @usableFromInline
    func give(_ index: Int, _ result: borrowing SQLiteResult) {
        result.set(self[index] ?? .null)
    }

    /// A digest of the values, which is the same in each process.
    fileprivate var digest: UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in map({ $0.map { "\($0.storage)" } ?? "" }).joined(separator: ",").utf8 {
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return digest ^ digest >> 32
    }
}
