import Amalgam
import ChildProcesses
import Foundation
import Synchronization

/// Starts the workers, reads their output, and compares it with the content of the file.
struct Soak {
    private let plan: Plan

    init(_ plan: Plan) { self.plan = plan }

    func run() throws {
        try createDatabase()
        let workers = try (0..<plan.processCount).map { try WorkerProcess(plan, number: $0) }
        try wait(for: workers) { $0.hasStopped }
        for worker in workers { try worker.finish() }
        try wait(for: workers) { $0.hasEnded }
        for worker in workers { try worker.checkEnd() }
        try check(workers)
        Worker.say("soak: \(plan.journalMode): \(counts(workers).description), nothing lost")
    }

    private func createDatabase() throws {
        let queue = try plan.open(worker: 0)
        try queue.write { try Bank.create($0, processCount: plan.processCount) }
        try queue.close()
    }

    private func counts(_ workers: [WorkerProcess]) -> Tally.Counts {
        workers.map(\.state.counts).reduce(Tally.Counts(), +)
    }

    /// Waits, prints progress, and detects workers that hang.
    private func wait(for workers: [WorkerProcess], _ condition: (WorkerProcess.State) -> Bool) throws {
        var nextPrint = ContinuousClock.now + .seconds(5)
        while !workers.allSatisfy({ condition($0.state) || $0.state.hasEnded }) {
            Thread.sleep(forTimeInterval: 0.01)
            for worker in workers { try worker.checkLife() }
            if .now < nextPrint { continue }
            Worker.say("soak: \(plan.journalMode): \(counts(workers).description)")
            nextPrint += .seconds(5)
        }
    }

    /// Checks that the file contains exactly the acknowledged transfers.
    private func check(_ workers: [WorkerProcess]) throws {
        let queue = try DatabaseQueue(path: plan.path)
        try queue.read { db in
            let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            if integrity != ["ok"] { throw Bank.Violation("integrity_check: \(integrity)") }
            let state = try Bank.State(db)
            for (number, worker) in workers.enumerated() {
                let expected = worker.state.acknowledged.map { number * Bank.range + $0 }
                let found = try Int.fetchAll(
                    db, sql: "SELECT id FROM transfer WHERE id BETWEEN ? AND ? ORDER BY id",
                    arguments: [number * Bank.range, (number + 1) * Bank.range - 1])
                guard found == expected && state.transfers[number] == expected.count else {
                    let lost = Set(expected).subtracting(found).count
                    let unasked = Set(found).subtracting(expected).count
                    throw Bank.Violation(
                        "process \(number): \(lost) of \(expected.count) acknowledged transfers are lost, \(unasked) "
                            + "that have failed are there; it has counted \(state.transfers[number])")
                }
            }
        }
        try queue.close()
    }
}

/// A worker, as seen by the process that has started it.
final class WorkerProcess: Sendable {
    struct State: Sendable {
        var counts = Tally.Counts()
        var hasStopped = false
        var hasEnded = false
        var violation: String?
        var lastNumber: Int?
        var failedNumbers: Set<Int> = []
        var lastHeard = ContinuousClock.now

        /// The transfers that the worker knows to be committed, in order.
        var acknowledged: [Int] { (1..<((lastNumber ?? 0) + 1)).filter { !failedNumbers.contains($0) } }
    }

    private let process: ChildProcess
    private let number: Int
    private let storage = Mutex(State())

    var state: State { storage.withLock { $0 } }

    init(_ plan: Plan, number: Int) throws {
        process = try ChildProcess("amalgam-soak", plan.arguments(worker: number))
        self.number = number
        Thread.detachNewThread { [self] in
            while let line = process.readLine() { storage.withLock { $0.hear(line) } }
            storage.withLock { $0.hasEnded = true }
        }
    }

    /// Tells the worker that all workers have stopped.
    func finish() throws { try process.say("finish") }

    /// - Throws: `Violation` if the worker has found one, or is silent for a minute.
    func checkLife() throws {
        let state = state
        if let violation = state.violation { throw Bank.Violation(violation) }
        if !state.hasEnded && ContinuousClock.now - state.lastHeard > .seconds(60) {
            throw Bank.Violation("process \(number) hangs")
        }
    }

    func checkEnd() throws {
        try checkLife()
        let end = process.wait()
        guard end == .exit(0), state.lastNumber != nil else {
            throw Bank.Violation("process \(number) has ended before its time: \(end)")
        }
    }
}

extension WorkerProcess.State {
    mutating func hear(_ line: String) {
        lastHeard = .now
        let (word, rest) = line.split(separator: " ", maxSplits: 1).splitFirst
        switch word {
        case "working": counts = Tally.Counts(line: rest) ?? counts
        case "stopped": hasStopped = true
        case "violation": violation = String(rest)
        case "failed": failedNumbers = Set(rest.split(separator: " ").compactMap { Int($0) })
        case "last": lastNumber = Int(rest)
        default: violation = "a worker says: \(line)"
        }
    }
}

extension [Substring] {
    fileprivate var splitFirst: (Substring, Substring) { (first ?? "", count > 1 ? self[1] : "") }
}
