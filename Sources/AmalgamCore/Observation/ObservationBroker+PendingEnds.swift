import CAmalgam

/// The state of a commit by C code, such as `sqlite3_exec(connection, "COMMIT; BEGIN", …)`, of which observers haven't been
/// notified, because the connection couldn't be used.
struct PendingCommit {
    /// The value of `amalgam_commit_number` in the commit hook. A commit that fails doesn't change it.
    var number: UInt32 = 0
    /// Whether the hook was called again, after a successful commit.
    var hasPredecessor = false
    /// Whether observed rows have changed since, in the next transaction.
    var hasRows = false
}

// Ends of transactions by C code. SQLite calls the commit hook and the rollback hook in the middle of a statement that the
// library doesn't run. Observers are notified before the next statement of the library that may do more than read, and at
// the end of the access. If C code changes rows before that:
// - A rollback is reported before these rows. Observers can't use the connection then.
// - A commit is reported together with the end of the transaction that changes these rows. Only then can observers read the
//   database: before, they would see uncommitted rows.
extension ObservationBroker {
    /// Notifies observers of the end of a transaction by C code, unless they must wait for the end of the next one.
    ///
    /// - Throws: the error of an observer that has refused the commit.
    func notifyPendingEnd() throws {
        guard hasPendingNotifications, !mustWaitForNextEnd else { return }
        let end = transactionEnd
        transactionEnd = .none
        switch end {
        case .none: break
        case .willCommit: if hasCommitted { notifyDidCommit() }
        case .rolledBack: notifyDidRollback()
        case .refused(let error):
            notifyDidRollback()
            throw error
        }
    }

    /// Whether observers can't be notified of a commit yet: C code has changed rows in the next transaction.
    var mustWaitForNextEnd: Bool {
        guard pendingCommit.hasRows, case .willCommit = transactionEnd else { return false }
        return database.isInsideTransaction
    }

    /// Whether the transaction whose commit hook was called last, or one before it, was committed. The commit of C code may have
    /// failed, because the database was busy, and the transaction is still open.
    private var hasCommitted: Bool {
        pendingCommit.hasPredecessor || !database.isInsideTransaction
            || pendingCommit.number != amalgam_commit_number(database.sqliteConnection)
    }

    /// Whether the transaction that is being rolled back isn't the one whose commit is pending.
    var isCommitOfEarlierTransaction: Bool {
        if pendingCommit.hasRows || pendingCommit.hasPredecessor { return true }
        return pendingCommit.number != amalgam_commit_number(database.sqliteConnection)
            && amalgam_commit_fails(database.sqliteConnection) == 0
    }

    /// Called by the commit hook.
    func noteBeginOfCommit() {
        notifyPendingRollback()
        if case .willCommit = transactionEnd, pendingCommit.hasRows { pendingCommit.hasPredecessor = true }
        pendingCommit.hasRows = false
        pendingCommit.number = amalgam_commit_number(database.sqliteConnection)
    }

    /// Called by the pre-update hook, before a row changes after the end of a transaction by C code.
    func noteRowAfterEnd() {
        notifyPendingRollback()
        guard case .willCommit = transactionEnd, hasCommitted else { return }
        // The savepoints have ended with their transaction.
        if !savepoints.isEmpty { savepoints = [] }
        pendingCommit.hasRows = true
    }

    private func notifyPendingRollback() {
        switch transactionEnd {
        case .none, .willCommit: return
        case .rolledBack, .refused: transactionEnd = .none
        }
        let deniesConnection = deniesConnection
        self.deniesConnection = true
        defer { self.deniesConnection = deniesConnection }
        notifyDidRollback()
    }
}
