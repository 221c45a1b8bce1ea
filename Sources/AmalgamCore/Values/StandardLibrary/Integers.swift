public import CAmalgam

// The members of the ten integer types call one generic, inlinable implementation, which is specialized for each type.

/// An integer, stored as INTEGER. A REAL value such as `1.5` is decoded as 1. A number outside the range of this type
/// can't be decoded.
///
/// ```swift
/// let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// ```
extension Int: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int? { Int(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

/// An integer, stored as INTEGER. A REAL value such as `1.5` is decoded as 1. A number outside the range of this type
/// can't be decoded.
extension Int8: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int8? { Int8(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

/// An integer, stored as INTEGER. A REAL value such as `1.5` is decoded as 1. A number outside the range of this type
/// can't be decoded.
extension Int16: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int16? { Int16(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

/// An integer, stored as INTEGER. A REAL value such as `1.5` is decoded as 1. A number outside the range of this type
/// can't be decoded.
extension Int32: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int32? { Int32(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

/// An integer, stored as INTEGER. A REAL value such as `1.5` is decoded as 1. A number outside the range of this type
/// can't be decoded.
extension Int64: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int64? { Int64(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    /// Decodes a column with SQLite's conversion to an integer: 0 for NULL and non-numeric TEXT values, and `Int64.min`
    /// or `Int64.max` for a REAL value out of range.
    ///
    /// Fetching methods use ``fromStatement(_:atUncheckedIndex:)``, which returns nil for NULL, and for a REAL value
    /// out of range.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_int64(sqliteStatement, index)
    }
}

/// An integer, stored as INTEGER. SQLite's integers end at `Int64.max`, so that storing a larger value is an error.
/// Store large values as `Int64(bitPattern:)`, or as strings.
extension UInt: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt? { UInt(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

/// An integer, stored as INTEGER. A REAL value such as `1.5` is decoded as 1. A number outside the range of this type
/// can't be decoded.
extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt8? { UInt8(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

/// An integer, stored as INTEGER. A REAL value such as `1.5` is decoded as 1. A number outside the range of this type
/// can't be decoded.
extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt16? { UInt16(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

/// An integer, stored as INTEGER. A REAL value such as `1.5` is decoded as 1. A number outside the range of this type
/// can't be decoded.
extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt32? { UInt32(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

/// An integer, stored as INTEGER. SQLite's integers end at `Int64.max`, so that storing a larger value is an error.
/// Store large values as `Int64(bitPattern:)`, or as strings.
extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt64? { UInt64(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement, index) }
}

// MARK: - The shared implementation

extension FixedWidthInteger {
    /// An INTEGER value. A value above `Int64.max` can't be stored.
    @inlinable
    package var integerValue: DatabaseValue {
        guard let integer = Int64(exactly: self) else { return DatabaseValue(unstorable: String(self)) }
        return DatabaseValue(storage: .int64(integer))
    }

    /// Creates an integer from an INTEGER value, or from a REAL value truncated toward zero. The result is nil if the
    /// number is out of range, for other storage classes, and for a strict value with a fraction.
    @inlinable
    package init?(_ dbValue: DatabaseValue) {
        switch dbValue.storage {
        case .int64(let integer): self.init(exactly: integer)
        case .double(let double) where dbValue.isStrict: self.init(exactly: double)
        case .double(let double): self.init(truncating: double)
        default: return nil
        }
    }

    /// Binds an INTEGER value. Returns `SQLITE_MISMATCH` for a value above `Int64.max`.
    @inlinable
    package func bindInteger(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> CInt {
        guard let integer = Int64(exactly: self) else { return SQLITE_MISMATCH }
        return sqlite3_bind_int64(sqliteStatement, index, integer)
    }

    /// Truncates a REAL value toward zero; nil if the result is out of range, or if the value is infinite or NaN.
    @inlinable
    package init?(truncating real: Double) {
        // In the range of Int64, the conversion is one machine instruction. Only UInt and UInt64 have larger values.
        if real >= -0x1p63 && real < 0x1p63 {
            self.init(exactly: Int64(real))
        } else {
            self.init(exactly: real.rounded(.towardZero))
        }
    }
}

extension StatementColumnConvertible where Self: FixedWidthInteger {
    /// Decodes an INTEGER value, a REAL value truncated toward zero, or the numeric prefix of a TEXT or BLOB value. The
    /// result is nil for NULL, and for a number out of range.
    @inlinable
    package init?(_ sqliteStatement: SQLiteStatement, _ index: CInt) {
        guard let integer = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
        self = integer
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isInteger { return Self(exactly: value.pointee.integer) }
        if value.pointee.isNull { return nil }
        return converted(sqliteStatement, index)
    }

    /// Decodes columns that aren't INTEGER or NULL. Not inlined, so that loops over the frequent cases stay small.
    @inlinable
    @inline(never)
    static func converted(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
        if amalgam_decodes_strictly(sqliteStatement) != 0 {
            return Self(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
        }
        if sqlite3_column_type(sqliteStatement, index) == SQLITE_FLOAT {
            return Self(truncating: sqlite3_column_double(sqliteStatement, index))
        } else {
            return Self(exactly: sqlite3_column_int64(sqliteStatement, index))
        }
    }
}
