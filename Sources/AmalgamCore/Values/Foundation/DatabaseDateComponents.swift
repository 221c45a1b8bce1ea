import CAmalgam

/// Date components, stored as TEXT.
extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
    /// A TEXT value in ``format``.
    public var databaseValue: DatabaseValue {
        text?.string.databaseValue ?? DatabaseValue(unstorable: "\(dateComponents) as \(format.rawValue)")
    }

    /// Returns the components of a TEXT value in one of the ten formats; nil for other values.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
        DateText(dbValue).map { DatabaseDateComponents($0) }
    }

    /// Binds the components as a string in ``format``.
    ///
    /// - Returns: an SQLite result code, such as `SQLITE_MISMATCH` if a component is negative, or has too many digits
    ///   for the format.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        text?.bind(to: sqliteStatement, at: index) ?? SQLITE_MISMATCH
    }

    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let text = DateText(sqliteStatement, index) else { return nil }
        self.init(text)
    }
}
