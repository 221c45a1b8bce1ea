// What a type stores is decided in one place, its `databaseValue`: binding therefore does not go through the raw
// value, which would ignore a `databaseValue` the type has written itself.

/// Types with a raw value are stored as that value.
///
/// ```swift
/// enum Color: String, DatabaseValueConvertible { case red, blue }
/// // stored as 'red' and 'blue'; anything else does not decode
/// ```
extension DatabaseValueConvertible where Self: RawRepresentable, Self.RawValue: DatabaseValueConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        databaseValue.bind(to: sqliteStatement, at: index)
    }

    public var sqlExpression: SQLExpression { SQLExpression(node: databaseValue) }
}

// A type may be a value only when its raw value is, and then conforms to each protocol by itself: there, it has no
// `databaseValue`.
//
//     extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
//     extension Tagged: StatementBinding where RawValue: StatementBinding {}
//     extension Tagged: StatementColumnConvertible where RawValue: StatementColumnConvertible {}
//     extension Tagged: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}

extension SQLExpressible where Self: RawRepresentable, Self.RawValue: SQLExpressible {
    /// The expression of the raw value.
    public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension StatementBinding where Self: RawRepresentable, Self.RawValue: StatementBinding {
    /// Binds the raw value.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        rawValue.bind(to: sqliteStatement, at: index)
    }
}

extension DatabaseValueConvertible
where Self: RawRepresentable & Encodable, Self.RawValue: DatabaseValueConvertible {
    /// The raw value, in its database representation and not in its encoded one.
    @inlinable
    public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: RawRepresentable & Decodable, Self.RawValue: DatabaseValueConvertible {
    /// The value whose raw value is stored, or nil when there is none.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
    }
}

/// Types with a raw value that decodes straight from a statement may do so too.
///
/// ```swift
/// enum Level: Int, DatabaseValueConvertible, StatementColumnConvertible { case low, high }
/// ```
extension StatementColumnConvertible where Self: RawRepresentable, Self.RawValue: StatementColumnConvertible {
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let rawValue = RawValue.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
        self.init(rawValue: rawValue)
    }
}
