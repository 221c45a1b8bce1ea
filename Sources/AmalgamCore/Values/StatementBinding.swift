public import CAmalgam

/// A pointer to an SQLite connection: the `sqlite3 *` of the C interface.
public typealias SQLiteConnection = OpaquePointer

/// A pointer to a compiled statement: the `sqlite3_stmt *` of the C interface.
public typealias SQLiteStatement = OpaquePointer

/// A type whose values are bound to a statement parameter without an intermediate ``DatabaseValue``.
///
/// The default implementation of every ``DatabaseValueConvertible`` type binds its `databaseValue`. For types on hot
/// paths, implement `bind(to:at:)`:
///
/// ```swift
/// extension Celsius {  // a DatabaseValueConvertible type with a property `degrees`
///     func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
///         degrees.bind(to: sqliteStatement, at: index)
///     }
/// }
/// ```
public protocol StatementBinding {
    /// Binds `self` to a statement parameter.
    ///
    /// - Parameter index: the index of the parameter, from 1.
    /// - Returns: a result code of <https://sqlite.org/c3ref/bind_blob.html>.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

/// `SQLITE_TRANSIENT`, the destructor that makes SQLite copy the bytes before the call returns.
@usableFromInline
package let transientDestructor = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
