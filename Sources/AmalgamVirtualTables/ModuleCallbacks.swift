import AmalgamCore
import CAmalgam

// The C functions that SQLite calls for the tables of all modules. Each function finds the Swift object of a C
// structure, calls a method of this object, and converts a thrown error to an error code and a message. Separate files
// contain the functions for tables, for cursors, and for operations that only some tables support.

extension sqlite3_module {
    /// Returns the C functions for the tables of a module. If the tables don't support an operation, its function is
    /// null.
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

/// Access to the Swift object of SQLite's `sqlite3_vtab`.
///
/// These functions aren't in an extension of `UnsafeMutablePointer<sqlite3_vtab>`: a program may also import a
/// different `sqlite3.h`, and the compiler would confuse the two definitions of the structure.
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
