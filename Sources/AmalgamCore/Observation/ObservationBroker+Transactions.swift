// The end of transactions.
extension ObservationBroker {
    /// SQLite's commit hook: whether the transaction may be committed.
    func willCommit() -> Bool {
        if registrations.isEmpty { return true }
        do {
            try tellWillCommit()
            transactionEnd = .willCommit
            return true
        } catch {
            transactionEnd = .refused(error)
            return false
        }
    }

    private func tellWillCommit() throws {
        tellChangesWithoutRows()
        let released = savepoints[...]
        savepoints = savepoints.map { ObservedSavepoint(name: $0.name, isTransaction: $0.isTransaction) }
        tell(released)
        guard !database.isReadOnlyAccess else { return }
        for observer in observers { try database.insideHook { try observer.databaseWillCommit() } }
    }

    /// SQLite's rollback hook. It also comes after a commit that the commit hook refused.
    func didRollback() {
        if !savepoints.isEmpty { savepoints = [] }
        if registrations.isEmpty { return }
        if case .refused = transactionEnd { return }
        transactionEnd = .rolledBack
    }

    /// What statements do is not known any more: other connections may have changed the schema.
    func didBeginTransaction() { generation &+= 1 }

    /// A statement is about to commit a transaction that wrote nothing: SQLite will not call its hook.
    ///
    /// - throws: the error of an observer that refuses.
    func willCommitEmptyTransaction() throws {
        try tellWillCommit()
    }

    /// A statement has succeeded: tells what happened to the transaction.
    ///
    /// - Parameters:
    ///   - wasInsideTransaction: whether a transaction was open before the statement.
    ///   - endedTransaction: whether the statement led back to autocommit mode.
    func didSucceed(_ effect: TransactionEffect?, wasInsideTransaction: Bool, endedTransaction: Bool) throws {
        if let effect {
            if !wasInsideTransaction { didBeginTransaction() }
            savepointsDidChange(effect, wasInsideTransaction: wasInsideTransaction)
        }
        let end = transactionEnd
        transactionEnd = .none
        switch end {
        case .refused(let error):
            tellDidRollback()
            throw error
        case .rolledBack:
            tellDidRollback()
        case .willCommit:
            tellDidCommit()
        case .none:
            if endedTransaction { tellDidCommit() }
        }
    }

    /// A statement has failed: tells what happened to the transaction.
    ///
    /// - Returns: the error of the observer that is at the origin of the failure.
    func didFail() -> (any Error)? {
        let end = transactionEnd
        transactionEnd = .none
        switch end {
        case .refused(let error):
            // SQLite has rolled back. A refused release of a savepoint leaves an empty transaction behind, though:
            // its rollback tells the observers.
            if database.isInsideTransaction { try? database.rollback() } else { tellDidRollback() }
            return error
        case .rolledBack:
            tellDidRollback()
        case .willCommit, .none:
            // A commit that fails (the database is busy) leaves the transaction open.
            break
        }
        return nil
    }

    func tellDidCommit() {
        endTransaction { told in
            // An observer may write, and hide the state that the transaction has left.
            for registration in told { registration.schemaObserver?.captureCommit(database) }
            for registration in told { registration.observer?.databaseDidCommit(database) }
        }
    }

    private func tellDidRollback() {
        endTransaction { told in
            for registration in told { registration.observer?.databaseDidRollback(database) }
        }
    }

    /// Observers may use the connection here, hence run other transactions: everything about this one is put away
    /// before they are told.
    private func endTransaction(_ tell: ([ObserverRegistration]) -> Void) {
        if !savepoints.isEmpty { savepoints = [] }
        generation &+= 1
        database.transactionDidEnd()
        if registrations.isEmpty || database.isReadOnlyAccess { return }
        let managedTransaction = database.managesTransaction
        database.managesTransaction = false
        defer { database.managesTransaction = managedTransaction }
        let told = registrations
        registrations.removeAll { $0.extent == .nextTransaction || $0.observer == nil }
        for registration in told { registration.ignoresRows = false }
        // The transaction has ended: a cancellation of the access that made it must not stop what observers do now.
        // Nor must the sandbox in which it ended.
        database.remote.sparing {
            database.withoutAuthorizer { tell(told) }
        }
    }
}
