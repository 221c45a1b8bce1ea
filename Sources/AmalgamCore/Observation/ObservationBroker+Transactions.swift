// The end of transactions.
extension ObservationBroker {
    /// SQLite's commit hook: whether the transaction may be committed.
    func willCommit() -> Bool {
        if registrations.isEmpty { return true }
        do {
            try notifyWillCommit()
            transactionEnd = .willCommit
            return true
        } catch {
            transactionEnd = .refused(error)
            return false
        }
    }

    private func notifyWillCommit() throws {
        notifyChangesWithoutRows()
        let released = savepoints[...]
        savepoints = savepoints.map { ObservedSavepoint(name: $0.name, isTransaction: $0.isTransaction) }
        notify(released)
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
        try notifyWillCommit()
    }

    /// A statement has succeeded: notifies observers of the state of the transaction.
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
            notifyDidRollback()
            throw error
        case .rolledBack:
            notifyDidRollback()
        case .willCommit:
            notifyDidCommit()
        case .none:
            if endedTransaction { notifyDidCommit() }
        }
    }

    /// A statement has failed: notifies observers of the state of the transaction.
    ///
    /// - Returns: the error of the observer that is at the origin of the failure.
    func didFail() -> (any Error)? {
        let end = transactionEnd
        transactionEnd = .none
        switch end {
        case .refused(let error):
            // SQLite has rolled back. A refused release of a savepoint leaves an empty transaction behind, though:
            // its rollback notifies the observers.
            if database.isInsideTransaction { try? database.rollback() } else { notifyDidRollback() }
            return error
        case .rolledBack:
            notifyDidRollback()
        case .willCommit, .none:
            // A commit that fails (the database is busy) leaves the transaction open.
            break
        }
        return nil
    }

    func notifyDidCommit() {
        endTransaction { observers in
            // An observer may write, and hide the state that the transaction has left.
            for registration in observers { registration.schemaObserver?.captureCommit(database) }
            for registration in observers { registration.observer?.databaseDidCommit(database) }
        }
    }

    private func notifyDidRollback() {
        endTransaction { observers in
            for registration in observers { registration.observer?.databaseDidRollback(database) }
        }
    }

    /// Observers may use the connection here, hence run other transactions: everything about this one is put away
    /// before they are notified.
    private func endTransaction(_ notify: ([ObserverRegistration]) -> Void) {
        if !savepoints.isEmpty { savepoints = [] }
        generation &+= 1
        database.transactionDidEnd()
        if registrations.isEmpty || database.isReadOnlyAccess { return }
        let managedTransaction = database.managesTransaction
        database.managesTransaction = false
        defer { database.managesTransaction = managedTransaction }
        let observers = registrations
        registrations.removeAll { $0.extent == .nextTransaction || $0.observer == nil }
        for registration in observers { registration.ignoresRows = false }
        // The transaction has ended: a cancellation of the access that made it must not stop what observers do now.
        // Nor must the sandbox in which it ended.
        database.access.interrupter.withoutInterruption {
            database.withoutAuthorizer { notify(observers) }
        }
    }
}
