import Amalgam
import Foundation
import TestSupport
import Testing

/// A database that many threads and tasks use at once, with optional disturbances.
final class Bank: Sendable {
    /// Disturbances of accesses, in addition to other accesses.
    struct Trouble: OptionSet, Sendable {
        let rawValue: Int
        /// Statements are interrupted.
        static let interrupts = Trouble(rawValue: 1)
        /// The database is closed, and opened again, during use.
        static let closes = Trouble(rawValue: 2)
        /// Another connection writes to the same database, and further ones read it.
        static let externalWriter = Trouble(rawValue: 4)
        /// Connections don't wait for the locks of others.
        static let impatience = Trouble(rawValue: 8)
        /// The database is suspended, and resumed.
        static let suspensions = Trouble(rawValue: 16)
        /// Checkpoints run as often as possible, and writes wait for reads.
        static let walPolicy = Trouble(rawValue: 32)
    }

    let ledger = Ledger()
    let trouble: Trouble
    private let currentWriter: Box<any DatabaseWriter>
    private let reopening: @Sendable () throws -> any DatabaseWriter
    private let actorCount = Box(0)
    private let end: ContinuousClock.Instant

    init(trouble: Trouble, opening: @escaping @Sendable () throws -> any DatabaseWriter) throws {
        let writer = try opening()
        try writer.write(Ledger.create)
        self.trouble = trouble
        currentWriter = Box(writer)
        reopening = opening
        end = .now + .seconds(environment("AMALGAM_STRESS_SECONDS").flatMap(Double.init) ?? 1.2)
    }

    var writer: any DatabaseWriter { currentWriter.value }

    /// Closes the database during its use, and opens it again.
    func reopen() throws {
        try writer.close()
        currentWriter.value = try reopening()
    }

    /// Whether the clients go on: until the end of the time, and until some work was done, which may take longer on a
    /// busy machine.
    var isOpen: Bool {
        let now = ContinuousClock.now
        if now < end { return true }
        return now < end + .seconds(40) && (ledger.acknowledgedCount == 0 || ledger.checks == 0)
    }

    // MARK: Accesses

    /// Makes a payment, and records its result.
    func pay(_ dice: inout Dice, _ access: ((Database) throws -> Void) throws -> Void) {
        let payment = ledger.makePayment(&dice)
        note(payment, Result { try access(payment.run) })
    }

    /// Records the result of a payment. An unexpected error is a failure.
    func note(_ payment: Payment, _ result: Result<Void, any Error>) {
        ledger.note(payment, result)
        guard case .failure(let error) = result else { return }
        if let oops = error as? Oops, oops.number == payment.id, payment.fails { return }
        if case DatabaseError.SQLITE_CONSTRAINT = error { return }
        judge(error)
    }

    /// Checks the accounts, and all payments that were acknowledged before.
    func inspect(_ access: ((Database) throws -> Void) throws -> Void) {
        let floor = ledger.acknowledgedCount
        tolerating { try access { db in _ = try ledger.check(db, atLeast: floor) } }
    }

    /// Runs a closure, and judges its error.
    func tolerating(_ body: () throws -> Void) {
        do { try body() } catch { judge(error) }
    }

    /// Records a failure if no disturbance explains an error.
    func judge(_ error: any Error) {
        let isExplained =
            switch error {
            case is CancellationError: true
            case DatabaseError.SQLITE_INTERRUPT, DatabaseError.SQLITE_ABORT:
                !trouble.isDisjoint(with: [.interrupts, .suspensions])
            case DatabaseError.SQLITE_MISUSE: trouble.contains(.closes) && "\(error)".contains("closed")
            // Connections that share a database in memory lock tables.
            case DatabaseError.SQLITE_BUSY, DatabaseError.SQLITE_LOCKED: trouble.contains(.externalWriter)
            default: false
            }
        if !isExplained { ledger.complain("unexpected: \(error)") }
    }

    // MARK: Threads and tasks

    typealias Group = ThrowingTaskGroup<Void, any Error>

    private func makeDice() -> Dice { Dice(actor: actorCount.increment()) }

    /// Repeats a closure on a thread.
    func addThread(_ group: inout Group, _ body: @escaping @Sendable (inout Dice) throws -> Void) {
        let dice = makeDice()
        group.addTask {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    var dice = dice
                    continuation.resume(with: Result { while self.isOpen { try body(&dice) } })
                }
            }
        }
    }

    /// Repeats a closure in a task.
    func addTask(_ group: inout Group, _ body: @escaping @Sendable (inout Dice) async throws -> Void) {
        let dice = makeDice()
        group.addTask {
            var dice = dice
            while self.isOpen {
                try await body(&dice)
                await Task.yield()
            }
        }
    }
}
