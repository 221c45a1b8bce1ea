import CAmalgam

extension Database {
    /// Adds an observer of the changes and transactions of this connection.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     db.add(transactionObserver: audit, extent: .databaseLifetime)
    /// }
    /// ```
    ///
    /// It has no effect on a read-only connection.
    ///
    /// - Parameter extent: how long the observer is kept. By default the connection does not retain it.
    public func add(
        transactionObserver: some TransactionObserver, extent: TransactionObservationExtent = .observerLifetime
    ) {
        guard !configuration.readonly, sqliteConnection != nil else { return }
        observation.broker.add(transactionObserver, extent: extent)
        // Statements compiled before may hold SQLite's truncate optimisation, which deletes rows unseen.
        expireStatements()
    }

    /// Removes an observer.
    public func remove(transactionObserver: some TransactionObserver) {
        observation.broker.remove(transactionObserver)
    }

    /// Runs one of two closures when the next transaction ends.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     db.afterNextTransaction { _ in print("on disk") }
    ///     try db.execute(sql: "DELETE FROM player")
    /// }
    /// ```
    ///
    /// The closures run before the statement that ends the transaction returns, and are released then. The current
    /// transaction counts as the next one to end.
    ///
    /// - Precondition: the connection may write.
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        require(!isReadOnlyAccess, "afterNextTransaction has no meaning on a read-only connection")
        let observer = TransactionEndObserver(onCommit: onCommit, onRollback: onRollback)
        observation.broker.add(observer, extent: .nextTransaction)
    }
}

/// The observer behind `afterNextTransaction`.
private final class TransactionEndObserver: TransactionObserver {
    private let onCommit: (Database) -> Void
    private let onRollback: (Database) -> Void

    init(onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void) {
        self.onCommit = onCommit
        self.onRollback = onRollback
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { onCommit(db) }
    func databaseDidRollback(_ db: Database) { onRollback(db) }
}
