/// A failure whose message SQLite does not pass on: it has a general one, in the place of which this one is put.
struct UntoldFailure {
    /// The code of SQLite's error, and the general message.
    let code: ResultCode
    let generalMessage: String?

    let message: String

    /// A failure of a function whose message SQLite does not look for.
    init(_ failure: CallbackFailure) {
        code = ResultCode(rawValue: failure.code)
        generalMessage = code.errorString
        message = failure.message
    }

    /// A reason why there is no plan for a statement.
    init(noQuerySolution message: String) {
        code = .SQLITE_ERROR
        generalMessage = "no query solution"
        self.message = message
    }

    func message(for code: ResultCode, _ message: String?) -> String? {
        code == self.code && (message == nil || message == generalMessage) ? self.message : message
    }
}
