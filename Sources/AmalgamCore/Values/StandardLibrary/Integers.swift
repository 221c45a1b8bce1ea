public import CAmalgam

// The ten integer types are stored as INTEGER. They share one implementation, generic over the type: it is
// inlinable, and each conformance specialises it.

extension Int: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int8: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int16: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int32: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int64: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {}

// `Codable` makes this extension win over the one that derives values from `Codable`.
extension DatabaseValueConvertible where Self: FixedWidthInteger & Codable {
    /// An INTEGER.
    ///
    /// SQLite has no integer above `Int64.max`: larger unsigned values are a programmer error, and trap. Store them
    /// as `Int64(bitPattern:)` or as text.
    @inlinable
    public var databaseValue: DatabaseValue {
        guard let integer = Int64(exactly: self) else {
            preconditionFailure("\(Self.self) \(self) does not fit in an SQLite integer, which has 64 bits and a sign")
        }
        return DatabaseValue(storage: .int64(integer))
    }

    /// The integer, or the real truncated toward zero, when it fits; nil for anything else.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storage {
        case .int64(let integer): Self(exactly: integer)
        case .double(let double): Self(truncating: double)
        default: nil
        }
    }

    /// Binds an INTEGER.
    ///
    /// - Returns: `SQLITE_TOOBIG` for a value above `Int64.max`.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let integer = Int64(exactly: self) else { return SQLITE_TOOBIG }
        return amalgam_bind_int64(sqliteStatement, index, integer)
    }
}

extension StatementColumnConvertible where Self: FixedWidthInteger {
    /// The integer, the real truncated toward zero, or the number SQLite finds at the start of a text or blob:
    /// nil when it does not fit, and for NULL.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
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

extension Int64 {
    /// The integer SQLite converts the column to: 0 for NULL and for a text that is no number, and the nearest
    /// limit for a real that does not fit.
    ///
    /// ``fromStatement(_:atUncheckedIndex:)``, which fetching uses, gives nil for NULL and for such a real.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_int64(sqliteStatement, index)
    }
}

extension FixedWidthInteger {
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
