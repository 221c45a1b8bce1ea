import Foundation

/// The state of a connection's transaction, in addition to what SQLite provides.
struct TransactionMarks {
    /// Whether SQLite has rolled back a transaction since the last check.
    var wasRolledBack = false

    /// Whether the open transaction was begun by a statement.
    var hasBegun = false

    /// Whether an interruption, or ``Database/abortTransaction(_:)``, has ended a transaction that the application hasn't
    /// rolled back yet.
    var isAborted = false

    /// The error that ``Database/abortTransaction(_:)`` was called with, until the transaction has ended for its owner.
    var abortCause: (any Error)?

    /// The date of the open transaction, from the first use of ``Database/transactionDate`` on.
    var date: Date?
}
