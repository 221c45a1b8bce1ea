public import CAmalgam

/// A number, stored as REAL.
///
/// ```swift
/// let average = try Double.fetchOne(db, sql: "SELECT AVG(score) FROM player")
/// ```
///
/// SQLite has no NaN, and stores NaN as NULL. In a column with NOT NULL, such a value is an error. Infinite numbers are
/// stored as they are.
extension Double: DatabaseValueConvertible, StatementColumnConvertible {
    /// A REAL value.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(self)) }

    /// Returns the number of an INTEGER or REAL value; nil for other storage classes.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? {
        switch dbValue.storage {
        case .int64(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_double(sqliteStatement, index, self)
    }

    /// Decodes a column with SQLite's conversion to a number: 0 for NULL and non-numeric TEXT values.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_double(sqliteStatement, index)
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Double? {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isReal { return value.pointee.real }
        if value.pointee.isInteger { return Double(value.pointee.integer) }
        if value.pointee.isNull { return nil }
        return converted(sqliteStatement, index)
    }
}

/// A number, stored as REAL. Decoding rounds to the nearest `Float`, which is infinite for a number beyond the range of
/// `Float`.
extension Float: DatabaseValueConvertible, StatementColumnConvertible {
    /// A REAL value.
    @inlinable
    public var databaseValue: DatabaseValue { Double(self).databaseValue }

    /// Returns the number of an INTEGER or REAL value; nil for other storage classes.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
        Double.fromDatabaseValue(dbValue).map { Float($0) }
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        Double(self).bind(to: sqliteStatement, at: index)
    }

    /// Decodes a column with SQLite's conversion to a number: 0 for NULL and non-numeric TEXT values.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(Double(sqliteStatement: sqliteStatement, index: index))
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Float? {
        Double.fromStatement(sqliteStatement, atUncheckedIndex: index).map { Float($0) }
    }
}
