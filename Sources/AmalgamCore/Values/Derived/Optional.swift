public import CAmalgam

/// An SQL expression, or NULL for nil.
extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    public var sqlExpression: SQLExpression {
        self?.sqlExpression ?? SQLExpression(node: DatabaseValue.null)
    }
}

/// A result column, or NULL for nil.
extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    public var sqlSelection: SQLSelection {
        self?.sqlSelection ?? SQLSelection(node: DatabaseValue.null)
    }
}

/// An ordering term, or NULL for nil, which doesn't affect the order.
extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLOrdering(node: DatabaseValue.null)
    }
}

// Optionals aren't `SQLSpecificExpressible`: the compiler would consider an optional for each operand of each operator,
// and take seconds to compile a condition of a few lines.

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// Binds the wrapped value, or NULL for nil.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .some(let wrapped): wrapped.bind(to: sqliteStatement, at: index)
        case .none: sqlite3_bind_null(sqliteStatement, index)
        }
    }
}

/// A column value that may be NULL.
///
/// ```swift
/// let emails = try String?.fetchAll(db, sql: "SELECT email FROM player")   // [String?]
/// ```
///
/// NULL is decoded as nil, unless the wrapped type itself decodes NULL: a `DatabaseValue?` is decoded as
/// `DatabaseValue.null`. A value that can't be converted is an error.
extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
        if let wrapped = Wrapped.fromDatabaseValue(dbValue) { return .some(wrapped) }
        return dbValue.isNull ? .some(nil) : nil
    }

    /// Returns nil as the value of a missing column.
    @inlinable
    public static func fromMissingColumn() -> Wrapped?? { .some(nil) }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let optional = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
        self = optional
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Wrapped?? {
        if let wrapped = Wrapped.fromStatement(sqliteStatement, atUncheckedIndex: index) { return .some(wrapped) }
        return amalgam_column(sqliteStatement, index).pointee.isNull ? .some(nil) : nil
    }
}
