/// The code and message of an error that Swift code throws in a callback of SQLite. SQLite reports the failure of the
/// callback with a generic code or message, such as "no query solution". This code and message replace them.
package struct PendingCallbackError {
    /// The code that SQLite will report; nil for any code.
    private let reportedCode: ResultCode?
    private let reportedMessage: String?

    /// The code and message that were thrown.
    package let code: ResultCode
    package let message: String

    /// Creates the error of a function whose message SQLite ignores.
    package init(withoutMessage failure: CallbackFailure) {
        code = ResultCode(rawValue: failure.code)
        message = failure.message
        reportedCode = code
        reportedMessage = code.errorString
    }

    /// Creates the error of a callback during a compilation, which SQLite reports with the code `SQLITE_ERROR`.
    package init(compiling failure: CallbackFailure) {
        code = ResultCode(rawValue: failure.code)
        message = failure.message
        reportedCode = .SQLITE_ERROR
        reportedMessage = failure.message
    }

    /// Creates the error of a virtual table that can't provide a query plan.
    package init(noQuerySolution message: String) {
        code = .SQLITE_ERROR
        self.message = message
        reportedCode = code
        reportedMessage = "no query solution"
    }

    /// Creates an error that SQLite reports with a different message.
    package init(_ failure: CallbackFailure, reportedMessage: String) {
        code = ResultCode(rawValue: failure.code)
        message = failure.message
        reportedCode = nil
        self.reportedMessage = reportedMessage
    }

    /// Whether this error is the cause of an error that SQLite reports.
    package func isBehind(_ code: ResultCode, _ message: String?) -> Bool {
        (reportedCode ?? code) == code && (message == nil || message == reportedMessage)
    }
}
