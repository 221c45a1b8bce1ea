#if Replication && (os(Linux) || os(macOS))

/// The times of the reads of a follower, which block the writes of Litestream.
struct ReadTimes {
    private var starts: [Int: ContinuousClock.Instant] = [:]
    private var count = 0

    /// The time of the longest read that has ended since `takeLongest()`.
    private var longest = Duration.zero

    /// Notes the start of a read, and returns its number.
    mutating func begin() -> Int {
        count += 1
        starts[count] = .now
        return count
    }

    /// Notes the end of a read.
    mutating func end(_ number: Int) {
        guard let start = starts.removeValue(forKey: number) else { return }
        longest = max(longest, .now - start)
    }

    /// Returns the time of the longest read that runs, or has ended since the last call.
    mutating func takeLongest() -> Duration {
        defer { longest = .zero }
        return max(longest, starts.values.min().map { .now - $0 } ?? .zero)
    }
}
#endif
