import Amalgam

/// A virtual table of three rows in memory, whose methods perform the steps of a scenario.
final class CallbackTable: UpdatableVirtualTable {
    enum Plan: Hashable { case all, byID }

    let schema = "CREATE TABLE x(value)"
    private var values: [Int64: DatabaseValue] = [1: 1.databaseValue, 2: 2.databaseValue, 3: 3.databaseValue]

    static var module: DatabaseModule {
        DatabaseModule("stage", create: { _ in CallbackTable() }, connect: { _ in CallbackTable() })
    }

    func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan? {
        try ScenarioRun.current?.call(.tableBestIndex)
        guard let id = info.constraint(on: nil, .equal) else { return .all }
        try info.use(id, omit: true)
        info.estimatedCost = 1
        return .byID
    }

    func open() throws -> Cursor {
        try ScenarioRun.current?.call(.tableOpen)
        return Cursor(table: self)
    }

    func insert(_ values: borrowing VirtualTableValues) throws -> Int64 {
        try ScenarioRun.current?.call(.tableInsert)
        let id = (self.values.keys.max() ?? 0) + 1
        self.values[id] = try values[0]
        return id
    }

    func update(_ key: Int64, _ values: borrowing VirtualTableValues) throws {
        try ScenarioRun.current?.call(.tableUpdate)
        self.values[key] = try values[0]
    }

    func delete(_ key: Int64) throws {
        try ScenarioRun.current?.call(.tableDelete)
        values[key] = nil
    }

    struct Cursor: VirtualTableCursor {
        let table: CallbackTable
        private var ids: [Int64] = []
        private var index = -1

        init(table: CallbackTable) { self.table = table }

        mutating func filter(_ plan: Plan, _ arguments: borrowing VirtualTableArguments) throws {
            try ScenarioRun.current?.call(.tableFilter)
            index = -1
            ids = table.values.keys.sorted()
            guard plan == .byID else { return }
            let id: Int64? = try arguments[0]
            ids = ids.filter { $0 == id }
        }

        mutating func next() throws -> Bool {
            try ScenarioRun.current?.call(.tableNext)
            index += 1
            return index < ids.count
        }

        func column(_ index: Int, _ result: borrowing SQLiteResult) throws {
            try ScenarioRun.current?.call(.tableColumn)
            result.set(table.values[ids[self.index]] ?? .null)
        }

        var rowID: Int64 { get throws { ids[index] } }
    }
}
