import Synchronization

/// Limits the requests of each client: a bucket of tokens that is filled at a constant rate.
final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var filled: ContinuousClock.Instant
    }

    private let perSecond: Double
    private let capacity: Double
    private let buckets = Mutex<[String: Bucket]>([:])

    /// The number of clients that are remembered. If there are more, all of them begin again.
    private static let clientLimit = 10_000

    /// - Parameter perMinute: the number of requests per minute, a quarter of which may come at once.
    init(perMinute: Int) {
        perSecond = Double(perMinute) / 60
        capacity = max(1, Double(perMinute) / 4)
    }

    /// Returns whether a client may make a request now.
    func allows(_ client: String, now: ContinuousClock.Instant = .now) -> Bool {
        buckets.withLock { buckets in
            if buckets.count >= Self.clientLimit { buckets = buckets.filter { !isFull($0.value, now) } }
            if buckets.count >= Self.clientLimit { buckets = [:] }
            var bucket = buckets[client] ?? Bucket(tokens: capacity, filled: now)
            bucket.tokens = tokens(bucket, now)
            bucket.filled = now
            let isAllowed = bucket.tokens >= 1
            if isAllowed { bucket.tokens -= 1 }
            buckets[client] = bucket
            return isAllowed
        }
    }

    private func tokens(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
        min(capacity, bucket.tokens + bucket.filled.duration(to: now) / .seconds(1) * perSecond)
    }

    private func isFull(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Bool { tokens(bucket, now) >= capacity }
}
