import Foundation

/// What a connection notes about its transactions, beyond what SQLite knows.
struct TransactionMarks {
    /// Whether SQLite has rolled a transaction back since this was last looked at.
    var wasRolledBack = false

    /// Whether a transaction is open that a statement has begun.
    var hasBegun = false

    /// Whether an interruption has ended a transaction that the application has not rolled back since.
    var isAborted = false

    /// The date of the current transaction, once it was asked for.
    var date: Date?
}
