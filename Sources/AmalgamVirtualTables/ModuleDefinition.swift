public import AmalgamCore
public import CAmalgam

/// The callbacks of a module.
///
/// C functions can't be generic, so all modules share one set of C functions (`ModuleCallbacks.swift`), which call
/// closures that are specialized for the type of the table. Each definition has a separate `sqlite3_module`, in which
/// the functions of unsupported operations are null (without `xUpdate`, the table is read-only). Connections share a
/// definition. It is released when the module isn't registered on any connection, and none of its tables is connected.
@usableFromInline
final class ModuleDefinition: @unchecked Sendable {
    // Sendable: the object is immutable after initialization. The closures capture only types, and sendable closures of
    // the application.

    @usableFromInline
    typealias Connect = (VirtualTableDeclaration) throws -> ConnectedTable

    @usableFromInline
    let name: String

    let connect: Connect
    let create: Connect?
    let table: TableOperations
    let optional: OptionalTableOperations
    let cursor: CursorOperations
    /// The pointer to the `sqlite3_module`. The pointer is untyped, because a program may also import a different
    /// `sqlite3.h`, and the compiler rejects a stored property whose type has two definitions.
    let module: UnsafeMutableRawPointer

    @usableFromInline
    init(
        _ name: String, connect: @escaping Connect, create: Connect?, isEponymousOnly: Bool, table: TableOperations,
        cursor: CursorOperations, optional: OptionalTableOperations
    ) {
        self.name = name
        self.connect = connect
        self.create = create
        self.table = table
        self.optional = optional
        self.cursor = cursor
        let functions = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        functions.initialize(to: .callbacks(optional, creates: create != nil, isEponymousOnly: isEponymousOnly))
        module = UnsafeMutableRawPointer(functions)
    }

    @inlinable
    convenience init<Table: VirtualTable>(
        _ name: String, _ type: Table.Type, connect: @escaping Connect, create: Connect?, isEponymousOnly: Bool
    ) {
        self.init(
            name, connect: connect, create: create, isEponymousOnly: isEponymousOnly, table: TableOperations(type),
            cursor: CursorOperations(type), optional: OptionalTableOperations(type))
    }

    deinit {
        module.deallocate()
    }
}

/// A module that is registered on a connection. SQLite has a pointer to this object.
final class ModuleRegistration {
    let definition: ModuleDefinition
    unowned let database: Database

    init(_ definition: ModuleDefinition, _ database: Database) {
        self.definition = definition
        self.database = database
    }
}

/// The operations that all virtual tables have, specialized for one type of table.
@usableFromInline
struct TableOperations {
    /// Returns false if there is no plan.
    @usableFromInline
    let bestIndex: (ConnectedTable, UnsafeMutablePointer<sqlite3_index_info>) throws -> Bool

    /// Returns a pointer to the state of a new cursor.
    @usableFromInline
    let open: (ConnectedTable) throws -> UnsafeMutableRawPointer

    @usableFromInline
    let destroy: (ConnectedTable) throws -> Void

    @inlinable
    init<Table: VirtualTable>(_: Table.Type) {
        bestIndex = { try ($0 as! TableState<Table>).bestIndex($1) }
        open = { connected in
            let cursor = try (connected as! TableState<Table>).table.open()
            let state = UnsafeMutablePointer<Table.Cursor>.allocate(capacity: 1)
            state.initialize(to: cursor)
            return UnsafeMutableRawPointer(state)
        }
        destroy = { try ($0 as! TableState<Table>).table.destroy() }
    }
}

/// The operations that all cursors have, specialized for one type of cursor. Each receives a pointer to the cursor.
///
/// The type is a class, because a closure in a constant of a class can be called without reference counting.
/// Reference counting would double the time of a call.
@usableFromInline
final class CursorOperations {
    /// Returns whether there is a row.
    @usableFromInline
    let filter:
        (ConnectedTable, UnsafeMutableRawPointer, CInt, CInt, UnsafeMutablePointer<OpaquePointer?>?) throws -> Bool

    /// Returns whether there is a row.
    @usableFromInline
    let next: (UnsafeMutableRawPointer) throws -> Bool

    @usableFromInline
    let column: (UnsafeMutableRawPointer, CInt, OpaquePointer) throws -> Void

    @usableFromInline
    let rowID: (UnsafeMutableRawPointer) throws -> Int64

    @usableFromInline
    let close: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init<Table: VirtualTable>(_: Table.Type) {
        filter = { connected, state, planNumber, count, values in
            let cursor = state.assumingMemoryBound(to: Table.Cursor.self)
            let plan = try (connected as! TableState<Table>).plan(planNumber)
            let arguments = VirtualTableArguments(connected.database, count: count, values: values)
            try cursor.pointee.filter(plan, arguments)
            return try cursor.pointee.next()
        }
        next = { try $0.assumingMemoryBound(to: Table.Cursor.self).pointee.next() }
        column = { state, index, context in
            try state.assumingMemoryBound(to: Table.Cursor.self).pointee.column(Int(index), SQLiteResult(context))
        }
        rowID = { try $0.assumingMemoryBound(to: Table.Cursor.self).pointee.rowID }
        close = { state in
            let cursor = state.assumingMemoryBound(to: Table.Cursor.self)
            cursor.deinitialize(count: 1)
            cursor.deallocate()
        }
    }
}
