/// The statements that control transactions.
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

/// The compiled control statements of a connection, in an array: each read runs two of them, and a dictionary keyed by
/// their SQL took a twentieth of the time of a small read.
struct ControlStatements {
    private var statements: [Statement?] = Array(repeating: nil, count: TransactionControl.allCases.count)

    subscript(control: TransactionControl) -> Statement? {
        get { statements[control.rawValue] }
        set { statements[control.rawValue] = newValue }
    }

    mutating func removeAll() { self = ControlStatements() }
}
