public import CAmalgam

/// nil is NULL.
extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    public var sqlExpression: SQLExpression {
        self?.sqlExpression ?? SQLExpression(node: DatabaseValue.null)
    }
}

/// nil is NULL.
extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    public var sqlSelection: SQLSelection {
        self?.sqlSelection ?? SQLSelection(node: DatabaseValue.null)
    }
}

/// nil is NULL, which changes no order.
extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLOrdering(node: DatabaseValue.null)
    }
}

// Optionals are not `SQLSpecificExpressible`: the compiler would consider an optional for each operand of each operator,
// and take seconds for a condition of some lines.

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// Binds the wrapped value, or NULL.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .some(let wrapped): wrapped.bind(to: sqliteStatement, at: index)
        case .none: sqlite3_bind_null(sqliteStatement, index)
        }
    }
}

/// An optional is a value of a column that may hold NULL.
///
/// ```swift
/// let emails = try String?.fetchAll(db, sql: "SELECT email FROM player")   // [String?]
/// ```
///
/// NULL is nil, unless the wrapped type gives it a meaning: read as `DatabaseValue?`, it is `DatabaseValue.null`. A
/// value that does not convert is an error, not nil.
extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
        if let wrapped = Wrapped.fromDatabaseValue(dbValue) { return .some(wrapped) }
        return dbValue.isNull ? .some(nil) : nil
    }

    /// nil: the value of a column that does not exist.
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
