/// What must be looked at before a connection is used, beside the thread. Mostly it is nothing, which one comparison
/// tells.
struct AccessConditions: OptionSet {
    let rawValue: UInt8

    /// The connection is closed.
    static let closed = AccessConditions(rawValue: 1 << 0)

    /// A backup is under way that writes here: SQLite trusts us not to use the connection meanwhile.
    static let receivingBackup = AccessConditions(rawValue: 1 << 1)

    /// A closure runs in the middle of a change of SQLite, where the connection must not be used.
    static let insideHook = AccessConditions(rawValue: 1 << 2)

    /// Functions and collations wait until no statement runs.
    static let waitingRegistrations = AccessConditions(rawValue: 1 << 3)

    /// A closure runs that must not use the connection, or statements have limits.
    static let restricted = AccessConditions(rawValue: 1 << 4)

    /// The connection sees one state of the database for all its life: without its transaction, it is lost.
    static let holdingSnapshot = AccessConditions(rawValue: 1 << 5)

    /// `inTransaction` has begun a transaction that it will end.
    static let managingTransaction = AccessConditions(rawValue: 1 << 6)

    /// Whether a condition holds.
    subscript(condition: AccessConditions) -> Bool {
        get { contains(condition) }
        set { if newValue { insert(condition) } else { remove(condition) } }
    }
}
