public import CAmalgam

/// One call of a function: its arguments, and its result. Valid during the call.
@usableFromInline
package struct FunctionCall {
    @usableFromInline
    let context: OpaquePointer

    @usableFromInline
    let count: CInt

    @usableFromInline
    let values: UnsafeMutablePointer<OpaquePointer?>?

    @inlinable
    package init(_ context: OpaquePointer?, _ count: CInt, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        // SQLite never passes null here. Unchecked, because each call would pay for the check.
        self.context = context.unsafelyUnwrapped
        self.count = count
        self.values = values
    }

    @inlinable
    var result: DatabaseFunction.Result { DatabaseFunction.Result(sqliteContext: context) }

    @inlinable
    package func argument(_ index: Int) -> DatabaseFunction.Argument {
        DatabaseFunction.Argument(sqliteValue: values.unsafelyUnwrapped[index].unsafelyUnwrapped)
    }

    @inlinable
    func next(_ index: inout Int) -> DatabaseFunction.Argument {
        defer { index += 1 }
        return argument(index)
    }

    /// Called for an argument that doesn't convert to its parameter type. If the argument is NULL, the result is NULL.
    ///
    /// - Throws: `SQLITE_MISMATCH` if the argument isn't NULL.
    @usableFromInline
    func argumentDoesNotConvert(_ index: Int, of name: String) throws {
        let argument = argument(index)
        if argument.isNull { return result.setNull() }
        throw DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: "argument \(index + 1) of function \(name)() has the wrong type: \(argument.storageClassName)")
    }

    /// Replaces the elements of an array with the arguments. Reuses the storage of a uniquely referenced array.
    ///
    /// - Returns: whether an argument is TEXT or BLOB. If so, the array retains memory for its bytes.
    func fill(_ array: inout [DatabaseValue]) -> Bool {
        if array.count != Int(count) { array = Array(repeating: .null, count: Int(count)) }
        var holdsBytes = false
        for index in array.indices {
            let argument = argument(index)
            array[index] = argument.databaseValue
            if argument.value.storageClass & (AMALGAM_TEXT | AMALGAM_BLOB) != 0 { holdsBytes = true }
        }
        return holdsBytes
    }

    /// Reports an error to SQLite as the result of the call.
    @inline(never)
    package func fail(_ error: any Error) {
        switch error {
        case let error as DatabaseError:
            result.fail(error.extendedResultCode.ofFailure, error.message ?? "unknown error")
        case is CancellationError where sqlite3_is_interrupted(sqlite3_context_db_handle(context)) != 0:
            // The access was cancelled: `Database` turns this code into the cancellation error.
            result.fail(.SQLITE_INTERRUPT, "interrupted")
        default:
            result.fail(.SQLITE_ERROR, "\(error)")
        }
    }
}

extension ResultCode {
    /// The code, or `SQLITE_ERROR` if the code stands for success.
    fileprivate var ofFailure: ResultCode {
        let isSuccess = rawValue <= 0 || [.SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE].contains(primaryResultCode)
        return isSuccess ? .SQLITE_ERROR : self
    }
}

extension DatabaseFunction {
    /// An argument of a function call. Valid during the call.
    ///
    /// A type implements ``DatabaseValueConvertible/fromFunctionArgument(_:)`` to decode arguments without creating a
    /// ``DatabaseValue``:
    ///
    /// ```swift
    /// extension Score {  // a DatabaseValueConvertible type with a property `points`
    ///     static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Score? {
    ///         Int.fromFunctionArgument(argument).map { Score(points: $0) }
    ///     }
    /// }
    /// ```
    public struct Argument {
        /// The raw C value: <https://sqlite.org/c3ref/value.html>.
        public let sqliteValue: OpaquePointer

        @inlinable
        init(sqliteValue: OpaquePointer) {
            self.sqliteValue = sqliteValue
        }

        @usableFromInline @inline(__always)
        var value: amalgam_value { UnsafePointer<amalgam_value>(sqliteValue).pointee }

        /// Whether the argument is NULL.
        @inlinable
        public var isNull: Bool { value.isNull }

