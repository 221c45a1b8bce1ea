/// How often each oracle compared rows of a request that uses a feature. Results without rows don't count.
struct Coverage {
    enum Oracle: String, CaseIterable {
        /// The evaluator in Swift.
        case swift
        /// The system's SQLite.
        case system
    }

    private var counts: [String: [Oracle: Int]] = [:]
    /// The numbers of requests by result.
    var totals: [String: Int] = [:]
    /// Why the evaluator didn't know the rows.
    var undecided: [String: Int] = [:]

    mutating func count(_ features: Set<String>, _ oracle: Oracle) {
        for feature in features { counts[feature, default: [:]][oracle, default: 0] += 1 }
    }

    mutating func count(_ total: String) { totals[total, default: 0] += 1 }

    func count(of feature: String, _ oracle: Oracle) -> Int { counts[feature]?[oracle] ?? 0 }

    /// Features that an oracle never compared.
    ///
    /// - Parameter missing: the features that the system's SQLite lacks.
    func empty(hasSystem: Bool, missing: Set<String>) -> [String] {
        (Features.all + TypedCase.features).flatMap { feature in
            Oracle.allCases.filter { oracle in
                let isWanted = oracle == .swift || (hasSystem && !missing.contains(feature))
                return isWanted && count(of: feature, oracle) == 0
            }
            .map { "\(feature) × \($0)" }
        }
    }

    /// Whether the evaluator knew the rows of at least four of five requests.
    var isDecided: Bool { 5 * (totals["compared"] ?? 0) >= 4 * (totals["requests"] ?? 0) }

    /// The kinds of requests that no oracle compared.
    var emptyKinds: [String] {
        (Features.kinds + [TypedCase.kind]).filter { kind in Oracle.allCases.allSatisfy { count(of: kind, $0) == 0 } }
    }

    /// One line for each feature, with a column for each oracle.
    var table: [String] { table(of: Features.all + TypedCase.features) }

    /// One line for each kind of request.
    var kinds: [String] { table(of: Features.kinds + [TypedCase.kind]) }

    private func table(of features: [String]) -> [String] {
        let width = features.map(\.count).max()! + 2
        func line(_ name: String, _ cells: [String]) -> String {
            let padding = String(repeating: " ", count: max(1, width - name.count))
            return name + padding + cells.map { String(repeating: " ", count: max(0, 8 - $0.count)) + $0 }.joined()
        }
        return [line("feature", Oracle.allCases.map(\.rawValue))]
            + features.map { feature in line(feature, Oracle.allCases.map { "\(count(of: feature, $0))" }) }
    }

    /// Why the evaluator didn't know the rows, and how often.
    var reasons: [String] {
        undecided.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "undecided: \($0.key): \($0.value)" }
    }
}
