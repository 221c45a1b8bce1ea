import CoreMetrics
import Synchronization

/// The metrics of the process, as text that Prometheus reads:
/// <https://prometheus.io/docs/instrumenting/exposition_formats/>.
final class PrometheusRegistry: MetricsFactory {
    private struct Key: Hashable {
        var name: String
        var labels: String
    }

    private struct State {
        var counters: [Key: PrometheusCounter] = [:]
        var timers: [Key: PrometheusTimer] = [:]
        var gauges: [Key: PrometheusGauge] = [:]
    }

    private let state = Mutex(State())

    /// The number of series of a kind. Routes and statuses are few, so the limit only guards against mistakes.
    private static let seriesLimit = 2_000

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(\.counters, label, dimensions) { PrometheusCounter() }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        find(\.gauges, label, dimensions) { PrometheusGauge() }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        find(\.timers, label, dimensions) { PrometheusTimer() }
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func find<T: AnyObject & Sendable>(
        _ series: WritableKeyPath<State, [Key: T]>, _ label: String, _ dimensions: [(String, String)],
        make: () -> T
    ) -> T {
        let key = Key(name: label, labels: PrometheusText.labels(dimensions))
        return state.withLock { state in
            if let found = state[keyPath: series][key] { return found }
            let new = make()
            if state[keyPath: series].count < Self.seriesLimit { state[keyPath: series][key] = new }
            return new
        }
    }

    /// Adds all series.
    func write(to text: inout PrometheusText) {
        let (counters, timers, gauges) = state.withLock { ($0.counters, $0.timers, $0.gauges) }
        for (key, counter) in counters.sorted(by: { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }) {
            text.add("counter", key.name, labels: key.labels, value: "\(counter.value)")
        }
        for (key, gauge) in gauges.sorted(by: { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }) {
            text.add("gauge", key.name, labels: key.labels, value: "\(gauge.value)")
        }
        for (key, timer) in timers.sorted(by: { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }) {
            text.add(timer.histogram, key.name, labels: key.labels)
        }
    }
}
