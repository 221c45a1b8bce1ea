/// A type that follows the changes and transactions of a database connection.
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
/// try dbQueue.write { db in db.add(transactionObserver: counter) }
/// ```
///
/// Calls come in this order: ``databaseWillChange(with:)`` and ``databaseDidChange(with:)`` for each row, then
/// ``databaseWillCommit()`` and ``databaseDidCommit(_:)``, or ``databaseDidRollback(_:)``. Changes made inside a
/// savepoint are told when the savepoint is released, and never when it is rolled back.
///
/// All rows are told of: also those that `REPLACE` removes, those of WITHOUT ROWID tables, each row of a `DELETE` without
/// `WHERE`, and those that triggers, foreign keys and SQL functions change. Rows of virtual tables have no events in
/// SQLite: ``databaseDidChange()`` tells that there are changes. The tables in which virtual tables such as FTS5 keep their
/// data are left out, and so are SQLite's own.
///
/// A statement that fails half-way in a transaction undoes its changes, and the transaction goes on: what was told of its
/// rows is void.
///
/// All calls come while the connection is in use, so they delay it: keep them short. The observer must not use the
/// connection in `databaseWillChange`, `databaseDidChange` and `databaseWillCommit`.
public protocol TransactionObserver: AnyObject {
    /// Whether the observer wants to hear of the rows changed by a statement of this kind.
    ///
    /// It is asked once for each kind of change that a statement may make, in each transaction that runs the statement.
    /// When nobody is interested, row changes cost nothing.
    ///
    /// SQLite does not foresee all changes: about those of a trigger that another connection has just created, of an
    /// applied changeset, or of a write through a blob handle, the observer is asked when they come.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Whether ``observes(eventsOfKind:)`` is asked at all. Read once, when the observer is added. By default,
    /// ``DatabaseEventObservationStrategy/default``.
    var databaseEventObservationStrategy: DatabaseEventObservationStrategy { get }

    /// A row is about to change: the event gives its values before and after.
    func databaseWillChange(with event: DatabasePreUpdateEvent)

    /// A row was changed.
    ///
    /// The change is not committed yet.
    func databaseDidChange(with event: DatabaseEvent)

    /// Something was changed, and the rows are not known: a virtual table, or what ``Database/notifyChanges(in:)``
    /// announces.
    func databaseDidChange()

    /// A transaction is about to be committed. An error rolls it back, and is thrown by what ended the transaction.
    func databaseWillCommit() throws

    /// A transaction was committed. The connection may be used.
    func databaseDidCommit(_ db: Database)

    /// A transaction was rolled back. The connection may be used.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// Only events of the kinds that ``observes(eventsOfKind:)`` accepts.
    public var databaseEventObservationStrategy: DatabaseEventObservationStrategy { .default }

    /// Nothing.
    public func databaseWillChange(with event: DatabasePreUpdateEvent) {}

    /// Nothing.
    public func databaseDidChange() {}

    /// Nothing.
    public func databaseWillCommit() throws {}

    /// Stops the row events of the current transaction for this observer. They come back with the next transaction.
    ///
    /// Call it from `databaseWillChange` or `databaseDidChange` when what comes next in the transaction cannot
    /// matter any more. Elsewhere it has no effect.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        ObservationBroker.current?.disableUntilNextTransaction(self)
    }
}

/// An observer of many tables, which wants to know where changes are whose rows are not known.
package protocol TableObserver: TransactionObserver {
    /// Takes the place of ``TransactionObserver/databaseDidChange()``.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func databaseDidChange(kinds: [DatabaseEventKind])

    /// Takes the place of the other methods for a row that changes in a savepoint, which may be rolled back. Others get
    /// a copy of the row when the savepoint is released; this one says at once what it will want to know.
    ///
    /// - Parameter deferred: what it has said of the savepoint before.
    /// - Returns: what ``databaseDidChange(deferred:)`` gets when the savepoint is released; nil for nothing.
    func deferChange(_ event: DatabasePreUpdateEvent, _ deferred: AnyObject?) -> AnyObject?

    /// The savepoint is released.
    func databaseDidChange(deferred: AnyObject)

    /// A transaction was committed, and no observer has been notified yet, so no observer has written since. It is followed by
    /// ``TransactionObserver/databaseDidCommit(_:)``, when the observers that were added before this one were notified.
    func captureCommit(_ db: Database)

    /// Tables or views are defined anew, maybe until a rollback: what was read may come from other tables, columns and rows
    /// now. The connection must not be used.
    func databaseDidChange(schema: SchemaChange)
}

/// What has got another definition.
package enum SchemaChange: Equatable, Sendable {
    /// Tables and views with these names.
    case definitions(Set<TableName>)
    /// Nobody knows.
    case anything
}
