package import CAmalgam
import Foundation

/// An error that a Swift closure has thrown, in the form that SQLite accepts from a callback.
package struct CallbackFailure {
    package let code: CInt
    package let message: String

    package init(_ error: any Error) {
        switch error {
        case let error as DatabaseError:
            // SQLite would ignore an error whose code means success.
            let isSuccess = [.SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE].contains(error.resultCode)
            code = isSuccess ? SQLITE_ERROR : error.extendedResultCode.rawValue
            message = error.message ?? "\(error)"
        case is CancellationError:
            code = SQLITE_INTERRUPT
            message = "interrupted"
        default:
            code = SQLITE_ERROR
            message = "\(error)"
        }
    }

    /// Reports the error as the result of an SQL function, or of a column of a virtual table.
    package func report(to context: OpaquePointer) {
        message.withCString { sqlite3_result_error(context, $0, -1) }
        sqlite3_result_error_code(context, code)
    }

    /// Stores a copy of the message, which SQLite will free, and returns the code.
    package func report(to text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
        sqlite3_free(text.pointee)
        text.pointee = sqliteCopy(of: message)
        return code
    }

    /// Stores the message in a virtual table, where SQLite reads it, and returns the code.
    package func report(to table: UnsafeMutablePointer<sqlite3_vtab>) -> CInt {
        report(to: &table.pointee.zErrMsg)
    }
}

/// Returns a copy of a string that SQLite frees, or nil if memory is exhausted.
package func sqliteCopy(of text: String) -> UnsafeMutablePointer<CChar>? {
    text.withCString { source in
        let size = strlen(source) + 1
        guard let copy = sqlite3_malloc64(UInt64(size)) else { return nil }
        memcpy(copy, source, size)
        return copy.assumingMemoryBound(to: CChar.self)
    }
}
