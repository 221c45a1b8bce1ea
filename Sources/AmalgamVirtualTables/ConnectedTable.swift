public import AmalgamCore
public import CAmalgam

/// A virtual table on a connection: the Swift object behind SQLite's `sqlite3_vtab`.
///
/// SQLite retains this object from `xConnect` or `xCreate` until `xDisconnect` or `xDestroy`. SQLite may call
/// `xDisconnect` while the connection is being released, so `xDisconnect` must not use the connection. `xDestroy` is
/// only called by `DROP TABLE`, and may use the connection.
@usableFromInline
class ConnectedTable {
    @usableFromInline
    unowned let database: Database

    /// Set once, when the table is connected.
    final var definition: ModuleDefinition!

    /// The overloaded functions of the table, with the constraint operators that are assigned to them.
    final var functions: [OverloadedFunction] = []

    @usableFromInline
    init(_ database: Database) {
        self.database = database
    }

    var schema: String { fatalError("TableState has it") }
    var options: VirtualTableSafetyOptions { [] }
    var overloads: [VirtualTableFunction] { [] }
}

/// A connected table of a known type, and its plans.
@usableFromInline
final class TableState<Table: VirtualTable>: ConnectedTable {
    @usableFromInline
    let table: Table

    /// The query plans. The index of a plan in this array is the `idxNum` that SQLite stores in compiled statements.
    /// Plans are never removed, because SQLite doesn't report which numbers compiled statements still use.
    @usableFromInline
    var plans: [Table.Plan] = []

    @usableFromInline
    var planNumbers: [Table.Plan: CInt] = [:]

    @usableFromInline
    init(_ table: Table, _ database: Database) {
        self.table = table
        super.init(database)
    }

    override var schema: String { table.schema }
    override var options: VirtualTableSafetyOptions { table.options }

    override var overloads: [VirtualTableFunction] {
        (table as? any FunctionOverloadingVirtualTable)?.functions ?? []
    }

    /// - Returns: false if the table has no plan.
    @usableFromInline
    func bestIndex(_ info: UnsafeMutablePointer<sqlite3_index_info>) throws -> Bool {
        let question = VirtualTableIndexInfo(info, functions: functions.map(\.function))
        guard let plan = try table.bestIndex(question) else { return false }
        info.pointee.idxNum = number(of: plan)
        info.pointee.setDescription(String(describing: plan))
        return true
    }

    private func number(of plan: Table.Plan) -> CInt {
        if let number = planNumbers[plan] { return number }
        let number = CInt(plans.count)
        plans.append(plan)
        planNumbers[plan] = number
        return number
    }

    @inlinable
    func plan(_ number: CInt) throws -> Table.Plan {
        guard plans.indices.contains(Int(number)) else {
            throw DatabaseError(resultCode: .SQLITE_INTERNAL, message: "unknown plan \(number)")
        }
        return plans[Int(number)]
    }
}

extension sqlite3_index_info {
    /// Sets the string that `EXPLAIN QUERY PLAN` shows.
    fileprivate mutating func setDescription(_ text: String) {
        guard !text.isEmpty, let copy = sqliteCopy(of: text) else { return }
        idxStr = copy
        needToFreeIdxStr = 1
    }
}
