public import CAmalgam

/// A raw SQLite connection: the `sqlite3 *` of the C interface.
public typealias SQLiteConnection = OpaquePointer

/// A raw SQLite statement: the `sqlite3_stmt *` of the C interface.
public typealias SQLiteStatement = OpaquePointer

/// A type that binds itself to a statement parameter without becoming a ``DatabaseValue`` first.
///
/// Every ``DatabaseValueConvertible`` type has it for free, by binding its `databaseValue`. Types on hot
/// paths bind straight to the C statement:
///
/// ```swift
/// extension Celsius: StatementBinding {
///     public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
///         degrees.bind(to: sqliteStatement, at: index)
///     }
/// }
/// ```
public protocol StatementBinding {
    /// Binds `self` to the parameter at `index`, which counts from 1.
    ///
    /// - Returns: a result code of <https://sqlite.org/c3ref/bind_blob.html>.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

/// What SQLite takes for "copy these bytes now" where a destructor is expected.
@usableFromInline
package let transientDestructor = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
