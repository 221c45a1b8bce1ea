/// A type that is notified of the changes and transactions of a database connection.
///
/// ```swift
/// final class PlayerCounter: TransactionObserver {
///     var changes = 0
///
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///         eventKind.tableName == "player"
///     }
///
///     func databaseDidChange(with event: DatabaseEvent) { changes += 1 }
///     func databaseDidCommit(_ db: Database) { print("\(changes) changes") }
///     func databaseDidRollback(_ db: Database) { changes = 0 }
/// }
///
/// let counter = PlayerCounter()
/// try dbQueue.write { db in db.add(transactionObserver: counter) }
/// ```
///
/// The methods are called in this order: ``databaseWillChange(with:)`` and ``databaseDidChange(with:)`` for each row,
/// then ``databaseWillCommit()`` and ``databaseDidCommit(_:)``, or ``databaseDidRollback(_:)``. Changes made inside a
/// savepoint are reported when the savepoint is released, and never if it is rolled back.
///
/// All row changes are reported: also rows that `REPLACE` removes, rows of WITHOUT ROWID tables, each row of a `DELETE`
/// without `WHERE`, and rows that triggers, foreign key actions and SQL functions change. SQLite doesn't report the
/// rows of virtual tables: ``databaseDidChange()`` is called instead. SQLite's own tables are excluded. So are shadow
/// tables, in which virtual tables such as FTS5 store their data, unless a statement names the shadow table. `DROP TABLE`
/// doesn't report the rows of the dropped table, but those of other tables that its foreign key actions change.
///
/// If a statement fails in a transaction, SQLite undoes its changes, and the transaction continues. The row changes
/// that were already reported for this statement are invalid then.
///
/// C code that uses ``Database/sqliteConnection`` is observed, too:
///
/// - Its row changes are reported, except those of virtual tables.
/// - The end of a transaction is reported before the next statement of Swift code that may do more than read, and at the
///   end of the access at the latest. If C code has rolled back a transaction and then changes rows or commits, the rollback
///   is reported before, and the observer can't use the connection in ``databaseDidRollback(_:)``. If C code has committed a
///   transaction and then changes rows in a second transaction, observers receive all rows, then one commit.
/// - Savepoints aren't noticed: changes in a savepoint of C code are reported at once, also if it is rolled back. If
///   C code ends a savepoint of Swift code, or begins one with the name of an open one, changes may be reported that a
///   rollback has undone, or not be reported. Use ``Database/inSavepoint(_:)`` or SQL that Swift code executes.
///
/// All methods run during a database access, so they should be short. The observer must not use the connection in
/// `databaseWillChange`, `databaseDidChange` and `databaseWillCommit`.
public protocol TransactionObserver: AnyObject {
    /// Returns whether the observer receives row changes of this kind.
    ///
    /// The method is called once for each kind of change that a statement may make, in each transaction that runs the
    /// statement. If no observer returns true, the row changes of the statement are not reported, and cost nothing.
    ///
    /// Some changes can't be foreseen: those of a trigger that another connection has just created, of an applied
    /// changeset, or of a write through a blob handle. The method is called when such a change happens.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// The choice of the row events that the observer receives. The property is read once, when the observer is added.
    /// The default, ``DatabaseEventObservationStrategy/default``, relies on ``observes(eventsOfKind:)``.
    var databaseEventObservationStrategy: DatabaseEventObservationStrategy { get }

    /// Called before a row changes. The event has the values before and after the change.
    func databaseWillChange(with event: DatabasePreUpdateEvent)

    /// Called after a row has changed.
    ///
    /// The change isn't committed yet.
    func databaseDidChange(with event: DatabaseEvent)

    /// Called after changes whose rows aren't known: those of a virtual table, and those that
    /// ``Database/notifyChanges(in:)`` reports.
    func databaseDidChange()

    /// Called before a transaction is committed.
    ///
    /// - Throws: any error. It rolls back the transaction, and is rethrown by the statement that ends the transaction.
    func databaseWillCommit() throws

    /// Called after a transaction was committed. The observer may use the connection.
    func databaseDidCommit(_ db: Database)

    /// Called after a transaction was rolled back. The observer may use the connection.
    ///
    /// A transaction that the observer begins must end before the database access ends. Otherwise, it is rolled back. If
    /// the observer begins a second transaction when it is notified of this rollback, this is rolled back, too, and the
    /// connection throws `SQLITE_MISUSE` in the last call.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// Only events of the kinds that ``observes(eventsOfKind:)`` accepts.
    public var databaseEventObservationStrategy: DatabaseEventObservationStrategy { .default }

    /// Does nothing.
    public func databaseWillChange(with event: DatabasePreUpdateEvent) {}

    /// Does nothing.
    public func databaseDidChange() {}

    /// Does nothing, and throws no error.
    public func databaseWillCommit() throws {}

    /// Stops the row events of the current transaction for this observer. They resume in the next transaction.
    ///
    /// ```swift
    /// final class PlayerMonitor: TransactionObserver {
    ///     var hasChanges = false
    ///
    ///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "player" }
    ///
    ///     func databaseDidChange(with event: DatabaseEvent) {
    ///         hasChanges = true
    ///         stopObservingDatabaseChangesUntilNextTransaction()
    ///     }
    ///
    ///     func databaseDidCommit(_ db: Database) {
    ///         if hasChanges { print("players have changed") }
    ///         hasChanges = false
    ///     }
    ///
    ///     func databaseDidRollback(_ db: Database) { hasChanges = false }
    /// }
    /// ```
    ///
    /// Call the method in `databaseWillChange` or `databaseDidChange`, if the observer doesn't need further row changes
    /// of the transaction. Outside of these callbacks, the method has no effect.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        ObservationBroker.current?.disableUntilNextTransaction(self)
    }
}

/// An observer of many tables, which also receives kinds of change, rows in savepoints, and schema changes.
package protocol TableObserver: TransactionObserver {
    /// Called in place of ``TransactionObserver/databaseDidChange()``.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func databaseDidChange(kinds: [DatabaseEventKind])

    /// Called for a row that changes in a savepoint, in place of ``TransactionObserver/databaseWillChange(with:)`` and
    /// ``TransactionObserver/databaseDidChange(with:)``. The observer must not react yet, because the savepoint may be
    /// rolled back. Instead, it stores the effects of the savepoint's changes in an object, which
    /// ``databaseDidChange(deferred:)`` receives when the savepoint and all outer savepoints are released. If one of
    /// them is rolled back, the object is discarded.
    ///
    /// - Parameter deferred: the object that an earlier call for the same savepoint returned; nil if there is none.
    /// - Returns: the object to pass to ``databaseDidChange(deferred:)`` when the savepoint is released; nil if the
    ///   change doesn't affect the observer.
    func deferChange(_ event: DatabasePreUpdateEvent, _ deferred: AnyObject?) -> AnyObject?

    /// Called when the savepoint is released.
    func databaseDidChange(deferred: AnyObject)

    /// Called after a commit, before any observer receives ``TransactionObserver/databaseDidCommit(_:)``, so that no
    /// observer has written since the commit.
    func captureCommit(_ db: Database)

    /// Called after a statement has redefined tables or views, even in a transaction that may still be rolled back, and
    /// when the connection notices that another connection has redefined them. The same SQL may now read other tables,
    /// columns and rows. The observer must not use the connection.
    func databaseDidChange(schema: SchemaChange)
}

/// The tables and views that were redefined.
package enum SchemaChange: Equatable, Sendable {
    /// Tables and views with these names.
    case definitions(Set<TableName>)
    /// Unknown tables and views.
    case anything
}
