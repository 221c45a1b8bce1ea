import CAmalgam

/// A result code of SQLite, primary or extended: <https://sqlite.org/rescode.html>.
///
/// `==` compares codes exactly. In a pattern, a primary code also matches its extended codes.
///
/// ```swift
/// do {
///     try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
/// } catch let error as DatabaseError {
///     switch error.extendedResultCode {
///     case .SQLITE_CONSTRAINT_PRIMARYKEY: print("the player exists")   // 1555
///     case .SQLITE_CONSTRAINT: print("the player is invalid")          // 19, and all other constraint errors
///     default: throw error
///     }
/// }
/// ```
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// SQLite's number for the code.
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The primary code: `SQLITE_CONSTRAINT` for `SQLITE_CONSTRAINT_UNIQUE`. A primary code returns itself.
    public var primaryResultCode: ResultCode {
        ResultCode(rawValue: rawValue & 0xFF)
    }

    /// Returns whether `code` is equal to `pattern`, or is one of its extended codes.
    ///
    /// ```swift
    /// ResultCode.SQLITE_CONSTRAINT ~= ResultCode.SQLITE_CONSTRAINT_UNIQUE   // true
    /// ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= ResultCode.SQLITE_CONSTRAINT   // false
    /// ```
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// SQLite's message for the code, such as `constraint failed`.
    package var errorString: String? {
        sqlite3_errstr(rawValue).map { String(cString: $0) }
    }
}

extension ResultCode: CustomStringConvertible {
    /// The number of the code, and SQLite's message for it: `19 (constraint failed)`.
    public var description: String {
        errorString.map { "\(rawValue) (\($0))" } ?? "\(rawValue)"
    }
}
