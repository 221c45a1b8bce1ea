import Foundation

extension ValueReducers {
    /// Drops the values of another reducer that are equal to the previous one.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        private var base: Base
        // Not an optional compared with nil: values may be optionals themselves.
        private var previous: [Base.Value] = []
        private let isDuplicate: @Sendable (Base.Value, Base.Value) -> Bool

        init(_ base: Base, _ isDuplicate: @escaping @Sendable (Base.Value, Base.Value) -> Bool) {
            self.base = base
            self.isDuplicate = isDuplicate
        }

        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        public mutating func _value(_ fetched: Base.Fetcher.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            if let previous = previous.first, isDuplicate(previous, value) { return nil }
            previous = [value]
            return value
        }
    }
}

extension ValueObservation {
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
/// The lock is held while the closure runs: there is no other way to have it called by one thread at a time, and have its result.
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
