import AmalgamCore
import CAmalgam

// The C functions that SQLite calls for the tables of all modules. They find the Swift object of a C structure, call
// it, and convert an error to a code and a message. The functions for tables, for cursors, and for operations that only
// some tables have, are in one file each.

extension sqlite3_module {
    /// Returns the C functions for the tables of a module. If a function is null, SQLite knows that the tables don't
    /// support the operation.
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

/// Access to the Swift object of SQLite's table structure.
///
/// These functions aren't members of the pointers: for each use of such a member on any pointer, the compiler would
/// look at SQLite's structures, but a program may import a different `sqlite3.h` in addition to this module.
enum ModuleCallContext {
    typealias Pointer = UnsafeMutablePointer<sqlite3_vtab>

    static func object(of table: Pointer) -> ConnectedTable {
        let table = UnsafeMutableRawPointer(table).assumingMemoryBound(to: amalgam_table.self)
        return Unmanaged<ConnectedTable>.fromOpaque(table.pointee.object).takeUnretainedValue()
    }

    /// Runs an operation of a table. SQLite reads the message of an error from the table.
    static func perform(_ table: Pointer?, _ operation: (ConnectedTable) throws -> Void) -> CInt {
        guard let table else { return SQLITE_MISUSE }
        do {
            try operation(object(of: table))
            return SQLITE_OK
        } catch {
            return CallbackFailure(error).report(to: table)
        }
    }

    /// Runs an operation whose error message SQLite ignores. The connection stores the error as its pending error.
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
