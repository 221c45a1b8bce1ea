public import CAmalgam
public import Foundation

/// Stored as BLOB. Empty data is an empty blob, not NULL.
extension Data: DatabaseValueConvertible, StatementColumnConvertible {
    /// A BLOB.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

    /// The blob, or the UTF-8 bytes of a text; nil for anything else.
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
    /// - Returns: `SQLITE_TOOBIG` for more bytes than the connection allows.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes { bindBlob($0, to: sqliteStatement, at: index) }
    }

    /// The blob SQLite converts the column to: the UTF-8 bytes of texts and of printed numbers, no byte for NULL.
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
        return Data(converting: sqliteStatement, index)
    }

    /// The columns whose bytes are not there yet: numbers, UTF-16 texts, and blobs that end with implicit zeros.
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