        /// The value of the argument.
        public var databaseValue: DatabaseValue {
            switch value.storageClass {
            case AMALGAM_INTEGER: DatabaseValue(storage: .int64(value.integer))
            case AMALGAM_REAL: DatabaseValue(storage: .double(value.real))
            case AMALGAM_NULL: .null
            default: DatabaseValue(sqliteValue: sqliteValue)
            }
        }

        fileprivate var storageClassName: String {
            switch sqlite3_value_type(sqliteValue) {
            case SQLITE_INTEGER: "INTEGER"
            case SQLITE_FLOAT: "REAL"
            case SQLITE_TEXT: "TEXT"
            case SQLITE_BLOB: "BLOB"
            default: "NULL"
            }
        }

        /// The subtype of the argument; 0 for none: <https://sqlite.org/c3ref/value_subtype.html>. SQLite reliably
        /// passes subtypes only to functions with the option ``Options/readsSubtypes``.
        public var subtype: UInt8 { UInt8(truncatingIfNeeded: sqlite3_value_subtype(sqliteValue)) }
    }

    /// The result of a function call. Valid during the call.
    ///
    /// A type implements ``DatabaseValueConvertible/setFunctionResult(_:)`` to return its values without creating a
    /// ``DatabaseValue``. The result is the last value set, or NULL if none is set.
    ///
    /// ```swift
    /// extension Score {  // a DatabaseValueConvertible type with a property `points`
    ///     func setFunctionResult(_ result: DatabaseFunction.Result) { result.set(Int64(points)) }
    /// }
    /// ```
    public struct Result {
        /// The raw C context of the call: <https://sqlite.org/c3ref/context.html>.
        public let sqliteContext: OpaquePointer

        @inlinable
        init(sqliteContext: OpaquePointer) {
            self.sqliteContext = sqliteContext
        }

        /// Sets the result to NULL.
        @inlinable
        public func setNull() { sqlite3_result_null(sqliteContext) }

        /// Sets the result to an INTEGER.
        @inlinable
        public func set(_ integer: Int64) { sqlite3_result_int64(sqliteContext, integer) }

        /// Sets the result to a REAL. SQLite turns NaN into NULL.
        @inlinable
        public func set(_ real: Double) { sqlite3_result_double(sqliteContext, real) }

        /// Sets the result to a TEXT value of UTF-8 bytes, which are copied.
        @inlinable
        public func setText(_ bytes: UnsafeRawBufferPointer) {
            // SQLite turns a null pointer into NULL.
            let start = bytes.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)
            sqlite3_result_text64(
                sqliteContext, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), transientDestructor,
                UInt8(SQLITE_UTF8))
        }

        /// Sets the result to a BLOB of bytes, which are copied.
        @inlinable
        public func setBlob(_ bytes: UnsafeRawBufferPointer) {
            guard let start = bytes.baseAddress, bytes.count > 0 else {
                return sqlite3_result_zeroblob(sqliteContext, 0)
            }
            sqlite3_result_blob64(sqliteContext, start, UInt64(bytes.count), transientDestructor)
        }

        /// Sets the subtype of the result: <https://sqlite.org/c3ref/result_subtype.html>. Set the value of the result
        /// first. If the function doesn't have the option ``Options/returnsSubtype``, its call fails.
        public func setSubtype(_ subtype: UInt8) {
            sqlite3_result_subtype(sqliteContext, UInt32(subtype))
        }

        /// Sets the error of a value that SQLite can't store.
        @usableFromInline
        func fail(unstorable value: DatabaseValue) {
            fail(.SQLITE_MISMATCH, value.unstorableError.message ?? "")
        }

        /// Sets an error, which becomes the error of the statement.
        @usableFromInline
        func fail(_ code: ResultCode, _ message: String) {
            var message = message
            message.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_result_error(sqliteContext, $0.baseAddress, CInt(clamping: $0.count))
                }
            }
            sqlite3_result_error_code(sqliteContext, code.rawValue)
        }
    }
}

extension amalgam_value {
    /// The flags of the storage class. More than one is set if SQLite has converted the value.
    @usableFromInline @inline(__always)
    package var storageClass: Int { Int(flags) & AMALGAM_TYPE_MASK }
}
