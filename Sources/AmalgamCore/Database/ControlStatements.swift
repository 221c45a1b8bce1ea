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

/// The compiled statements by which a connection begins and ends transactions. They are in an array, because each read
/// runs two of them: looking them up by SQL in a dictionary took 5% of the time of a small read.
struct ControlStatements {
    private var statements: [Statement?] = Array(repeating: nil, count: TransactionControl.allCases.count)

    subscript(control: TransactionControl) -> Statement? {
        get { statements[control.rawValue] }
        set { statements[control.rawValue] = newValue }
    }

    mutating func removeAll() { self = ControlStatements() }
}
