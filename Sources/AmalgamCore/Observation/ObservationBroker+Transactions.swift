// The end of transactions.
extension ObservationBroker {
    /// Called by SQLite's commit hook. Returns whether the transaction may be committed.
    func willCommit() -> Bool {
        endHookWasCalled()
        if registrations.isEmpty { return true }
        noteBeginOfCommit()
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

    /// Called by SQLite's rollback hook, also after the commit hook has refused a commit.
    func didRollback() {
        endHookWasCalled()
        if !savepoints.isEmpty { savepoints = [] }
        if registrations.isEmpty { return }
        switch transactionEnd {
        case .refused: return
        case .willCommit where isCommitOfEarlierTransaction: return
        default: transactionEnd = .rolledBack
        }
    }

    /// Called when a statement fails because one of its functions has rolled back a transaction. The statement may have changed
    /// rows afterwards, which SQLite undoes without calling the rollback hook.
    func didAbort() {
        if case .none = transactionEnd, hasRowChanges { didRollback() }
    }

    /// Invalidates cached information about statements: other connections may have changed the schema.
    func didBeginTransaction() { generation &+= 1 }

    /// Called before a statement commits a transaction that wrote nothing, for which SQLite calls no commit hook.
    ///
    /// - Throws: the error of an observer that refuses the commit.
    func willCommitEmptyTransaction() throws {
        try notifyWillCommit()
    }

    /// Notifies observers of released savepoints and of the end of the transaction, after a statement has succeeded.
    ///
    /// - Parameters:
    ///   - effect: the statement's effect on the transaction, if any.
    ///   - wasInsideTransaction: whether a transaction was open before the statement.
    ///   - endedTransaction: whether the statement returned the connection to autocommit mode.
    /// - Throws: the error of an observer that refused the commit.
    func didSucceed(_ effect: TransactionEffect?, wasInsideTransaction: Bool, endedTransaction: Bool) throws {
        if let effect {
            if !wasInsideTransaction { didBeginTransaction() }
            savepointsDidChange(effect, wasInsideTransaction: wasInsideTransaction)
        }
        if mustWaitForNextEnd { return }
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

    /// Called after a statement has failed. If the transaction has ended, notifies observers.
    ///
    /// - Returns: the error of the observer that refused the commit, if any.
    func didFail() -> (any Error)? {
        if mustWaitForNextEnd { return nil }
        let end = transactionEnd
        transactionEnd = .none
        switch end {
        case .refused(let error):
            // SQLite has undone the changes. After a refused COMMIT, the transaction has ended. After a refused
            // RELEASE, an empty transaction is still open: its rollback notifies the observers.
            if database.isInsideTransaction { try? database.rollback() } else { notifyDidRollback() }
            return error
        case .rolledBack:
            notifyDidRollback()
        case .willCommit:
            // A commit that fails because the database is busy leaves the transaction open. A statement that fails with
            // OR FAIL or RAISE(FAIL) outside of a transaction has committed the changes before the conflict.
            if !database.isInsideTransaction { notifyDidCommit() }
        case .none:
            break
        }
        return nil
    }

    func notifyDidCommit() {
        endTransaction { observers in
            // Capture first: an observer that writes in `databaseDidCommit` would hide the committed state.
            for registration in observers { registration.schemaObserver?.captureCommit(database) }
            for registration in observers { registration.observer?.databaseDidCommit(database) }
        }
    }

    func notifyDidRollback() {
        endTransaction { observers in
            for registration in observers { registration.observer?.databaseDidRollback(database) }
        }
    }

    /// Resets the state of the transaction, and then notifies observers that it has ended. The state is reset first,
    /// because observers may use the connection and run other transactions.
    private func endTransaction(_ notify: ([ObserverRegistration]) -> Void) {
        if !savepoints.isEmpty { savepoints = [] }
        generation &+= 1
        transactionDidEnd()
        database.transactionDidEnd()
        if registrations.isEmpty || database.isReadOnlyAccess { return }
        let managedTransaction = database.managesTransaction
        database.managesTransaction = false
        defer { database.managesTransaction = managedTransaction }
        let observers = registrations
        registrations.removeAll { $0.extent == .nextTransaction || $0.observer == nil }
        for registration in observers { registration.ignoresRows = false }
        // The transaction has ended. A cancellation of the database access, or an authorizer, must not affect the
        // statements that observers run.
        database.access.interrupter.withoutInterruption {
            database.withoutAuthorizer {
                if deniesConnection { database.insideHook { notify(observers) } } else { notify(observers) }
            }
        }
    }
}
