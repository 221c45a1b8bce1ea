public import CAmalgam
import Foundation

/// The result of a virtual table's column: <https://sqlite.org/c3ref/result_blob.html>.
///
/// ```swift
/// func column(_ index: Int, _ result: borrowing SQLiteResult) {
///     if index == 0 { result.set(player.name) } else { result.set(player.score) }
/// }
/// ```
///
/// If no value is set, the result is NULL. The type isn't copyable, because a result is valid only during the call that
/// receives it.
public struct SQLiteResult: ~Copyable {
    @usableFromInline
    package let context: OpaquePointer

    @usableFromInline
    package init(_ context: OpaquePointer) {
        self.context = context
    }

    /// Sets the result to a value.
    ///
    /// If the value is an unsigned integer above `Int64.max`, the statement fails with `SQLITE_TOOBIG`. Other values that
    /// SQLite can't store, such as a date whose time interval isn't a number, are errors of code `SQLITE_MISMATCH`.
    @inlinable
    public func set<Value: DatabaseValueConvertible>(_ value: Value) {
        // In a specialization for one type, the compiler removes the branches of the other types.
        if Value.self == UInt64.self {
            set(unsigned: sameTypeCast(value, to: UInt64.self))
        } else if Value.self == UInt.self {
            set(unsigned: UInt64(sameTypeCast(value, to: UInt.self)))
        } else {
            value.databaseValue.setFunctionResult(DatabaseFunction.Result(sqliteContext: context))
        }
    }

    @inlinable
    func set(unsigned integer: UInt64) {
        if let integer = Int64(exactly: integer) {
            sqlite3_result_int64(context, integer)
        } else {
            sqlite3_result_error_toobig(context)
        }
    }

    /// Sets the result to NULL.
    @inlinable
    public func setNull() {
        sqlite3_result_null(context)
    }

    /// Sets the result to a TEXT value, with a copy of UTF-8 bytes.
    @inlinable
    public func setText(_ bytes: UnsafeRawBufferPointer) {
        // SQLite interprets a null pointer as NULL.
        let start = bytes.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)
        sqlite3_result_text64(
            context, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), transientDestructor,
            UInt8(SQLITE_UTF8))
    }

    /// Sets the result to a BLOB value, with a copy of the bytes.
    @inlinable
    public func setBlob(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            sqlite3_result_zeroblob(context, 0)
            return
        }
        sqlite3_result_blob64(context, start, UInt64(bytes.count), transientDestructor)
    }

    /// Sets the result to a copy of a column of a statement's current row.
    @inlinable
    public func set(columnOf sqliteStatement: SQLiteStatement, at index: CInt) {
        sqlite3_result_value(context, sqlite3_column_value(sqliteStatement, index))
    }
}
