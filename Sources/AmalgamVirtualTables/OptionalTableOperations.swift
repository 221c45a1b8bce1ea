import AmalgamCore
import CAmalgam

/// The operations that only some types of table have. A property is nil if the type doesn't conform to its protocol.
@usableFromInline
struct OptionalTableOperations {
    typealias Operation = (ConnectedTable) throws -> Void
    typealias NumberOperation = (ConnectedTable, CInt) throws -> Void
    typealias Update =
        (ConnectedTable, CInt, UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<Int64>?) throws ->
        Void

    private(set) var update: Update?
    private(set) var transaction: (begin: Operation, sync: Operation, commit: Operation, rollback: Operation)?
    private(set) var savepoint: (begin: NumberOperation, release: NumberOperation, rollback: NumberOperation)?
    private(set) var rename: ((ConnectedTable, String) throws -> Void)?
    private(set) var checkIntegrity: ((ConnectedTable, Bool) throws -> String?)?
    private(set) var shadowNames: Set<String> = []
    private(set) var overloadsFunctions = false

    /// Looks up the protocols to which the type conforms, once, when the module is created.
    @usableFromInline
    init<Table: VirtualTable>(_ type: Table.Type) {
        if let type = type as? any UpdatableVirtualTable.Type { update = Self.update(type) }
        if let type = type as? any TransactionalVirtualTable.Type { addTransactions(type) }
        if let type = type as? any SavepointVirtualTable.Type { addSavepoints(type) }
        if let type = type as? any RenamableVirtualTable.Type { addRename(type) }
        if let type = type as? any CheckableVirtualTable.Type { addCheck(type) }
        if let type = type as? any ShadowedVirtualTable.Type { shadowNames = type.shadowNames }
        overloadsFunctions = type is any FunctionOverloadingVirtualTable.Type
    }

    private static func update<Table: UpdatableVirtualTable>(_: Table.Type) -> Update {
        { connected, count, values, newRowID in
            let table = connected.table(Table.self)
            func key() throws -> Table.Key {
                try decode(DatabaseValue(sqliteValue: values[0])) { "the key of the row" }
            }
            if count == 1 { return try table.delete(key()) }
            let row = VirtualTableValues(
                connected.database, count: Int(count), values: values, hasRowID: Table.Key.self == Int64.self)
            if !DatabaseValue(sqliteValue: values[0]).isNull { return try table.update(key(), row) }
            if let rowID = try table.insert(row) as? Int64 { newRowID?.pointee = rowID }
        }
    }

    private mutating func addTransactions<Table: TransactionalVirtualTable>(_: Table.Type) {
        transaction = (
            begin: { try $0.table(Table.self).begin() },
            sync: { try $0.table(Table.self).sync() },
            commit: { $0.table(Table.self).commit() },
            rollback: { $0.table(Table.self).rollback() }
        )
    }

    private mutating func addSavepoints<Table: SavepointVirtualTable>(_: Table.Type) {
        savepoint = (
            begin: { try $0.table(Table.self).savepoint(Int($1)) },
            release: { try $0.table(Table.self).release(Int($1)) },
            rollback: { try $0.table(Table.self).rollback(to: Int($1)) }
        )
    }

    private mutating func addRename<Table: RenamableVirtualTable>(_: Table.Type) {
        rename = { try $0.table(Table.self).rename(to: $1) }
    }

    private mutating func addCheck<Table: CheckableVirtualTable>(_: Table.Type) {
        checkIntegrity = { try $0.table(Table.self).checkIntegrity(isQuick: $1) }
    }
}

extension ConnectedTable {
    fileprivate func table<Table: VirtualTable>(_: Table.Type) -> Table {
        (self as! TableState<Table>).table
    }
}
