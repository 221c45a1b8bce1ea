public import AmalgamCore
public import CAmalgam

/// A virtual table on a connection: what SQLite's `sqlite3_vtab` points to.
///
/// SQLite retains it from the call of `xConnect` or `xCreate` to that of `xDisconnect` or `xDestroy`, which may come
/// while the connection is being released: nothing here touches the connection then.
@usableFromInline
class ConnectedTable {
    @usableFromInline
    unowned let database: Database

    /// Set once, when the table is connected.
    final var definition: ModuleDefinition!

    /// The functions of the table, with their operators.
    final var functions: [OverloadedFunction] = []

    @usableFromInline
    init(_ database: Database) {
        self.database = database
    }

    var schema: String { fatalError("TableState has it") }
    var options: VirtualTableSafetyOptions { [] }
    var overloads: [VirtualTableFunction] { [] }
}

/// A table of a known type, and the plans it has made.
@usableFromInline
final class TableState<Table: VirtualTable>: ConnectedTable {
    @usableFromInline
    let table: Table

    /// SQLite keeps the number of a plan in the statements that use it. It does not say when it forgets them, so a plan
    /// stays.
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

    /// - Returns: false when there is no plan.
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
    /// What `EXPLAIN QUERY PLAN` shows.
    fileprivate mutating func setDescription(_ text: String) {
        guard !text.isEmpty, let copy = sqliteCopy(of: text) else { return }
        idxStr = copy
        needToFreeIdxStr = 1
    }
}
