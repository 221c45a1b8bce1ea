#if Replication && (os(Linux) || os(macOS))
extension Duration {
    /// The duration, between zero and a hundred years. Litestream counts nanoseconds in 64 bits, which are 292 years, and so do
    /// timers. Sums of such durations and conversions to `Int` don't overflow.
    var clamped: Duration { min(max(self, .zero), .seconds(3_155_760_000)) }

    /// The duration between two actions that are repeated: one millisecond at least.
    var clampedInterval: Duration { max(clamped, .milliseconds(1)) }

    /// The duration as Go's `time.ParseDuration` reads it.
    var engineText: String { "\(max(1, Int(clamped / .milliseconds(1))))ms" }
}
#endif
