/// Which row events a ``TransactionObserver`` receives.
///
/// By default, an observer receives the events of the kinds that it asks for in
/// ``TransactionObserver/observes(eventsOfKind:)``. An observer that needs all events, whatever makes the changes, skips
/// the question:
///
/// ```swift
/// final class ChangeCounter: TransactionObserver {
///     var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
///         var strategy = DatabaseEventObservationStrategy.default
///         strategy.requiresDatabaseEventKind = false
///         return strategy
///     }
///     // …
/// }
/// ```
public struct DatabaseEventObservationStrategy: Sendable {
    /// Whether the observer receives only events of the kinds that ``TransactionObserver/observes(eventsOfKind:)``
    /// accepts. True by default.
    ///
    /// With false, the method isn't called, and the observer receives the events of all rows: those that statements, their
    /// triggers and their foreign keys change, and those that SQL functions and C code change through
    /// ``Database/sqliteConnection``. The rows of SQLite's own tables and those in which virtual tables store their content
    /// stay excluded.
    ///
    /// Every statement that changes rows then runs with SQLite's pre-update hook, and a `DELETE` without `WHERE` deletes
    /// row by row.
    public var requiresDatabaseEventKind = true

    /// Only events of the kinds that the observer accepts.
    public static let `default` = DatabaseEventObservationStrategy()
}
