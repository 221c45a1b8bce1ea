/// Terminates the process with a message if a condition is false. Methods that can't throw report misuse this way.
///
/// Unlike `precondition`, it prints the message in release builds, too.
@inlinable
@inline(__always)
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
