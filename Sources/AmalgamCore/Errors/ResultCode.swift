import CAmalgam

/// A result code of SQLite, primary or extended: <https://sqlite.org/rescode.html>.
///
/// Equality is exact. Pattern matching is not: a primary code matches its extended codes.
///
/// ```swift
/// switch error.extendedResultCode {
/// case .SQLITE_CONSTRAINT_FOREIGNKEY: …   // 787
/// case .SQLITE_CONSTRAINT: …              // 19, and any other constraint error
/// default: …
/// }
/// ```
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The number that SQLite gives the code.
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The primary code: itself, or the one that an extended code refines.
    public var primaryResultCode: ResultCode {
        ResultCode(rawValue: rawValue & 0xFF)
    }

    /// Whether `code` is `pattern`, or refines it.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// Whether `error` is a ``DatabaseError`` whose extended code is `lhs`, or refines it.
    public static func ~= (lhs: ResultCode, rhs: any Error) -> Bool {
        guard let error = rhs as? DatabaseError else { return false }
        return lhs ~= error.extendedResultCode
    }

    /// The message that SQLite has for the code, as in `FOREIGN KEY constraint failed`.
    var errorString: String? {
        sqlite3_errstr(rawValue).map { String(cString: $0) }
    }
}

extension ResultCode: CustomStringConvertible {
    /// The number of the code and SQLite's message for it: `19 (constraint failed)`.
    public var description: String {
        errorString.map { "\(rawValue) (\($0))" } ?? "\(rawValue)"
    }
}
