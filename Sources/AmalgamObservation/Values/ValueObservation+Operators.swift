import Foundation

extension ValueObservation {
    /// Transforms the values.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .map { players in players.map(\.name) }
    /// ```
    ///
    /// The closure runs neither on the main thread nor in a database access, so a slow closure blocks neither the main
    /// thread nor the database.
    ///
    /// - Parameter transform: transforms a value. If it throws, the error ends the observation.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        reducing { ValueReducers.Map($0, transform) }
    }

    /// Drops each value that is equal to the previous one, according to a closure.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchOne(db, id: 1) }
    ///     .removeDuplicates { $0?.score == $1?.score }
    /// ```
    ///
    /// - Parameter predicate: returns whether two values are equal. All starts of the observation share this closure,
    ///   and one thread at a time calls it. To avoid a deadlock, the closure must not wait for a value of another start
    ///   of the observation, because that start may be waiting until it can call the closure.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        let predicate = SerialPredicate(predicate)
        return reducing { ValueReducers.RemoveDuplicates($0) { predicate.callAsFunction($0, $1) } }
    }

    /// Delivers errors as values, so that the observation continues after an error.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .results()
    /// let cancellable = observation.start(in: dbPool) { print($0) } onChange: { result in
    ///     switch result {
    ///     case .success(let players): print(players)
    ///     case .failure(let error): print(error)
    ///     }
    /// }
    /// ```
    ///
    /// The results contain the errors of the fetch and of the operators before `results()`. After an error of the
    /// fetch, the observation fetches again after the next commit that changes any table, because the failed fetch may
    /// not have read all tables that it depends on. If the observation tracks given regions, it fetches after the next
    /// commit that changes one of them. Operators keep their state: after an error, ``differences(by:)`` compares the
    /// next list with the last list that was fetched before the error.
    ///
    /// Errors outside of a fetch still end the observation: for example, that the database is closed when the
    /// observation starts, or is about to fetch. Closing the database later ends no observation: there are no more
    /// changes, and so no more results. Cancel observations before you close the database.
    public func results() -> ValueObservation<ValueReducers.Results<Reducer>> {
        reducing { ValueReducers.Results($0) }
    }
}

extension ValueObservation where Reducer.Value: Equatable {
    /// Drops each value that is equal to the previous one.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") }
    ///     .removeDuplicates()
    /// ```
    ///
    /// If the records aren't equatable, fetch rows, which are equatable. Remove the duplicates, and then create records
    /// from the rows with ``map(_:)``.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        reducing { ValueReducers.RemoveDuplicates($0) { $0 == $1 } }
    }
}

/// A closure that compares two values, and need not be sendable. All started observations of a `ValueObservation` share
/// the closure. A lock lets only one thread at a time run it.
///
/// The lock is recursive, so that a closure that calls itself doesn't deadlock.
private final class SerialPredicate<Value>: @unchecked Sendable {
    // Sendable: the initializer receives the closure as `sending`, and it only runs while the lock is held.
    private let predicate: (Value, Value) -> Bool
    private let lock = NSRecursiveLock()

    init(_ predicate: sending @escaping (Value, Value) -> Bool) {
        self.predicate = predicate
    }

    func callAsFunction(_ left: Value, _ right: Value) -> Bool {
        lock.withLock { predicate(left, right) }
    }
}
