import Synchronization

/// What the threads of a worker have done.
final class Tally: Sendable {
    struct Counts: Sendable {
        var transfers = 0
        var busy = 0
        var reads = 0
        var snapshots = 0
        var checkpoints = 0
        var changes = 0

        /// As a line of numbers, and back.
        var line: String { values.map(String.init).joined(separator: " ") }

        private var values: [Int] { [transfers, busy, reads, snapshots, checkpoints, changes] }

        init() {}

        init?(line: Substring) {
            let values = line.split(separator: " ").compactMap { Int($0) }
            guard values.count == 6 else { return nil }
            (transfers, busy, reads) = (values[0], values[1], values[2])
            (snapshots, checkpoints, changes) = (values[3], values[4], values[5])
        }

        static func + (a: Counts, b: Counts) -> Counts {
            let sums = zip(a.values, b.values).map { String($0 + $1) }.joined(separator: " ")
            return Counts(line: sums[...])!
        }

        var description: String {
            "\(transfers) transfers, \(reads) reads, \(snapshots) snapshots, \(checkpoints) checkpoints, "
                + "\(changes) external changes, \(busy) times busy"
        }
    }

    struct State: Sendable {
        var counts = Counts()
        /// The number of the last transfer that was tried, and those that have failed.
        var lastNumber = 0
        var failedNumbers: [Int] = []
        /// The transfers of others that were seen when an external change was told.
        var transfersOfOthers = 0
        var violation: String?
    }

    private let storage = Mutex(State())

    var state: State { storage.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { storage.withLock { body(&$0) } }

    func nextNumber() -> Int {
        storage.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Keeps the first thing that must not be.
    func fail(_ violation: String) {
        change { $0.violation = $0.violation ?? violation }
    }

    var hasFailed: Bool { storage.withLock { $0.violation != nil } }
}
