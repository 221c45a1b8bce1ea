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
    /// The closure runs off the main thread, and outside of database accesses, which it does not block.
    ///
    /// - Parameter transform: its errors end the observation.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        reducing { ValueReducers.Map($0, transform) }
    }

    /// Drops values that are equal to the previous one, according to a closure.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchOne(db, id: 1) }
    ///     .removeDuplicates { $0?.score == $1?.score }
    /// ```
    ///
    /// - Parameter predicate: returns whether two values are equal. All starts of the observation share it, and one thread at a
    ///   time calls it: it must not wait for another start of the observation.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        let predicate = SerialPredicate(predicate)
        return reducing { ValueReducers.RemoveDuplicates($0) { predicate.callAsFunction($0, $1) } }
    }

    /// Notifies errors as values: the observation goes on after an error.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .results()
    /// let cancellable = observation.start(in: dbPool) { error in … } onChange: { result in
    ///     switch result {
    ///     case .success(let players): show(players)
    ///     case .failure(let error): show(error)
    ///     }
    /// }
    /// ```
    ///
    /// Errors of the fetch, and of operators before this one, are notified. After an error of the fetch, the next commit that
    /// changes anything makes the observation fetch again, since the failed fetch may not have read all of what it tracks; with
    /// given regions, it is the next commit that changes these. Operators keep what they know: the first difference of
    /// ``differences(by:)`` after an error is the one from the last list that was fetched.
    ///
    /// The observation itself still ends with errors of the database that are not errors of a fetch, such as those of a database
    /// that is closed.
    public func results() -> ValueObservation<ValueReducers.Results<Reducer>> {
        reducing { ValueReducers.Results($0) }
    }
}

extension ValueObservation where Reducer.Value: Equatable {
    /// Drops values that are equal to the previous one.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") }
    ///     .removeDuplicates()
    /// ```
    ///
    /// Rows are equatable: observe them, remove the duplicates, and make records of them with ``map(_:)``, when the
    /// records are not equatable.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        reducing { ValueReducers.RemoveDuplicates($0) { $0 == $1 } }
    }
}

/// A closure that need not be sendable, and is called by all starts of an observation, by one thread at a time.
///
/// The lock is held while the closure runs, so that one thread at a time calls it, and receives its result.
/// It is recursive, so that a closure that leads back to itself doesn't stop the program.
private final class SerialPredicate<Value>: @unchecked Sendable {
    // Sendable: the closure was sent here, and is only used while the lock is held.
    private let predicate: (Value, Value) -> Bool
    private let lock = NSRecursiveLock()

    init(_ predicate: sending @escaping (Value, Value) -> Bool) {
        self.predicate = predicate
    }

    func callAsFunction(_ left: Value, _ right: Value) -> Bool {
        lock.withLock { predicate(left, right) }
    }
}
