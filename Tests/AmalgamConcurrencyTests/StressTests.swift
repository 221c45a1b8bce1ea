import Amalgam
import Foundation
import Testing

/// Money moves between accounts, from many threads and tasks, while others count it. Whoever counts finds the same
/// total. A transfer whose call has returned is there; one whose call has thrown is not.
@Suite(.timeLimit(.minutes(2)), .watchdog, .serialized)
struct StressTests {
    static let accountCount = 8
    static let total = accountCount * 1000

    /// The transfers that succeeded and that failed, as their callers know it.
    struct Model: Sendable {
        var nextID = 0
        var done: [Int: (from: Int, to: Int, amount: Int)] = [:]
        var failed: Set<Int> = []
    }

    final class Bank: Sendable {
        let writer: any DatabaseWriter
        let model = Box(Model())
        let reads = Box(0)
        let end: ContinuousClock.Instant

        init(_ writer: any DatabaseWriter, seconds: Double) throws {
            self.writer = writer
            end = .now + .seconds(seconds)
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0));
                        CREATE TABLE transfer (id INTEGER PRIMARY KEY);
                        """)
                for id in 0..<accountCount {
                    try db.execute(sql: "INSERT INTO account VALUES (?, 1000)", arguments: [id])
                }
            }
        }

        /// On a busy machine nothing may happen for seconds: some work is waited for.
        var isOpen: Bool {
            let now = ContinuousClock.now
            if now < end { return true }
            return now < end + .seconds(40) && (model.value.done.isEmpty || reads.value == 0)
        }

        struct Transfer: Sendable {
            let id: Int
            let from = Int.random(in: 0..<accountCount)
            let to = Int.random(in: 0..<accountCount)
            let amount = Int.random(in: 1...300)
            let isRefused = Int.random(in: 0..<10) == 0

            func run(_ db: Database) throws {
                try db.execute(sql: "INSERT INTO transfer VALUES (?)", arguments: [id])
                try db.execute(
                    sql: "UPDATE account SET balance = balance - ? WHERE id = ?", arguments: [amount, from])
                if isRefused { throw Oops(number: id) }
                try db.execute(sql: "UPDATE account SET balance = balance + ? WHERE id = ?", arguments: [amount, to])
            }
        }

        func makeTransfer() -> Transfer {
            Transfer(
                id: model.withLock {
                    $0.nextID += 1; return $0.nextID
                })
        }

        /// Notes what became of a transfer. Only expected errors may come.
        func note(_ transfer: Transfer, _ result: Result<Void, any Error>) {
            model.withLock { model in
                switch result {
                case .success: model.done[transfer.id] = (transfer.from, transfer.to, transfer.amount)
                case .failure: model.failed.insert(transfer.id)
                }
            }
            switch result {
            case .success, .failure(is CancellationError), .failure(DatabaseError.SQLITE_CONSTRAINT): break
            case .failure(let error as Oops) where error.number == transfer.id: break
            case .failure(let error): Issue.record(error)
            }
        }

        static func total(_ db: Database) throws -> Int {
            try Int.fetchOne(db, sql: "SELECT SUM(balance) FROM account")!
        }

        /// Counts twice, row by row and by SQL, as one read must see one state.
        static func check(_ db: Database) throws {
            let balances = try Int.fetchAll(db, sql: "SELECT balance FROM account")
            #expect(balances.reduce(0, +) == StressTests.total)
            #expect(try total(db) == StressTests.total)
        }

        func checkEnd() throws {
            let model = model.value
            let (balances, transfers) = try writer.read { db in
                (
                    try Int.fetchAll(db, sql: "SELECT balance FROM account ORDER BY id"),
                    try Set(Int.fetchAll(db, sql: "SELECT id FROM transfer"))
                )
            }
            var expected = Array(repeating: 1000, count: accountCount)
            for transfer in model.done.values {
                expected[transfer.from] -= transfer.amount
                expected[transfer.to] += transfer.amount
            }
            #expect(balances == expected)
            #expect(transfers == Set(model.done.keys))
            #expect(transfers.isDisjoint(with: model.failed))
            #expect(try writer.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        }
    }

    @Test(arguments: [Store.pool, .walQueue, .fileQueue, .memoryQueue])
    func moneyIsNeitherMadeNorLost(store: Store) async throws {
        let folder = Folder()
        let writer = try store.open(in: folder, .readers(3))
        let bank = try Bank(writer, seconds: 2.5)
        try await withThrowingTaskGroup(of: Void.self) { group in
            addThreads(bank, &group)
            addTasks(bank, &group)
            if let pool = writer as? DatabasePool { addPoolWork(bank, pool, &group) }
            try await group.waitForAll()
        }
        try bank.checkEnd()
        #expect(bank.model.value.done.count > 0)
        #expect(bank.reads.value > 0)
        try writer.close()
    }

    private typealias Group = ThrowingTaskGroup<Void, any Error>

    /// Runs a closure again and again on a thread.
    private func add(_ bank: Bank, _ group: inout Group, _ body: @escaping @Sendable () throws -> Void) {
        group.addTask {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    continuation.resume(with: Result { while bank.isOpen { try body() } })
                }
            }
        }
    }

    private func addThreads(_ bank: Bank, _ group: inout Group) {
        let writer = bank.writer
        add(bank, &group) {
            let transfer = bank.makeTransfer()
            bank.note(transfer, Result { try writer.write(transfer.run) })
        }
        add(bank, &group) {
            try writer.read(Bank.check)
            bank.reads.increment()
        }
        add(bank, &group) {
            let ended = Signal("scheduled write")
            let transfer = bank.makeTransfer()
            writer.asyncWrite(transfer.run) { _, result in
                bank.note(transfer, result)
                ended.fire()
            }
            try ended.wait()
        }
        add(bank, &group) {
            let ended = Signal("scheduled read")
            writer.asyncRead { result in
                _ = Result { try Bank.check(result.get()) }.mapError {
                    Issue.record($0); return $0
                }
                ended.fire()
            }
            try ended.wait()
        }
    }

    private func addTasks(_ bank: Bank, _ group: inout Group) {
        let writer = bank.writer
        for _ in 0..<2 {
            group.addTask {
                while bank.isOpen {
                    let transfer = bank.makeTransfer()
                    let task = Task { try await writer.write(transfer.run) }
                    if Bool.random() {
                        try await Task.sleep(nanoseconds: .random(in: 0...500_000))
                        task.cancel()
                    }
                    bank.note(transfer, await task.result)
                }
            }
            group.addTask {
                while bank.isOpen {
                    let task = Task { try await writer.read(Bank.check) }
                    if Bool.random() {
                        try await Task.sleep(nanoseconds: .random(in: 0...300_000))
                        task.cancel()
                    }
                    switch await task.result {
                    case .success: bank.reads.increment()
                    case .failure(is CancellationError): break
                    case .failure(let error):
                        Issue.record(error)
                    }
                }
            }
        }
    }

    private func addPoolWork(_ bank: Bank, _ pool: DatabasePool, _ group: inout Group) {
        // Snapshots see one total, and one number of transfers, as long as they live.
        add(bank, &group) {
            let snapshot = try pool.makeSnapshot()
            let count = try snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM transfer")! }
            for _ in 0..<5 {
                try snapshot.read { db in
                    try Bank.check(db)
                    #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM transfer") == count)
                }
            }
        }
        add(bank, &group) {
            // A truncated WAL file has nothing to hold.
            guard let snapshot = try? pool.makeSnapshotPool() else { return }
            let count = try snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM transfer")! }
            try onThreads(2) { _ in
                try snapshot.read { db in
                    try Bank.check(db)
                    #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM transfer") == count)
                }
            }
        }
        // Reads that start at a commit see it.
        add(bank, &group) {
            let transfer = bank.makeTransfer()
            let ended = Signal("concurrent read")
            let result = pool.writeWithoutTransaction { db in
                let result = Result {
                    try db.inTransaction {
                        try transfer.run(db); return .commit
                    }
                }
                pool.asyncConcurrentRead { read in
                    let isThere = Result {
                        try Bank.check(read.get())
                        return try Bool.fetchOne(
                            read.get(), sql: "SELECT EXISTS (SELECT 1 FROM transfer WHERE id = ?)",
                            arguments: [transfer.id])!
                    }
                    let isDone = (try? result.get()) != nil
                    do {
                        let isThere = try isThere.get()
                        #expect(isThere == isDone)
                    } catch {
                        Issue.record(error)
                    }
                    ended.fire()
                }
                return result
            }
            bank.note(transfer, result)
            try ended.wait()
        }
        // Checkpoints, barriers and other disturbances.
        add(bank, &group) {
            switch Int.random(in: 0..<6) {
            case 0:
                let kind = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement()!
                _ = pool.writeWithoutTransaction { try? Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(\(kind))") }
            case 1: try pool.barrierWriteWithoutTransaction { try Bank.check($0) }
            case 2: pool.invalidateReadOnlyConnections()
            case 3: pool.releaseMemory()
            case 4: pool.releaseMemoryEventually()
            default: Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }
}
