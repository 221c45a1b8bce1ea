import CAmalgam
public import Foundation

/// An error of SQLite, or a misuse of the library that SQLite wouldn't detect.
///
/// ```swift
/// do {
///     try db.execute(sql: "INSERT INTO player (teamId) VALUES (?)", arguments: [1])
/// } catch let error as DatabaseError {
///     error.resultCode          // SQLITE_CONSTRAINT
///     error.extendedResultCode  // SQLITE_CONSTRAINT_FOREIGNKEY
///     error.message             // "FOREIGN KEY constraint failed"
///     error.sql                 // "INSERT INTO player (teamId) VALUES (?)"
///     error.description         // without the argument, unless Configuration.publicStatementArguments is true
/// }
/// ```
public struct DatabaseError: Error, Sendable {
    /// The primary result code, such as `SQLITE_CONSTRAINT`.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// The most specific result code, such as `SQLITE_CONSTRAINT_FOREIGNKEY`.
    public let extendedResultCode: ResultCode

    /// The message of SQLite or of the library.
    public let message: String?

    /// The SQL that failed. Its parameters aren't replaced by arguments.
    public let sql: String?

    /// The arguments of the SQL that failed. They may be sensitive: by default, descriptions don't include them.
    public let arguments: StatementArguments?

    let publicStatementArguments: Bool

    /// Information in addition to the code and message.
    enum Detail: Sendable {
        /// The position in `sql` at which the compilation failed, in bytes of UTF-8.
        case place(Int)
        case limit(ExceededLimit)
        case denial(AuthorizerAction)

        /// The number of parameters of the statement that received another number of arguments.
        case parameterCount(Int)
    }

    let detail: Detail?

    /// A string that ends the description: `in migration "Add teams"`, or the path of a database file that can't be
    /// opened, with the reason if it is known.
    package var context: String?

    /// Creates an error, for example to throw it in an SQL function or in `prepareDatabase`.
    ///
    /// ```swift
    /// throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "the score is negative")
    /// ```
    ///
    /// - Parameters:
    ///   - resultCode: A primary or extended code.
    ///   - message: The message; with nil, SQLite's message for the code.
    ///   - sql: The SQL that failed.
    ///   - arguments: The arguments of the SQL that failed.
    ///   - publicStatementArguments: Whether `description` may include the arguments.
    public init(
        resultCode: ResultCode = .SQLITE_ERROR,
        message: String? = nil,
        sql: String? = nil,
        arguments: StatementArguments? = nil,
        publicStatementArguments: Bool = false
    ) {
        self.init(
            resultCode: resultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments, detail: nil)
    }

    init(
        resultCode: ResultCode, message: String?, sql: String?, arguments: StatementArguments?,
        publicStatementArguments: Bool, detail: Detail?
    ) {
        self.extendedResultCode = resultCode
        self.message = message ?? resultCode.errorString
        self.sql = sql
        self.arguments = arguments
        self.publicStatementArguments = publicStatementArguments
        self.detail = detail
    }

    package init(code: CInt, message: String? = nil, sql: String? = nil) {
        self.init(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
    }

    /// Whether a statement was stopped or rejected: by `interrupt()`, a limit or a suspension, or because its
    /// transaction was rolled back. The result code is `SQLITE_INTERRUPT` or `SQLITE_ABORT`.
    public var isInterruptionError: Bool {
        resultCode == .SQLITE_ABORT || resultCode == .SQLITE_INTERRUPT
    }
}

extension DatabaseError: CustomStringConvertible {
    /// The code, the message and the SQL:
    ///
    ///     SQLite error 19: FOREIGN KEY constraint failed - while executing `INSERT …`
    ///
    /// It ends with the ``recoverySuggestion`` if the message alone is hard to understand. It includes the arguments only if `Configuration.publicStatementArguments` is true. Long SQL and long arguments
    /// are shortened in the middle; ``sql`` and ``arguments`` are complete.
    public var description: String {
        text(showsArguments: publicStatementArguments)
    }

    /// The description, always with arguments, which may be sensitive.
    public var expandedDescription: String {
        text(showsArguments: true)
    }

    private func text(showsArguments: Bool) -> String {
        var text = "SQLite error \(resultCode.rawValue)"
        if let message { text += ": \(message)" }
        if let sql { text += " - while executing `\(sql.trimmedSQLStatement.shortenedInTheMiddle)`" }
        if showsArguments, let arguments, !arguments.isEmpty {
            text += " with arguments \(arguments.description.shortenedInTheMiddle)"
        }
        for remark in [context, describedSuggestion].compactMap(\.self) { text += " - \(remark)" }
        return text
    }
}

extension String {
    /// The string, if it has at most 4,000 characters. Otherwise its beginning, the number of characters left out, and
    /// its end.
    fileprivate var shortenedInTheMiddle: String {
        // Counting bytes is cheap, and counting characters isn't.
        if utf8.count <= 4000 { return self }
        let (characterCount, headLength, tailLength) = (count, 3000, 800)
        if characterCount <= 4000 { return self }
        return "\(prefix(headLength)) … \(characterCount - headLength - tailLength) characters … \(suffix(tailLength))"
    }
}

extension DatabaseError: CustomNSError {
    /// The error domain, which existing applications depend on: `GRDB.DatabaseError`.
    public static var errorDomain: String { "GRDB.DatabaseError" }

    /// The extended result code.
    public var errorCode: Int { Int(extendedResultCode.rawValue) }

    /// The description, the message as the failure reason, and the recovery suggestion.
    public var errorUserInfo: [String: Any] {
        var userInfo = [NSLocalizedDescriptionKey: description]
        if let message { userInfo[NSLocalizedFailureReasonErrorKey] = message }
        if let recoverySuggestion { userInfo[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion }
        return userInfo
    }
}

extension String {
    /// The SQL without blanks and semicolons at its beginning and end.
    package var trimmedSQLStatement: String {
        guard let first = utf8.firstIndex(where: Self.isPart), let last = utf8.lastIndex(where: Self.isPart) else {
            return ""
        }
        return String(self[first...last])
    }

    /// The number of bytes that `trimmedSQLStatement` leaves out at the beginning.
    var leadingBlankCount: Int { utf8.prefix { !Self.isPart($0) }.count }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte != 0x20 && byte != UInt8(ascii: ";") && !(0x09...0x0D).contains(byte)
    }
}
