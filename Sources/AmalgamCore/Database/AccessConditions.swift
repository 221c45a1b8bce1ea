/// The conditions that prevent or restrict the use of a connection. Usually the set is empty, and the check before each
/// use is one comparison.
struct AccessConditions: OptionSet {
    let rawValue: UInt16

    /// The connection is closed.
    static let closed = AccessConditions(rawValue: 1 << 0)

    /// The connection is the destination of a backup. SQLite requires that it isn't used during the backup.
    static let receivingBackup = AccessConditions(rawValue: 1 << 1)

    /// SQLite has called a closure in the middle of a change. The closure must not use the connection.
    static let insideHook = AccessConditions(rawValue: 1 << 2)

    /// Changes of functions and collations are deferred until no statement runs.
    static let waitingRegistrations = AccessConditions(rawValue: 1 << 3)

    /// SQLite has called a closure that must not use the connection, or `withLimits` limits the statements.
    static let restricted = AccessConditions(rawValue: 1 << 4)

    /// The connection always reads one snapshot of the database, and loses the snapshot when its transaction ends.
    static let holdingSnapshot = AccessConditions(rawValue: 1 << 5)

    /// `inTransaction` has begun a transaction that it will end.
    static let managingTransaction = AccessConditions(rawValue: 1 << 6)

    /// The connection is in a closure of `withAuthorizer`, in which only statements of the closure run.
    static let authorizing = AccessConditions(rawValue: 1 << 7)

    /// Statements were reset at the end of a database access, and cursors may still use them: see `EndedRuns`.
    static let checkingRuns = AccessConditions(rawValue: 1 << 8)

    /// The conditions in which a cursor can't simply continue: `insideHook`, `authorizing` and `checkingRuns`. A constant,
    /// because each step reads it.
    static let checkingCursors = AccessConditions(rawValue: 1 << 2 | 1 << 7 | 1 << 8)

    /// Whether a condition holds.
    subscript(condition: AccessConditions) -> Bool {
        get { contains(condition) }
        set { if newValue { insert(condition) } else { remove(condition) } }
    }
}
