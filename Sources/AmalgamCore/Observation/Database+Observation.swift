import CAmalgam

extension Database {
    /// Adds an observer of the changes and transactions of this connection.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     db.add(transactionObserver: Audit(), extent: .databaseLifetime)
    /// }
    /// ```
    ///
    /// The method has no effect on a read-only connection.
    ///
    /// - Parameters:
    ///   - transactionObserver: the observer.
    ///   - extent: how long the observer is registered. By default, until the observer is released: the connection
    ///     doesn't retain the observer.
    public func add(
        transactionObserver: some TransactionObserver, extent: TransactionObservationExtent = .observerLifetime
    ) {
        guard !configuration.readonly, sqliteConnection != nil else { return }
        observation.broker.add(transactionObserver, extent: extent)
        // Statements compiled before may use SQLite's truncate optimization, which reports no deleted rows.
        expireStatements()
    }

    /// Removes an observer. It receives no further notifications.
    ///
    /// ```swift
    /// db.remove(transactionObserver: counter)
    /// ```
    public func remove(transactionObserver: some TransactionObserver) {
        observation.broker.remove(transactionObserver)
    }

    /// Registers two closures. One of them runs when the next transaction ends.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     db.afterNextTransaction { _ in print("on disk") }
    ///     try db.execute(sql: "DELETE FROM player")
    /// }
    /// ```
    ///
    /// If a transaction is open, the closure runs when this transaction ends. Otherwise, it runs when the next
    /// transaction ends. The closure runs before the statement that ends the transaction returns. Both closures are
    /// released afterwards.
    ///
    /// - Parameters:
    ///   - onCommit: runs after a commit.
    ///   - onRollback: runs after a rollback.
    /// - Precondition: the connection may write.
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        require(!isReadOnlyAccess, "afterNextTransaction has no meaning on a read-only connection")
        let observer = TransactionEndObserver(onCommit: onCommit, onRollback: onRollback)
        observation.broker.add(observer, extent: .nextTransaction)
    }

    /// How long a transaction observer is registered.
    public enum TransactionObservationExtent: Sendable {
        /// As long as the observer exists. The connection doesn't retain the observer.
        case observerLifetime
        /// Until the next transaction ends. The connection retains the observer.
        case nextTransaction
        /// Until the connection is closed. The connection retains the observer.
        case databaseLifetime
    }

    /// Notifies observers of changes that SQLite doesn't report to them, such as those of another connection.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.notifyChanges(in: .fullDatabase)
    /// }
    /// ```
    ///
    /// The method calls ``TransactionObserver/databaseDidChange()`` on each observer that observes insertions, updates
    /// or deletions in the tables of the region. A restriction of the region to some rows is ignored. The names of
    /// tables and columns are case-insensitive, and observers receive them as the schema spells them. The full database
    /// has all tables, but not SQLite's own table `sqlite_master`. Inside a savepoint, observers are notified when the savepoint is released. The method has no effect during a read-only
    /// database access.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access; an error if the region refers to a schema object that
    ///   doesn't exist.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        try checkAccess()
        guard observation.isActive, !isReadOnlyAccess else { return }
        observation.broker.notifyChanges(try eventKinds(changing: region.databaseRegion(self)))
    }

    /// All kinds of change that may affect a region.
    private func eventKinds(changing region: DatabaseRegion) throws -> [DatabaseEventKind] {
        guard let names = region.tableNames else { return try eventKindsOfTables() }
        let tables = try tables().map(\.name)
        return try names.flatMap { name -> [DatabaseEventKind] in
            let table = tables.first { $0.equalsIgnoringCase(name) } ?? Self.schemaTable(name) ?? name
            if table == "sqlite_temp_master", try !hasTemporarySchema { return [] }
            return try eventKinds(of: table, region.columnNames(of: name))
        }
    }

    /// The name of a schema table that SQLite reports; nil for other tables.
    private static func schemaTable(_ name: String) -> String? {
        switch name.lowercased() {
        case "sqlite_master", "sqlite_schema": "sqlite_master"
        case "sqlite_temp_master", "sqlite_temp_schema": "sqlite_temp_master"
        default: nil
        }
    }

    private var hasTemporarySchema: Bool {
        get throws { try !schemaRows("SELECT 1 FROM sqlite_temp_master LIMIT 1").isEmpty }
    }

    private func eventKinds(of table: String, _ columnNames: Set<TableName>?) throws -> [DatabaseEventKind] {
        let known = try tableExists(table) ? try self.columns(in: table).map(\.name) + ["ROWID"] : []
        let columns = columnNames.map { names in
            names.map { name in known.first { $0.equalsIgnoringCase(name.spelling) } ?? name.spelling }
        }
        return Self.eventKinds(of: table, columns: columns ?? known)
    }

    private static func eventKinds(of table: String, columns: [String]) -> [DatabaseEventKind] {
        [
            .insert(tableName: table), .update(table, Set(columns.map(ExactString.init))), .delete(tableName: table),
        ]
    }

    /// All kinds of change in all tables.
    private func eventKindsOfTables() throws -> [DatabaseEventKind] {
        let tables = try tables().filter { $0.kind == .table || $0.kind == .virtual }.map(\.name)
        return try tables.flatMap { try eventKinds(of: $0, nil) }
    }

    /// All kinds of change in all tables, including SQLite's schema table.
    private func allEventKinds() throws -> [DatabaseEventKind] {
        try eventKindsOfTables() + eventKinds(of: "sqlite_master", nil)
    }

    /// Runs C code that replaces and commits the content of the whole database. Afterwards, notifies the observers of
    /// all tables that existed before or that exist now.
    package func replacingContent<T>(_ body: () throws -> T) throws -> T {
        guard observation.broker.hasObservers else { return try body() }
        // Content that can't be read, such as a damaged file, is replaced nevertheless.
        let before = (try? allEventKinds()) ?? []
        let result = try body()
        contentWasReplaced(before)
        return result
    }

    /// Notifies observers after the content of the whole database was replaced.
    ///
    /// - Parameter before: the kinds of change in the tables that existed before.
    package func contentWasReplaced(_ before: [DatabaseEventKind]) {
        guard observation.broker.hasObservers else { return }
        observation.broker.contentWasReplaced(before + ((try? allEventKinds()) ?? []))
    }

    /// All kinds of change in the current tables. Read this before the content of the database is replaced.
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
