import Synchronization

/// The work done by the threads of a worker.
final class Tally: Sendable {
    struct Counts: Sendable {
        var transfers = 0
        var busy = 0
        var reads = 0
        var snapshots = 0
        var checkpoints = 0
        var changes = 0

        /// The counts as a line of numbers, which can be parsed again.
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
        /// The number of the last attempted transfer, and those of failed ones.
        var lastNumber = 0
        var failedNumbers: [Int] = []
        /// The number of transfers of other processes at the last external change.
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

    /// Records the first violation.
    func fail(_ violation: String) {
        change { $0.violation = $0.violation ?? violation }
    }

    var hasFailed: Bool { storage.withLock { $0.violation != nil } }
}
