#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The order in which a thread may lock several mutexes: from the top to the bottom of this list, and at most one of
/// each rank. This order prevents deadlocks.
///
/// A plain `Mutex` has no rank. A thread that holds a plain mutex calls no other code, so it never locks another mutex.
@usableFromInline
package enum LockRank: UInt, CaseIterable, Sendable {
    /// The object that observes a writing connection: `WriteObserverSlot`.
    case writeObserver = 1
    /// The observations of a database: `ObservationHub`.
    case observations
    /// The order of the values of an observation: `ReorderBuffer`.
    case orderedValues
    /// The state of an observation: `ValueObservationRun.state`.
    case observation
    /// The region of an observation: `ValueObservationRun.region`.
    case region
    /// The readers of a pool: `ReaderPool`.
    case readers
    /// The checkpoints of a policy: `Checkpointer`.
    case checkpoints
    /// The reads that a policy tracks: `WALReaders`.
    case reads
    /// The cancellation of a database access: `AccessCancellation`.
    case cancellation
    /// The connection that another thread may interrupt: `Interrupter`.
    case interrupter

    /// The rank of the mutex that the current thread has locked last; 0 for none.
    private static let held: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        if code != 0 { fatalError("the process has no room for another thread-specific key") }
        return key
    }()

    /// Registers that the current thread is about to lock a mutex. Traps if this violates the order.
    ///
    /// - Returns: The rank that the thread held before, for ``unlock(to:)``.
    @usableFromInline
    func lock() -> UInt {
        let highest = UInt(bitPattern: pthread_getspecific(Self.held))
        if highest >= rawValue, let other = Self(rawValue: highest) {
            fatalError("A thread that holds a lock of rank \(other) must not lock one of rank \(self).")
        }
        pthread_setspecific(Self.held, UnsafeRawPointer(bitPattern: rawValue))
        return highest
    }

    /// Registers that the current thread has unlocked a mutex.
    @usableFromInline
    static func unlock(to previous: UInt) { pthread_setspecific(held, UnsafeRawPointer(bitPattern: previous)) }
}
