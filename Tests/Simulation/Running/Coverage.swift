/// What programs have covered: steps, kinds of table, features and faults, and the answers that oracles have compared.
package struct Coverage: Sendable {
    /// The number of runs of each pair, by the name of a list.
    private var cells: [String: [String: Int]] = [:]
    /// How often each oracle has compared an answer, and how often the answer wasn't empty.
    private var oracles: [String: (all: Int, meaningful: Int)] = [:]

    package init() {}

    mutating func count(_ list: String, _ cell: String) { cells[list, default: [:]][cell, default: 0] += 1 }

    mutating func compare(_ oracle: Oracle, isMeaningful: Bool) {
        oracles[oracle.rawValue, default: (0, 0)].all += 1
        if isMeaningful { oracles[oracle.rawValue]!.meaningful += 1 }
    }

    mutating func add(_ other: Coverage) {
        for (list, counts) in other.cells {
            for (cell, count) in counts { cells[list, default: [:]][cell, default: 0] += count }
        }
        for (oracle, counts) in other.oracles {
            let sum = oracles[oracle, default: (0, 0)]
            oracles[oracle] = (sum.all + counts.all, sum.meaningful + counts.meaningful)
        }
    }

    package enum Oracle: String, CaseIterable, Sendable {
        case rows, outcomes, queries, observations, audit, undo, fullText = "full text", ranks, typos
        case integrity, foreignKeys = "foreign keys", acknowledged, snapshots, changesets, sandbox, overlap
        case resources, memory, faults
    }

    private static let queries =
        Query.Join.allCases.map { "\($0)" } + Query.Member.allCases.map { "\($0)" }
        + ["rows", "count", "filter", "request", "search"]

    /// The cells that must not be empty.
    private static let lists: [(name: String, cells: [String])] = [
        ("steps", Step.names),
        ("insertions", TableKind.allCases.map { "insert \($0)" }),
        ("updates", TableKind.allCases.filter { $0 != .contentless }.map { "update \($0)" }),
        ("deletions", TableKind.allCases.map { "delete \($0)" }),
        (
            "conflicts",
            Conflict.allCases.flatMap { ["insert or \($0)", "update or \($0)"] } + ["upsert", "upsert nothing"]
        ),
        ("forms", Statement.Form.allCases.map(\.rawValue) + ["returning"]),
        (
            "transactions",
            Transaction.Kind.allCases.map(\.rawValue) + ["savepoint", "rolled-back savepoint", "rollback"]
        ),
        ("faults", Step.Fault.allCases.map(\.rawValue)),
        ("observed", queries),
        ("queries", queries),
        ("searches", ["word", "prefix", "phrase", "initial", "near", "column", "both", "either", "without"]),
        ("cancellations", Transaction.cancellations),
        ("connections", ["pool", "queue", "second pool", "second queue", "audit", "no audit"]),
    ]

    /// The empty cells of the lists.
    package var gaps: [String] {
        Self.lists.flatMap { list in list.cells.filter { cells[list.name]?[$0] == nil }.map { "\(list.name): \($0)" } }
            + Oracle.allCases.filter { oracle in
                (oracle != .resources || Resources.areKnown) && (oracles[oracle.rawValue]?.meaningful ?? 0) == 0
            }.map { "oracle: \($0.rawValue)" }
    }

    /// The tables of all counts.
    package var text: String {
        var lines: [String] = []
        for list in cells.keys.sorted() {
            lines.append("\(list):")
            for (cell, count) in cells[list]!.sorted(by: { $0.key < $1.key }) { lines.append("  \(cell): \(count)") }
        }
        lines.append("oracles (compared, not empty):")
        for (oracle, counts) in oracles.sorted(by: { $0.key < $1.key }) {
            lines.append("  \(oracle): \(counts.all), \(counts.meaningful)")
        }
        return lines.joined(separator: "\n")
    }
}
