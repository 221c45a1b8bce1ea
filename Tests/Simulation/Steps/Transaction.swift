/// Statements that one connection runs in an access.
package struct Transaction: Codable, Sendable {
    /// The position of the connection in the world.
    var connection: Int
    var parts: [Part]
    var kind = Kind.transaction
    /// Whether the closure throws at its end, so that the transaction is rolled back.
    var isRolledBack = false

    package enum Part: Codable, Sendable {
        case statement(Statement)
        case savepoint([Statement], isRolledBack: Bool)

        var statements: [Statement] {
            switch self {
            case .statement(let statement): [statement]
            case .savepoint(let statements, _): statements
            }
        }
    }

    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// `write`.
        case transaction
        /// `writeWithoutTransaction`: each statement commits.
        case autocommit
        /// An asynchronous `write`.
        case asynchronous
    }

    var statements: [Statement] { parts.flatMap(\.statements) }
}

/// What a transaction has done.
struct TransactionReport: Codable, Sendable {
    var outcomes: [Outcome] = []
    var isCommitted = false
    /// The value of the clock in the transaction, if it was asked for.
    var time: Int64?
    /// An error that isn't the failure of a constraint.
    var error: String?
}

extension Model {
    /// Runs a transaction.
    ///
    /// - Parameter didCommit: receives the model after each commit.
    mutating func run(_ transaction: Transaction, didCommit: (Model) -> Void) -> TransactionReport {
        var report = TransactionReport()
        let before = self
        for part in transaction.parts {
            let start = self
            for statement in part.statements {
                var outcome = run(statement)
                // Outside of a transaction, a rollback only ends the statement.
                if transaction.kind == .autocommit && outcome == .rolledBack { outcome = .failed }
                report.outcomes.append(outcome)
                if transaction.kind == .autocommit && self.tables != start.tables {
                    didCommit(self)
                }
                if outcome == .rolledBack && transaction.kind != .autocommit {
                    self = before
                    return report
                }
            }
            if case .savepoint(_, true) = part { self = start }
        }
        if transaction.kind == .autocommit {
            report.isCommitted = true
            return report
        }
        report.isCommitted = !transaction.isRolledBack
        if report.isCommitted { didCommit(self) } else { self = before }
        return report
    }
}
