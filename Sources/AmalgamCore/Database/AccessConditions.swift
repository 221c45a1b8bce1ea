/// The conditions, in addition to the thread, that are checked before a connection is used. Usually there are none, so
/// one comparison suffices.
struct AccessConditions: OptionSet {
    let rawValue: UInt8

    /// The connection is closed.
    static let closed = AccessConditions(rawValue: 1 << 0)

    /// The connection is the destination of a backup. SQLite requires that it isn't used during the backup.
    static let receivingBackup = AccessConditions(rawValue: 1 << 1)

    /// SQLite has called a closure in the middle of a change. It must not use the connection.
    static let insideHook = AccessConditions(rawValue: 1 << 2)

    /// Registrations of functions and collations wait until no statement runs.
    static let waitingRegistrations = AccessConditions(rawValue: 1 << 3)

    /// SQLite has called a closure that must not use the connection, or statements have limits.
    static let restricted = AccessConditions(rawValue: 1 << 4)

    /// The connection reads the same snapshot all its life. When its transaction ends, it loses the snapshot.
    static let holdingSnapshot = AccessConditions(rawValue: 1 << 5)

    /// `inTransaction` has begun a transaction that it will end.
    static let managingTransaction = AccessConditions(rawValue: 1 << 6)

    /// Whether a condition holds.
    subscript(condition: AccessConditions) -> Bool {
        get { contains(condition) }
        set { if newValue { insert(condition) } else { remove(condition) } }
    }
}
