import CAmalgam
import Synchronization

/// The state that controls the use of a connection: the thread that has access, interruptions, conditions, and limits.
///
/// The thread of the current database access may use all properties. Other threads may use only `owner`, `interrupter`
/// and `deferredReleases`.
package final class ConnectionAccess {
    /// The thread that has access to the connection; 0 for none. Used only to report misuse.
    let owner = Atomic<UInt>(0)

    /// Interrupts, cancels and suspends statements, from any thread.
    package let interrupter: Interrupter

    /// Statements, blobs and sessions released on other threads.
    let deferredReleases = DeferredReleases()

    /// The conditions that are checked before the connection is used.
    var conditions: AccessConditions = []

    /// The runs of statements that were reset at the end of a database access.
    var endedRuns = EndedRuns() { didSet { conditions[.checkingRuns] = !endedRuns.isEmpty } }

    /// The number of nested closures that SQLite has called, and that must not use the connection.
    var callbackDepth = 0

    /// The number of nested calls of `readOnly`.
    var readOnlyDepth = 0

    /// The number of nested calls of `refusingWrites`.
    var writeRefusalDepth = 0

    /// The value of `PRAGMA query_only` before the outermost `readOnly`.
    var wasQueryOnly = false

    /// Whether the connection writes the first content of a new database, which a read-only connection may do.
    var isBeingFilled = false

    /// Whether the first content was written before the closures of `prepareDatabase` run, as for a copy in memory.
    package internal(set) var wasFilled = false

    /// Whether the closures of `prepareDatabase` have run, which may set the key of an encrypted database.
    var isPrepared = false

    /// Why the pragma that was compiled last must not change the key of a database, or allow writes. Nil if it may.
    var pragmaRefusal: DatabaseError?

    /// The scope (call of `withAuthorizer`) whose authorizer decides what statements may do; nil for none.
    var authorizerScope: AuthorizerScope? {
        didSet { scope = authorizerScope?.number ?? 0 }
    }

    /// The number of `authorizerScope`; 0 for none.
    private(set) var scope = 0

    /// The number of authorizer scopes so far.
    var authorizerScopeCount = 0

    /// Enforces execution limits; nil until one is set.
    var progressMonitor: ProgressMonitor?

    /// The limits of a different connection that held on the thread before it got access to this one: see
    /// ``AllocationLimits``.
    var outerLimits: OpaquePointer?

    /// Decides whether to wait for a lock. Nil if the connection never waits.
    var busyCallback: Database.BusyCallback?

    /// The interrupter. Each run of a statement reads its flags, without retaining it.
    private let borrowedInterrupter: Unmanaged<Interrupter>

    init(_ connection: SQLiteConnection) {
        interrupter = Interrupter(connection)
        borrowedInterrupter = .passUnretained(interrupter)
    }

    /// See ``Interrupter/isCancelled``.
    var isCancelled: Bool { borrowedInterrupter._withUnsafeGuaranteedRef { $0.isCancelled } }

    /// See ``Interrupter/isSuspended``.
    var isSuspended: Bool { borrowedInterrupter._withUnsafeGuaranteedRef { $0.isSuspended } }
}
