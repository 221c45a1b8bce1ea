public import CAmalgam

// The ten integer types state their members, and share one implementation, generic over the type: it is inlinable, and
// each conformance specialises it.

/// Stored as INTEGER. A real loses its fraction when it is read; what does not fit does not convert.
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

/// Stored as INTEGER. A real loses its fraction when it is read; what does not fit does not convert.
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

/// Stored as INTEGER. A real loses its fraction when it is read; what does not fit does not convert.
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

/// Stored as INTEGER. A real loses its fraction when it is read; what does not fit does not convert.
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

/// Stored as INTEGER. A real loses its fraction when it is read; what does not fit does not convert.
extension Int64: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { integerValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int64? { Int64(dbValue) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindInteger(sqliteStatement, index)
    }

    /// The integer SQLite converts the column to: 0 for NULL and for a text that is no number, and the nearest
    /// limit for a real that does not fit.
    ///
    /// ``fromStatement(_:atUncheckedIndex:)``, which fetching uses, gives nil for NULL and for such a real.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_int64(sqliteStatement, index)
    }
}

/// Stored as INTEGER. SQLite has no integer above `Int64.max`: storing a larger value is an error. Store such values
/// as `Int64(bitPattern:)` or as text.
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

/// Stored as INTEGER. A real loses its fraction when it is read; what does not fit does not convert.
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

/// Stored as INTEGER. A real loses its fraction when it is read; what does not fit does not convert.
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

/// Stored as INTEGER. A real loses its fraction when it is read; what does not fit does not convert.
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

/// Stored as INTEGER. SQLite has no integer above `Int64.max`: storing a larger value is an error. Store such values
/// as `Int64(bitPattern:)` or as text.
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
    /// An INTEGER, or a value that cannot be stored.
    @inlinable
    package var integerValue: DatabaseValue {
        guard let integer = Int64(exactly: self) else { return DatabaseValue(unstorable: String(self)) }
        return DatabaseValue(storage: .int64(integer))
    }

    /// The integer, or the real truncated toward zero, when it fits; nil for anything else.
    @inlinable
    package init?(_ dbValue: DatabaseValue) {
        switch dbValue.storage {
        case .int64(let integer): self.init(exactly: integer)
        case .double(let double): self.init(truncating: double)
        default: return nil
        }
    }

    /// Binds an INTEGER. Returns `SQLITE_MISMATCH` for a value above `Int64.max`.
    @inlinable
    package func bindInteger(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> CInt {
        guard let integer = Int64(exactly: self) else { return SQLITE_MISMATCH }
        return sqlite3_bind_int64(sqliteStatement, index, integer)
    }

    /// The real without its fraction, or nil when that does not fit, is infinite, or not a number.
    @inlinable
    package init?(truncating real: Double) {
        // One machine instruction for the reals in the range of Int64. Only UInt64 holds some that are not.
        if real >= -0x1p63 && real < 0x1p63 {
            self.init(exactly: Int64(real))
        } else {
            self.init(exactly: real.rounded(.towardZero))
        }
    }
}

extension StatementColumnConvertible where Self: FixedWidthInteger {
    /// The integer, the real truncated toward zero, or the number SQLite finds at the start of a text or blob:
    /// nil when it does not fit, and for NULL.
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

    /// The columns that hold something else than an integer or NULL, kept out of the loops of the others.
    @inlinable
    @inline(never)
    static func converted(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
        if sqlite3_column_type(sqliteStatement, index) == SQLITE_FLOAT {
            return Self(truncating: sqlite3_column_double(sqliteStatement, index))
        } else {
            return Self(exactly: sqlite3_column_int64(sqliteStatement, index))
        }
    }
}
