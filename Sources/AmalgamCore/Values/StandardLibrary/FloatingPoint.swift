public import CAmalgam

/// Stored as REAL. SQLite stores NaN as NULL.
extension Double: DatabaseValueConvertible, StatementColumnConvertible {
    /// A REAL.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(self)) }

    /// The number, or nil for anything that is not a number.
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

    /// The number SQLite converts the column to: 0 for NULL and for a text that is no number.
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
        return Double(sqliteStatement: sqliteStatement, index: index)
    }
}

/// Stored as REAL, and rounded to the nearest `Float` when read. A real too large for a `Float` is infinite.
extension Float: DatabaseValueConvertible, StatementColumnConvertible {
    /// A REAL.
    @inlinable
    public var databaseValue: DatabaseValue { Double(self).databaseValue }

    /// The number, or nil for anything that is not a number.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
        Double.fromDatabaseValue(dbValue).map { Float($0) }
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        Double(self).bind(to: sqliteStatement, at: index)
    }

    /// The number SQLite converts the column to: 0 for NULL and for a text that is no number.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(Double(sqliteStatement: sqliteStatement, index: index))
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Float? {
        Double.fromStatement(sqliteStatement, atUncheckedIndex: index).map { Float($0) }
    }
}
