import Amalgam
import Foundation
import Synchronization

extension Simulation {
    // MARK: Threads

    /// Runs writers and readers on threads of their own.
    ///
    /// Each transaction advances the clock of the database, and each read reads it: the model runs the transactions in this
    /// order, and knows the content at each time.
    func overlap(_ writers: [[Transaction]], _ readers: [[Query]]) throws {
        for transaction in writers.flatMap({ $0 }) { count(transaction) }
        for query in readers.flatMap({ $0 }) { count(query) }
        let connections = try [0, 1].map { try world.connection($0) }
        let start = try connections[0].read { db in try Int64.fetchOne(db, sql: "SELECT t FROM clock")! }
        let reports = Mutex<[(transaction: Transaction, report: TransactionReport)]>([])
        let answers = Mutex<[(query: Query, answer: Answer)]>([])
        let threads = ThreadGroup()
        for transactions in writers {
            threads.add {
                for transaction in transactions {
                    let report = transaction.run(in: connections[transaction.connection], isTimed: true)
                    reports.withLock { $0.append((transaction, report)) }
                }
            }
        }
        for (index, queries) in readers.enumerated() {
            threads.add {
                for query in queries {
                    let answer = Answer(query, in: connections[index % 2])
                    answers.withLock { $0.append((query, answer)) }
                }
            }
        }
        threads.run()
        let states = try replay(reports.withLock { $0 }, from: start, .overlap)
        for (query, answer) in answers.withLock({ $0 }) {
            guard let time = answer.time, let state = states[time] else {
                throw SimulationError("overlap: \(query.sql) throws \(answer.error ?? "at an unknown time")")
            }
            let expected = query.result(in: state)
            try expect(
                .overlap, answer.rows == expected, isMeaningful: !expected.isEmpty,
                "at the time \(time), \(query.sql) gives \(answer.rows), and not \(expected)")
        }
    }

