import CAmalgam
import Synchronization

/// Who may use a connection, and what stops it: the thread that has access, interruptions, conditions of its use, and limits.
///
/// Everything here is used by the thread that has access to the connection, except for `owner`, `interrupter` and
/// `deferredReleases`.
package final class ConnectionAccess {
    /// The thread that has access to the connection, 0 for none. Used only to report misuse.
    let owner = Atomic<UInt>(0)

    /// Interrupts, cancels and suspends statements, from any thread.
    package let interrupter: Interrupter

    /// Statements, blobs and sessions released on other threads.
    let deferredReleases = DeferredReleases()

    /// What must be looked at before the connection is used.
    var conditions: AccessConditions = []

    /// Nesting of closures that SQLite calls, and that must not use the connection.
    var callbackDepth = 0

    /// Nesting of `readOnly`.
    var readOnlyDepth = 0

    /// What `PRAGMA query_only` was before.
    var wasQueryOnly = false

    /// Whether the connection gets its first content, which connections get that are read-only later, too.
    var isBeingFilled = false

    /// Who decides what statements may do; nil when they may do everything.
    var authorizerScope: AuthorizerScope? {
        didSet { scope = authorizerScope?.number ?? 0 }
    }

    /// The number of `authorizerScope`; 0 for none.
    private(set) var scope = 0

    /// How many scopes there have been.
    var authorizerScopeCount = 0

    /// Limits of time and the like; nil before the first one is set.
    var progressMonitor: ProgressMonitor?

    /// Decides whether to wait for a lock; nil when the connection never waits.
    var busyCallback: Database.BusyCallback?

    init(_ connection: SQLiteConnection) { interrupter = Interrupter(connection) }
}
