/// Ends the process with a message if a condition doesn't hold: for misuse of methods that can't throw.
///
/// Unlike `precondition`, it prints the message in release builds, too.
@inlinable
@inline(__always)
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
