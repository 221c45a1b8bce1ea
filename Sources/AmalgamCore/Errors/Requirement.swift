/// Terminates the process with a message if a condition is false. Methods that can't throw report misuse this way.
///
/// Unlike `precondition`, this function also prints the message in release builds.
@inlinable
@inline(__always)
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
