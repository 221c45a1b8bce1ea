/// An error thrown in a callback, whose code or message SQLite loses. It replaces the generic error that SQLite reports.
package struct PendingCallbackError {
    /// What SQLite will report; nil for any code.
    private let reportedCode: ResultCode?
    private let reportedMessage: String?

    /// What was thrown.
    package let code: ResultCode
    package let message: String

    /// A failure of a function whose message SQLite does not look for.
    package init(withoutMessage failure: CallbackFailure) {
        code = ResultCode(rawValue: failure.code)
        message = failure.message
        reportedCode = code
        reportedMessage = code.errorString
    }

    /// A failure while a statement is compiled: whatever its code, SQLite reports an error in the statement.
    package init(compiling failure: CallbackFailure) {
        code = ResultCode(rawValue: failure.code)
        message = failure.message
        reportedCode = .SQLITE_ERROR
        reportedMessage = failure.message
    }

    /// A reason why there is no plan for a statement.
    package init(noQuerySolution message: String) {
        code = .SQLITE_ERROR
        self.message = message
        reportedCode = code
        reportedMessage = "no query solution"
    }

    /// A failure that SQLite reports with a different message.
    package init(_ failure: CallbackFailure, reportedMessage: String) {
        code = ResultCode(rawValue: failure.code)
        message = failure.message
        reportedCode = nil
        self.reportedMessage = reportedMessage
    }

    /// Whether this failure is behind an error that SQLite reports.
    package func isBehind(_ code: ResultCode, _ message: String?) -> Bool {
        (reportedCode ?? code) == code && (message == nil || message == reportedMessage)
    }
}
