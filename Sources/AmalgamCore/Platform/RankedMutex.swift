public import Synchronization

/// A mutex that may be held together with others. In debug builds, locking it in an order that ``LockRank`` doesn't allow
/// traps; in release builds it is a `Mutex`.
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

    /// Runs a closure that has the value for itself.
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
