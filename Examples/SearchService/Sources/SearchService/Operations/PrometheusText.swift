/// Metrics in the text format of Prometheus. The type of a metric is written once, before its first series.
struct PrometheusText {
    private(set) var text = ""
    private var types: Set<String> = []

    mutating func add(_ type: String, _ name: String, labels: String = "", value: String) {
        addType(type, name)
        text += "\(name)\(Self.braces(labels)) \(value)\n"
    }

    mutating func add(_ histogram: PrometheusTimer.Histogram, _ name: String, labels: String) {
        addType("histogram", name)
        let comma = labels.isEmpty ? "" : ","
        let bounds = PrometheusTimer.Histogram.bounds.map { "\($0)" } + ["+Inf"]
        for (bound, count) in zip(bounds, histogram.counts + [histogram.count]) {
            text += "\(name)_bucket{\(labels)\(comma)le=\"\(bound)\"} \(count)\n"
        }
        text += "\(name)_sum\(Self.braces(labels)) \(histogram.seconds)\n"
        text += "\(name)_count\(Self.braces(labels)) \(histogram.count)\n"
    }

    private mutating func addType(_ type: String, _ name: String) {
        if types.insert(name).inserted { text += "# TYPE \(name) \(type)\n" }
    }

    private static func braces(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }

    /// Such as `route="/api/search",status="200"`.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { name, value in
            let value = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name)=\"\(value)\""
        }.joined(separator: ",")
    }
}
