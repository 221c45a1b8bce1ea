public import AmalgamCore
public import CAmalgam

/// What SQLite calls for the tables of a module.
///
/// C functions cannot be generic. So there is one set of C functions (`ModuleCallbacks.swift`) for all tables, and
/// they call closures that were made where the type of the table was known: in the module that defines the type, where
/// they are specialised for it. The closures capture nothing then, and cost an indirect call.
///
/// SQLite looks at which of its functions are there: a table without `xUpdate` is read-only. So each module has a
/// `sqlite3_module` of its own, with the functions that the type of its tables has a use for.
///
/// One definition serves many connections. It lives as long as a connection has the module, and as long as a table of
/// the module is connected.
@usableFromInline
final class ModuleDefinition: @unchecked Sendable {
    // Sendable: nothing changes after the initializer, and the closures capture nothing but types, and closures of the
    // user that are sendable.

    @usableFromInline
    typealias Connect = (VirtualTableDeclaration) throws -> ConnectedTable

    @usableFromInline
    let name: String

    let connect: Connect
    let create: Connect?
    let table: TableOperations
    let optional: OptionalTableOperations
    let cursor: CursorOperations
    /// The `sqlite3_module`. Its type is not named here: a program may import another `sqlite3.h` beside this module, and
    /// the compiler refuses a type that has two definitions where it must know how an object is laid out.
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

/// A module on a connection: what SQLite holds a pointer to.
final class ModuleRegistration {
    let definition: ModuleDefinition
    unowned let database: Database

    init(_ definition: ModuleDefinition, _ database: Database) {
        self.definition = definition
        self.database = database
    }
}

/// What every type of table does.
@usableFromInline
struct TableOperations {
    /// Returns false when there is no plan.
    @usableFromInline
    let bestIndex: (ConnectedTable, UnsafeMutablePointer<sqlite3_index_info>) throws -> Bool

    /// Returns the state of a new cursor.
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

/// What every type of cursor does, given its state.
///
/// A class, because its constants can be called without counting references: that would take as long as the rest of a
/// call.
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
