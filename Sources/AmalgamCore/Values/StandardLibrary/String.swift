public import CAmalgam

/// A string, stored as TEXT in UTF-8, including NUL characters.
///
/// ```swift
/// let names = try String.fetchAll(db, sql: "SELECT name FROM player")
/// ```
extension String: DatabaseValueConvertible, StatementColumnConvertible {
    /// A TEXT value.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

    /// Returns the string of a TEXT value, or the bytes of a BLOB value decoded as UTF-8; nil for other storage
    /// classes. Bytes that aren't UTF-8 are replaced with U+FFFD.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
        switch dbValue.storage {
        case .string(let string): string
        case .blob(let data): dbValue.isStrict ? nil : String(decoding: data, as: UTF8.self)
        case .null, .int64, .double: nil
        }
    }

    /// Binds a copy of the string.
    ///
    /// - Returns: an SQLite result code, such as `SQLITE_TOOBIG` if the string is longer than the connection allows.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        // A variable, because `withUTF8` may convert a string that isn't UTF-8 in memory, such as a bridged one.
        var text = self
        return text.withUTF8 { bindText(UnsafeRawBufferPointer($0), to: sqliteStatement, at: index) }
    }

    /// Decodes a column with SQLite's conversion to TEXT. A number is decoded as the string that SQLite prints for it,
    /// a BLOB value as UTF-8, and NULL as an empty string. Bytes that aren't UTF-8 are replaced with U+FFFD.
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
        return converted(sqliteStatement, index)
    }

    /// Decodes columns that aren't UTF-8 TEXT values.
    @usableFromInline
    @inline(never)
    init(converting sqliteStatement: SQLiteStatement, _ index: CInt) {
        self = withTextBytes(of: sqliteStatement, index) { String(decoding: $0, as: UTF8.self) }
    }
}
