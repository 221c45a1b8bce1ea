import Foundation

/// The state of a connection's transactions that SQLite doesn't provide.
struct TransactionMarks {
    /// Whether SQLite has rolled back a transaction since the last check.
    var wasRolledBack = false

    /// Whether the open transaction was begun by a statement.
    var hasBegun = false

    /// Whether an interruption has ended a transaction that the application hasn't rolled back yet.
    var isAborted = false

    /// The date of the current transaction, after its first use.
    var date: Date?
}
