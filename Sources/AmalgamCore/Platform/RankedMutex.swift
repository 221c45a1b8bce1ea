public import Synchronization

/// A mutex that may be locked while other mutexes are held. In debug builds, locking it in an order that violates
/// ``LockRank`` traps. In release builds, it is a plain `Mutex`.
@usableFromInline
package struct RankedMutex<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline
    let mutex: Mutex<Value>

    #if DEBUG
    @usableFromInline
    let rank: LockRank
    #endif

    @inlinable
    package init(_ rank: LockRank, _ value: consuming sending Value) {
        mutex = Mutex(value)
        #if DEBUG
        self.rank = rank
        #endif
    }

    /// Runs a closure with exclusive access to the value.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if DEBUG
        let previous = rank.lock()
        defer { LockRank.unlock(to: previous) }
        #endif
        return try mutex.withLock(body)
    }
}
