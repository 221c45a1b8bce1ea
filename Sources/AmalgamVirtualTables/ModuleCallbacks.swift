import AmalgamCore
import CAmalgam

// The C functions that SQLite calls for the tables of all modules. They find the Swift object behind SQLite's
// structure, call it, and turn an error into a code and a message. Those for tables, for cursors, and for what only
// some tables do are in a file each.

extension sqlite3_module {
    /// The functions for the tables of a module. Where one is missing, SQLite knows that tables do not do that.
    static func callbacks(
        _ optional: OptionalTableOperations, creates: Bool, isEponymousOnly: Bool
    ) -> sqlite3_module {
        var module = sqlite3_module()
        module.iVersion = 4
        module.addTables(creates: creates, isEponymousOnly: isEponymousOnly)
        module.addCursors()
        module.addOptional(optional)
        return module
    }
}

/// How the C functions get from SQLite's structure of a table to the table.
///
/// These are not members of the pointers: a use of such a member of any pointer would have the compiler look at
/// SQLite's structures, and a program may import a different `sqlite3.h` in addition to this module.
enum ModuleCallContext {
    typealias Pointer = UnsafeMutablePointer<sqlite3_vtab>

    static func object(of table: Pointer) -> ConnectedTable {
        let table = UnsafeMutableRawPointer(table).assumingMemoryBound(to: amalgam_table.self)
        return Unmanaged<ConnectedTable>.fromOpaque(table.pointee.object).takeUnretainedValue()
    }

    /// Runs an operation of a table; SQLite takes the message of an error from the table.
    static func perform(_ table: Pointer?, _ operation: (ConnectedTable) throws -> Void) -> CInt {
        guard let table else { return SQLITE_MISUSE }
        do {
            try operation(object(of: table))
            return SQLITE_OK
        } catch {
            return CallbackFailure(error).report(to: table)
        }
    }

    /// Runs an operation of a table whose error message SQLite ignores: the connection stores it as its pending error.
    static func performWithoutMessage(_ table: Pointer?, _ operation: (ConnectedTable) throws -> Void) -> CInt {
        guard let table else { return SQLITE_MISUSE }
        let object = object(of: table)
        do {
            try operation(object)
            return SQLITE_OK
        } catch {
            let failure = CallbackFailure(error)
            object.database.hooks.pendingError = PendingCallbackError(withoutMessage: failure)
            return failure.code
        }
    }
}