    /// Changes the schema while a thread reads from each open connection.
    ///
    /// Each result must be that before or after the change.
    func whileReading(_ query: Query, _ change: () throws -> Void) throws {
        let before = query.result(in: model)
        let results = Mutex<Set<[String]>>([])
        let failure = Mutex<String?>(nil)
        let isOver = Mutex(false)
        let (begins, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let readers = world.connections.compactMap { $0 }
        for reader in readers {
            Thread.detachNewThread {
                repeat {
                    do {
                        let rows = try reader.read { db in try query.fetch(db) }
                        results.withLock { _ = $0.insert(rows) }
                    } catch {
                        failure.withLock { $0 = "\(error)" }
                    }
                    begins.signal()
                } while !isOver.withLock({ $0 })
                ends.signal()
            }
        }
        for _ in readers { begins.wait() }
        let result = Result { try change() }
        isOver.withLock { $0 = true }
        for _ in readers { ends.wait() }
        try result.get()
        if let error = failure.withLock({ $0 }) {
            throw SimulationError("queries: \(query.sql) throws \(error) while the schema is changed")
        }
        let after = query.result(in: model)
        for rows in results.withLock({ $0 }) {
            try expect(
                .queries, rows == before || rows == after, isMeaningful: !rows.isEmpty,
                "while the schema is changed, \(query.sql) gives \(rows), and not \(before) or \(after)")
        }
    }

    /// The answer of a query, and the time of its snapshot.
    private struct Answer: Sendable {
        var time: Int64?
        var rows: [String] = []
        var error: String?

        init(_ query: Query, in reader: any DatabaseReader) {
            do {
                (time, rows) = try reader.read { db in
                    (try Int64.fetchOne(db, sql: "SELECT t FROM clock")!, try query.fetch(db))
                }
            } catch {
                self.error = "\(error)"
            }
        }
    }

    /// Runs transactions in the model, in the order of their times, and compares their reports.
    ///
    /// - Returns: the content at each time.
    func replay(
        _ reports: [(transaction: Transaction, report: TransactionReport)], from start: Int64, _ oracle: Coverage.Oracle
    ) throws -> [Int64: Model] {
        var states = [start: model]
        let committed = reports.filter(\.report.isCommitted).sorted { $0.report.time! < $1.report.time! }
        for (index, entry) in committed.enumerated() {
            let time = start + Int64(index) + 1
            try expect(
                oracle, entry.report.time == time, "the transaction \(entry.report) is at another time than \(time)")
            try compare(entry.report, of: entry.transaction)
            states[time] = model
        }
        for entry in reports where !entry.report.isCommitted {
            if let error = entry.report.error { throw SimulationError("\(oracle.rawValue): \(error)") }
            guard let time = entry.report.time, var state = states[time - 1] else {
                throw SimulationError("\(oracle.rawValue): \(entry.report) has no time")
            }
            try compare(entry.report, state.run(entry.transaction) { _ in }, entry.transaction)
        }
        return states
    }

    // MARK: Processes

    /// Runs transactions in another process, one after the other.
    func runInOtherProcess(_ transactions: [Transaction]) throws {
        let process = try self.process ?? SecondProcess(world)
        self.process = process
        let start = try time()
        var reports: [(Transaction, TransactionReport)] = []
        for transaction in timed(transactions) { reports.append((transaction, try process.run(transaction))) }
        _ = try replay(reports, from: start, .acknowledged)
    }

    /// Kills another process while it writes: what it has acknowledged must be there, and at most one more transaction.
    func kill(_ transactions: [Transaction], after count: Int) throws {
        try process?.end()
        process = nil
        let start = try time()
        let victim = try SecondProcess(world)
        let transactions = timed(transactions)
        let reports = try victim.runUntilKilled(transactions, after: min(count, transactions.count))
        let time = try time()
        // Those that were rolled back are compared, too, and none of them may have failed.
        var answered = zip(transactions, reports).map { (transaction: $0, report: $1) }
        var commits = reports.count(where: \.isCommitted)
        // The process may have committed one more transaction without an answer.
        if start + Int64(commits) < time, reports.count < transactions.count {
            var report = TransactionReport(isCommitted: true, time: time)
            var copy = model
            for entry in answered { _ = copy.run(entry.transaction) { _ in } }
            for transaction in transactions[reports.count...] {
                // Those that don't commit leave the content unchanged.
                let expected = copy.run(transaction) { _ in }
                if !expected.isCommitted { continue }
                report.outcomes = expected.outcomes
                answered.append((transaction, report))
                commits += 1
                break
            }
        }
        try expect(
            .acknowledged, start + Int64(commits) == time, isMeaningful: !reports.isEmpty,
            "the clock is \(time), after \(commits) transactions from \(start)")
        _ = try replay(answered, from: start, .acknowledged)
    }

    private func time() throws -> Int64 {
        try world.connection(0).read { db in try Int64.fetchOne(db, sql: "SELECT t FROM clock")! }
    }

    /// Transactions of a connection outside of this process.
    private func timed(_ transactions: [Transaction]) -> [Transaction] {
        transactions.map { transaction in
            var transaction = transaction
            transaction.connection = 2
            transaction.kind = .transaction
            count(transaction)
            return transaction
        }
    }
}

/// Threads that begin at the same time.
private final class ThreadGroup {
    private var bodies: [@Sendable () -> Void] = []

    func add(_ body: @escaping @Sendable () -> Void) { bodies.append(body) }

    /// Runs all bodies, and waits for their ends.
    func run() {
        let gate = DispatchSemaphore(value: 0)
        let ends = DispatchSemaphore(value: 0)
        for body in bodies {
            Thread.detachNewThread {
                gate.wait()
                body()
                ends.signal()
            }
        }
        for _ in bodies { gate.signal() }
        for _ in bodies { ends.wait() }
    }
}
