// Binding uses the `databaseValue`, not the raw value, because a type may implement its own `databaseValue`.

/// The derived storage of types with a raw value: they are stored as the raw value.
///
/// ```swift
/// enum Color: String, DatabaseValueConvertible { case red, blue }
/// // stored as 'red' and 'blue'; other values can't be decoded
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

// A generic type such as `struct Tagged<Tag, RawValue>` may be convertible only if its raw value is convertible. It
// then declares one conditional conformance for each protocol. The extensions of this file implement these
// conformances.
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
    /// The database representation of the raw value, which takes precedence over the encoded form.
    @inlinable
    public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: RawRepresentable & Decodable, Self.RawValue: DatabaseValueConvertible {
    /// Returns the value with the stored raw value; nil if there is none.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
    }
}

/// The derived decoding of types whose raw value is decoded directly from a statement.
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
