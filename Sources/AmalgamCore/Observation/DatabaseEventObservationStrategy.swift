/// The choice of the row events that a ``TransactionObserver`` receives.
///
/// By default, an observer receives the events of the kinds that ``TransactionObserver/observes(eventsOfKind:)``
/// accepts. The following observer receives all events, and `observes(eventsOfKind:)` isn't called:
///
/// ```swift
/// final class ChangeCounter: TransactionObserver {
///     var changes = 0
///
///     var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
///         var strategy = DatabaseEventObservationStrategy.default
///         strategy.requiresDatabaseEventKind = false
///         return strategy
///     }
///
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }  // required, not called
///     func databaseDidChange(with event: DatabaseEvent) { changes += 1 }
///     func databaseDidCommit(_ db: Database) { print("\(changes) changes") }
///     func databaseDidRollback(_ db: Database) { changes = 0 }
/// }
/// ```
public struct DatabaseEventObservationStrategy: Sendable {
    /// Whether the observer receives only events of the kinds that ``TransactionObserver/observes(eventsOfKind:)``
    /// accepts. True by default.
    ///
    /// If false, `observes(eventsOfKind:)` isn't called, and the observer receives the events of all rows: those
    /// changed by statements, their triggers and foreign key actions, by SQL functions, and by C code that uses
    /// ``Database/sqliteConnection``. SQLite's own tables are excluded. So are shadow tables, in which virtual tables
    /// store their data, unless a statement names the shadow table.
    ///
    /// The cost: every statement that changes rows runs with SQLite's pre-update hook, and a `DELETE` without `WHERE`
    /// deletes row by row.
    public var requiresDatabaseEventKind = true

    /// The default strategy: only events of the kinds that the observer accepts.
    public static let `default` = DatabaseEventObservationStrategy()
}
