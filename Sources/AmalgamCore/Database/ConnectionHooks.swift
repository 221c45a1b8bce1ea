/// What SQLite calls on a connection: the C hooks, functions and collations in Swift, and tracing.
package final class ConnectionHooks {
    /// The hooks of `shims/hooks.h`; nil before they are installed, and once the connection is closed.
    package internal(set) var pointer: OpaquePointer?

    /// Functions and collations written in Swift.
    let functions = FunctionRegistry()

    /// The closures of ``Database/trace(options:_:)`` and the like.
    var tracers = Database.Tracers()

    /// What a callback has to say of the error that SQLite is about to report.
    package var pendingError: PendingCallbackError?
}
