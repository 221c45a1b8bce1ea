extension DatabaseError {
    /// What to do about the error, for errors whose message doesn't tell.
    ///
    /// ```swift
    /// let error = DatabaseError(resultCode: .SQLITE_BUSY, message: "database is locked")
    /// error.recoverySuggestion
    /// // another connection writes to the database: let this one wait with Configuration.busyMode, such as .timeout(5)
    /// ```
    ///
    /// The suggestion ends ``debugDescription``, and is the localized recovery suggestion of an `NSError`.
    public var recoverySuggestion: String? {
        if case .parameterCount(let count) = detail {
            return "the statement has \(count) parameter\(count == 1 ? "" : "s")"
        }
        if resultCode == .SQLITE_BUSY {
            return """
                another connection writes to the database: let this one wait with Configuration.busyMode, such as .timeout(5)
                """
        }
        return describedSuggestion
    }

    /// The suggestion that ends ``description``, too.
    var describedSuggestion: String? {
        guard let message else { return nil }
        return Self.suggestions.first { message.hasPrefix($0.message) }?.suggestion
    }

    private static let suggestions: [(message: String, suggestion: String)] = [
        (
            "no such table: amalgam_audit",
            "the connection has no audit log: call audit(_:) of its Configuration before it is opened"
        ),
        (
            "no such tokenizer: ",
            "register the tokenizer on each connection: call db.add(tokenizer:) in Configuration.prepareDatabase"
        ),
        (
            "unable to use function MATCH in the requested context",
            "only full-text tables have MATCH: join the full-text table by its rowid"
        ),
        (
            "malformed JSON",
            "db.validateJSON(_:) throws an error that tells the line and the column of the mistake in a string"
        ),
        (
            "could not activate WAL Mode at path: :memory:",
            "a DatabasePool needs a file: use DatabaseQueue() for a database in memory"
        ),
    ]
}
