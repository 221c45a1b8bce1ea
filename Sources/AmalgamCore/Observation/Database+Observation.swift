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

    /// How long a transaction observer is kept.
    public enum TransactionObservationExtent: Sendable {
        /// Until the observer is released elsewhere: the connection does not retain it.
        case observerLifetime
        /// Until the next transaction ends. The connection retains the observer until then.
        case nextTransaction
        /// Until the connection is closed. The connection retains the observer until then.
        case databaseLifetime
    }

    /// Tells observers of changes that they cannot notice, such as those of another connection.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.notifyChanges(in: .fullDatabase)
    /// }
    /// ```
    ///
    /// It calls ``TransactionObserver/databaseDidChange()`` of the observers that are interested in some change of the
    /// region. Rows that the region is reduced to are ignored: whole tables are meant. Inside a savepoint, observers are
    /// told when it is released. It has no effect where writing is refused.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access; the error of a region that needs a schema object that does not
    ///   exist.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        try checkAccess()
        guard observation.isActive, !isReadOnlyAccess else { return }
        observation.broker.notifyChanges(try eventKinds(changing: region.databaseRegion(self)))
    }

    /// All kinds of change that touch a region.
    private func eventKinds(changing region: DatabaseRegion) throws -> [DatabaseEventKind] {
        guard let tables = region.tableNames else { return try allEventKinds() }
        return try tables.flatMap { try eventKinds(of: $0, region.columnNames(of: $0)) }
    }

    private func eventKinds(of table: String, _ columnNames: Set<String>?) throws -> [DatabaseEventKind] {
        var columns = columnNames ?? []
        if columnNames == nil, try tableExists(table) {
            columns = Set(try self.columns(in: table).map(\.name) + ["ROWID"])
        }
        return [
            .insert(tableName: table), .update(tableName: table, columnNames: columns), .delete(tableName: table),
        ]
    }

    /// All kinds of change of all tables, those of SQLite's schema included.
    private func allEventKinds() throws -> [DatabaseEventKind] {
        let tables = try tables().filter { $0.kind == .table || $0.kind == .virtual }.map(\.name)
        return try (tables + ["sqlite_master"]).flatMap { try eventKinds(of: $0, nil) }
    }

    /// Runs C code that puts another content in the place of a whole database, which is committed then. Observers are
    /// notified of the tables that existed before, and of those that exist now.
    package func replacingContent<T>(_ body: () throws -> T) throws -> T {
        guard observation.broker.hasObservers else { return try body() }
        // A content that cannot be read, such as a damaged one, is replaced nevertheless.
        let before = (try? allEventKinds()) ?? []
        let result = try body()
        contentWasReplaced(before)
        return result
    }

    /// - Parameter before: the kinds of change of the tables that were there.
    package func contentWasReplaced(_ before: [DatabaseEventKind]) {
        guard observation.broker.hasObservers else { return }
        observation.broker.contentWasReplaced(before + ((try? allEventKinds()) ?? []))
    }

    /// The kinds of change that a replacement of the content makes, as long as the content is there.
    package var eventKindsOfContent: [DatabaseEventKind] {
        observation.broker.hasObservers ? (try? allEventKinds()) ?? [] : []
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
