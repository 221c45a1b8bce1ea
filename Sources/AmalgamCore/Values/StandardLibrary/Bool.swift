public import CAmalgam

/// A Boolean, stored as INTEGER 0 or 1. Every number except zero is decoded as true.
///
/// ```swift
/// try Bool.fetchOne(db, sql: "SELECT score > 10 FROM player")   // true or false
/// ```
extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
    /// INTEGER 0 or 1.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self ? 1 : 0)) }

    /// Returns false for a number equal to zero, true for other numbers, and nil for other storage classes.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
        switch dbValue.storage {
        case .int64(let integer): integer != 0
        case .double(let double): dbValue.isStrict ? Int64(exactly: double).map { $0 != 0 } : double != 0
        default: nil
        }
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, self ? 1 : 0)
    }

    /// Decodes a column with SQLite's conversion to a number: true if the number isn't zero. NULL and non-numeric TEXT
    /// values are decoded as false, because SQLite converts them to 0.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        // Read as a double, because 0.5 isn't zero; of all integers, only 0 converts to 0.0.
        self = sqlite3_column_double(sqliteStatement, index) != 0
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Bool? {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isInteger { return value.pointee.integer != 0 }
        if value.pointee.isNull { return nil }
        return converted(sqliteStatement, index)
    }
}
