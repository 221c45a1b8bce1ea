public import CAmalgam
public import Foundation

/// Bytes, stored as BLOB. Empty data is an empty blob, not NULL.
///
/// ```swift
/// try db.execute(sql: "UPDATE note SET attachment = ? WHERE id = ?", arguments: [data, 1])
/// let attachment = try Data.fetchOne(db, sql: "SELECT attachment FROM note WHERE id = ?", arguments: [1])
/// ```
extension Data: DatabaseValueConvertible, StatementColumnConvertible {
    /// A BLOB value.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

    /// Returns the bytes of a BLOB value, or the UTF-8 bytes of a TEXT value; nil for other storage classes.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
        switch dbValue.storage {
        case .blob(let data): data
        case .string(let string): Data(string.utf8)
        default: nil
        }
    }

    /// Binds a copy of the bytes.
    ///
    /// - Returns: an SQLite result code, such as `SQLITE_TOOBIG` if the size exceeds the limit of the connection.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes { bindBlob($0, to: sqliteStatement, at: index) }
    }

    /// Decodes a column with SQLite's conversion to BLOB. A TEXT value is decoded as its UTF-8 bytes, a number as the
    /// bytes of the string that SQLite prints for it, and NULL as empty data.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = amalgam_column(sqliteStatement, index)!
        self =
            value.pointee.isBlob || value.pointee.isText
            ? Data(value.pointee.buffer)
            : Data(converting: sqliteStatement, index)
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Data? {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isBlob || value.pointee.isText { return Data(value.pointee.buffer) }
        if value.pointee.isNull { return nil }
        return converted(sqliteStatement, index)
    }

    /// Decodes columns whose bytes SQLite has to create: numbers, UTF-16 TEXT values, and blobs with trailing zeros
    /// that SQLite hasn't allocated (`zeroblob`).
    @usableFromInline
    @inline(never)
    init(converting sqliteStatement: SQLiteStatement, _ index: CInt) {
        if sqlite3_column_type(sqliteStatement, index) == SQLITE_BLOB {
            self = withBlobBytes(of: sqliteStatement, index) { Data($0) }
        } else {
            self = withTextBytes(of: sqliteStatement, index) { Data($0) }
        }
    }
}
