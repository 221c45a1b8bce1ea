import CoreMetrics
import Synchronization

final class PrometheusCounter: CounterHandler {
    private let total = Atomic<Int64>(0)

    var value: Int64 { total.load(ordering: .relaxed) }

    func increment(by amount: Int64) { total.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { total.store(0, ordering: .relaxed) }
}

final class PrometheusGauge: RecorderHandler {
    private let last = Mutex(0.0)

    var value: Double { last.withLock { $0 } }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { last.withLock { $0 = value } }
}

/// A histogram of durations.
final class PrometheusTimer: TimerHandler {
    struct Histogram: Sendable {
        /// The number of durations up to each bound.
        var counts = [Int](repeating: 0, count: bounds.count)
        var count = 0
        var seconds = 0.0

        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

        mutating func add(_ duration: Double) {
            count += 1
            seconds += duration
            for index in Self.bounds.indices where duration <= Self.bounds[index] { counts[index] += 1 }
        }
    }

    private let state = Mutex(Histogram())

    var histogram: Histogram { state.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) { state.withLock { $0.add(Double(duration) / 1e9) } }
}
