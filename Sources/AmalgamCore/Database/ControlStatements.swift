/// The statements behind the transactions of Swift.
enum TransactionControl: Int, CaseIterable {
    case beginDeferred, beginImmediate, beginExclusive, commit, rollback
    case savepoint, rollbackToSavepoint, releaseSavepoint

    var sql: String {
        switch self {
        case .beginDeferred: "BEGIN DEFERRED TRANSACTION"
        case .beginImmediate: "BEGIN IMMEDIATE TRANSACTION"
        case .beginExclusive: "BEGIN EXCLUSIVE TRANSACTION"
        case .commit: "COMMIT TRANSACTION"
        case .rollback: "ROLLBACK TRANSACTION"
        case .savepoint: "SAVEPOINT grdb"
        case .rollbackToSavepoint: "ROLLBACK TRANSACTION TO SAVEPOINT grdb"
        case .releaseSavepoint: "RELEASE SAVEPOINT grdb"
        }
    }
}

/// Those that a connection has compiled, found by their number: two of them run in each read, and a dictionary of their
/// SQL took a twentieth of the time of a small one.
struct ControlStatements {
    private var statements: [Statement?] = Array(repeating: nil, count: TransactionControl.allCases.count)

    subscript(control: TransactionControl) -> Statement? {
        get { statements[control.rawValue] }
        set { statements[control.rawValue] = newValue }
    }

    mutating func removeAll() { self = ControlStatements() }
}
