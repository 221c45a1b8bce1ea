import Foundation

/// The result of a search.
struct Report {
    private let search: Search
    private let seedCount: UInt64
    private let version: String?
    private let start: Date

    /// Searches until rows differ. The system's SQLite is asked after every 200 seeds.
    ///
    /// - Parameter seedFile: the path of a file that receives each seed before its requests run.
    init(seeds: Range<UInt64>, seedFile: String? = nil) throws {
        start = Date()
        version = SystemSQLite.version
        var search = Search(hasSystem: version != nil)
        var seedCount: UInt64 = 0
        for seed in seeds {
            if let seedFile { try "\(seed)".write(toFile: seedFile, atomically: false, encoding: .utf8) }
            try search.run(seed: seed)
            seedCount += 1
            if seedCount % 200 == 0 { try search.finishBatch() }
            if !search.differences.isEmpty { break }
        }
        try search.finishBatch()
        self.search = search
        self.seedCount = seedCount
    }

    /// Prints the first differences, each as a short Swift program.
    ///
    /// - Parameter isBrief: whether only the seeds are printed.
    func printDifferences(limit: Int, isBrief: Bool = false) {
        for difference in search.differences.prefix(limit) {
            print("seed \(difference.seed), request \(difference.index), \(difference.oracle): \(difference.reason)")
            if difference.index < 0 || isBrief { continue }
            let isSystem = difference.oracle == .system
            let shrinker = Shrinker { isSystem ? $0.systemDifference() != nil : $0.difference() != nil }
            let smallest = shrinker.shrunk(difference.query)
            print(SwiftProgram(smallest))
            if let reason = isSystem ? smallest.systemDifference() : smallest.difference() { print("// \(reason)") }
            printRows(of: smallest)
        }
    }

    private func printRows(of smallest: Case) {
        guard case .success(let answer) = smallest.answer() else { return }
        print("// expected:", answer.lines.joined(separator: "; "))
        guard let fetched = try? smallest.withDatabase({ db in try smallest.fetch(db, answer) }) else { return }
        print("// fetched: ", fetched.rows.joined(separator: "; "))
        for statement in fetched.statements { print("// \(statement)") }
    }

    func printCoverage() {
        for line in search.coverage.table + search.coverage.reasons { print(line) }
        for cell in emptyCells { print("never compared: \(cell)") }
        if version == nil { print("never asked: the system's SQLite, by Python's module sqlite3") }
        if !search.coverage.isDecided { print("the evaluator knows the rows of too few requests") }
    }

    func printKinds() {
        for line in search.coverage.kinds { print(line) }
        for kind in search.coverage.emptyKinds { print("never compared: \(kind)") }
    }

    /// Functions that are younger than the system's SQLite may be.
    private var missing: Set<String> {
        // octet_length() is from 3.43, ORDER BY in aggregates from 3.44. Rows of to-many associations come from several
        // statements, and records from a typed request.
        var missing = Set(TypedCase.features + ["join includingAll", "prefetching request"])
        if (version ?? "").compare("3.44", options: .numeric) == .orderedAscending {
            missing.formUnion(["function octetLength", "aggregate order"])
        }
        return missing
    }

    private var emptyCells: [String] { search.coverage.empty(hasSystem: version != nil, missing: missing) }

    /// Whether no rows differ, all kinds of requests were compared, and, if wanted, all features by each oracle: this needs the
    /// system's SQLite, and an evaluator that knows most rows.
    func isClean(requiresKinds: Bool, requiresCoverage: Bool) -> Bool {
        search.differences.isEmpty && (!requiresKinds || search.coverage.emptyKinds.isEmpty)
            && (!requiresCoverage || (version != nil && search.coverage.isDecided && emptyCells.isEmpty))
    }

    func printSummary() {
        let totals = search.coverage.totals.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let seconds = Int(Date().timeIntervalSince(start))
        print(
            "requests: \(seedCount) seeds, \(totals.joined(separator: ", ")); system's SQLite "
                + "\(version ?? "missing"); \(search.differences.count) differences; \(seconds) s")
    }
}
