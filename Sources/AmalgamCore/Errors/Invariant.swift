/// Terminates the process with a message if a condition is false, in builds with the flag `AMALGAM_CHECKS`. In other builds,
/// the condition isn't evaluated.
///
/// An invariant is a fact about the library's own state, which no caller can break. `scripts/swift.sh` sets the flag for
/// debug builds.
@inline(__always)
package func invariant(_ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String) {
    #if AMALGAM_CHECKS
    if !condition() { fatalError("Invariant: \(message())") }
    #endif
}
