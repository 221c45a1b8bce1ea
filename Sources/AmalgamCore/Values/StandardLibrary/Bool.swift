public import CAmalgam

/// Stored as INTEGER 0 or 1. Every number but zero reads as true.
extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
    /// INTEGER 0 or 1.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self ? 1 : 0)) }

    /// false for the numbers equal to zero, true for others, nil for anything that is not a number.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
        switch dbValue.storage {
        case .int64(let integer): integer != 0
        case .double(let double): double != 0
        default: nil
        }
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, self ? 1 : 0)
    }

    /// Whether the number SQLite converts the column to differs from zero. NULL, and a text that is no number, are 0.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        // As a double: 0.5 is not zero, and no integer but zero converts to 0.0.
        self = sqlite3_column_double(sqliteStatement, index) != 0
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Bool? {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isInteger { return value.pointee.integer != 0 }
        if value.pointee.isNull { return nil }
        return Bool(sqliteStatement: sqliteStatement, index: index)
    }
}
