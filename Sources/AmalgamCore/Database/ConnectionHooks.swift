/// The callbacks of a connection: the C hooks, functions and collations in Swift, and tracing.
package final class ConnectionHooks {
    /// The hooks of `shims/hooks.h`. Nil before their installation, and after the close.
    package internal(set) var pointer: OpaquePointer?

    /// Functions and collations written in Swift.
    let functions = FunctionRegistry()

    /// The closures of ``Database/trace(options:_:)``, ``Database/traceRows(_:)`` and ``Database/traceClose(_:)``.
    var tracers = Database.Tracers()

    /// The error of a callback, which replaces the error that SQLite is about to report.
    package var pendingError: PendingCallbackError?
}
