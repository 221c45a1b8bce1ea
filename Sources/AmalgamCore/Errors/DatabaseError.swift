import CAmalgam
public import Foundation

/// An error of SQLite, or a misuse of the library that SQLite would not notice.
///
/// ```swift
/// do {
///     try db.execute(sql: "INSERT INTO pet (ownerId) VALUES (?)", arguments: [1])
/// } catch let error as DatabaseError {
///     error.resultCode          // SQLITE_CONSTRAINT
///     error.extendedResultCode  // SQLITE_CONSTRAINT_FOREIGNKEY
///     error.message             // "FOREIGN KEY constraint failed"
///     error.sql                 // "INSERT INTO pet (ownerId) VALUES (?)"
///     error.description         // never shows the argument, unless Configuration.publicStatementArguments
/// }
/// ```
public struct DatabaseError: Error, Sendable {
    /// The primary result code: `SQLITE_CONSTRAINT`.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// The most precise result code known: `SQLITE_CONSTRAINT_FOREIGNKEY`.
    public let extendedResultCode: ResultCode

    /// What went wrong, in SQLite's words or ours.
    public let message: String?

    /// The SQL that failed, with its parameters not replaced.
    public let sql: String?

    /// The arguments of the SQL that failed. They may be sensitive: descriptions leave them out by default.
    public let arguments: StatementArguments?

    let publicStatementArguments: Bool

    /// What is known beside the code.
    enum Detail: Sendable {
        /// Where in `sql` the compilation failed, in bytes of UTF-8.
        case place(Int)
        case limit(ExceededLimit)
        case denial(AuthorizerAction)
    }

    let detail: Detail?

    /// What the description adds to the message: `in migration "Add teams"`, or the path of a file and what is wrong with it.
    package var context: String?

    /// Makes an error, for example to throw it from a SQL function or from `prepareDatabase`.
    ///
    /// - Parameters:
    ///   - resultCode: a primary or extended code.
    ///   - message: what went wrong; SQLite's message for the code when nil.
    ///   - publicStatementArguments: whether `description` may show the arguments.
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

    /// Whether a statement was stopped on purpose: by `interrupt()`, suspension, cancellation, or an aborted
    /// transaction.
    public var isInterruptionError: Bool {
        resultCode == .SQLITE_ABORT || resultCode == .SQLITE_INTERRUPT
    }
}

extension DatabaseError: CustomStringConvertible {
    /// ``SQLite error 19: FOREIGN KEY constraint failed - while executing `INSERT …` ``
    ///
    /// Arguments are shown only when `Configuration.publicStatementArguments` is true. Long SQL and long arguments are
    /// shortened in the middle: ``sql`` and ``arguments`` are whole.
    public var description: String {
        text(showsArguments: publicStatementArguments)
    }

    /// The description, with arguments whatever the configuration. Do not log it where they may be sensitive.
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
        if let context { text += " - \(context)" }
        return text
    }
}

extension String {
    /// The string; when it is longer than 4,000 characters, its beginning and its end, with the number of characters left out
    /// between them.
    fileprivate var shortenedInTheMiddle: String {
        // Counting bytes is cheap, and counting characters isn't.
        if utf8.count <= 4000 { return self }
        let (characterCount, headLength, tailLength) = (count, 3000, 800)
        if characterCount <= 4000 { return self }
        return "\(prefix(headLength)) … \(characterCount - headLength - tailLength) characters … \(suffix(tailLength))"
    }
}

extension DatabaseError: CustomNSError {
    /// The domain that apps written for the original system look for.
    public static var errorDomain: String { "GRDB.DatabaseError" }

    /// The extended result code.
    public var errorCode: Int { Int(extendedResultCode.rawValue) }

    /// The description, and the message as the reason.
    public var errorUserInfo: [String: Any] {
        var userInfo = [NSLocalizedDescriptionKey: description]
        if let message { userInfo[NSLocalizedFailureReasonErrorKey] = message }
        return userInfo
    }
}

extension String {
    /// The SQL without the blanks and semicolons at its ends.
    package var trimmedSQLStatement: String {
        guard let first = utf8.firstIndex(where: Self.isPart), let last = utf8.lastIndex(where: Self.isPart) else {
            return ""
        }
        return String(self[first...last])
    }

    /// How many bytes `trimmedSQLStatement` leaves out at the beginning.
    var leadingBlankCount: Int { utf8.prefix { !Self.isPart($0) }.count }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte != 0x20 && byte != UInt8(ascii: ";") && !(0x09...0x0D).contains(byte)
    }
}
