public import CAmalgam

/// Stored as TEXT, in UTF-8, with its NUL characters.
extension String: DatabaseValueConvertible, StatementColumnConvertible {
    /// A TEXT.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

    /// The TEXT value, or the bytes of a BLOB as UTF-8, where invalid bytes are replaced with U+FFFD; nil for other values.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
        switch dbValue.storage {
        case .string(let string): string
        case .blob(let data): String(decoding: data, as: UTF8.self)
        case .null, .int64, .double: nil
        }
    }

    /// Binds a copy of the text.
    ///
    /// - Returns: `SQLITE_TOOBIG` for a text longer than the connection allows.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        // Strings that are not UTF-8 in memory, as some that come from Objective-C, change in the copy only.
        var text = self
        return text.withUTF8 { bindText(UnsafeRawBufferPointer($0), to: sqliteStatement, at: index) }
    }

    /// The text SQLite converts the column to: numbers as SQLite prints them, blobs as if they held UTF-8, NULL as
    /// the empty string. Bytes that are not UTF-8 are replaced with U+FFFD.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = amalgam_column(sqliteStatement, index)!
        self =
            value.pointee.isText
            ? String(decoding: value.pointee.buffer, as: UTF8.self)
            : String(converting: sqliteStatement, index)
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> String? {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isText { return String(decoding: value.pointee.buffer, as: UTF8.self) }
        if value.pointee.isNull { return nil }
        return String(converting: sqliteStatement, index)
    }

    /// The columns that do not hold a UTF-8 text.
    @usableFromInline
    @inline(never)
    init(converting sqliteStatement: SQLiteStatement, _ index: CInt) {
        self = withTextBytes(of: sqliteStatement, index) { String(decoding: $0, as: UTF8.self) }
    }
}
