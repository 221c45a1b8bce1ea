import Amalgam
import TestSupport
import Testing

/// The model: the expected content of the database, as the clients know it.
///
/// The database contains a payment if its call has returned, and doesn't contain it if its call has thrown. No account
/// is ever overdrawn, and each reader sees the same sum at any time.
final class Ledger: Sendable {
    static let accountCount = 8
    static let total = accountCount * 1000

    private struct Entries: Sendable {
        var count = 0
        var acknowledged: [Int: Payment] = [:]
        var refused: Set<Int> = []
    }

    private let entries = Box(Entries())
    private let checkCount = Box(0)

    static func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0));
                CREATE TABLE payment (id INTEGER PRIMARY KEY);
                """)
        for id in 0..<accountCount { try db.execute(sql: "INSERT INTO account VALUES (?, 1000)", arguments: [id]) }
    }

    // MARK: Writing

    func makePayment(_ dice: inout Dice) -> Payment {
        let id = entries.withLock { entries in
            entries.count += 1
            return entries.count
        }
        return Payment(id: id, &dice)
    }

    /// Records the result of a payment.
    func note(_ payment: Payment, _ result: Result<Void, any Error>) {
        entries.withLock { entries in
            switch result {
            case .success: entries.acknowledged[payment.id] = payment
            case .failure: entries.refused.insert(payment.id)
            }
        }
        if payment.fails, case .success = result { complain("payment \(payment.id) must fail") }
    }

    var acknowledgedCount: Int { entries.value.acknowledged.count }
    var checks: Int { checkCount.value }

    // MARK: Reading

    /// Reads everything twice, because a read sees one snapshot.
    ///
    /// - Parameter floor: The number of payments acknowledged before the read began.
    /// - Returns: The number of payments.
    @discardableResult
    func check(_ db: Database, atLeast floor: Int) throws -> Int {
        let count = try Self.paymentCount(db)
        let balances = try Int.fetchAll(db, sql: "SELECT balance FROM account")
        let sum = try Int.fetchOne(db, sql: "SELECT SUM(balance) FROM account")
        let countAgain = try Self.paymentCount(db)
        if balances.reduce(0, +) != Self.total { complain("the balances are \(balances)") }
        if sum != Self.total { complain("the sum is \(sum ?? -1)") }
        if count != countAgain { complain("one read sees \(count) payments, then \(countAgain)") }
        if count < floor { complain("\(floor) payments were acknowledged, and \(count) are seen") }
        checkCount.increment()
        return count
    }

    static func paymentCount(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM payment")!
    }

    /// Compares the database with the model after all writes have ended.
    func checkEnd(_ db: Database) throws {
        let entries = entries.value
        var expected = Array(repeating: 1000, count: Self.accountCount)
        for payment in entries.acknowledged.values { payment.apply(to: &expected) }
        let balances = try Int.fetchAll(db, sql: "SELECT balance FROM account ORDER BY id")
        let payments = try Set(Int.fetchAll(db, sql: "SELECT id FROM payment"))
        let lost = Set(entries.acknowledged.keys).subtracting(payments)
        let refused = payments.intersection(entries.refused)
        if !lost.isEmpty { complain("acknowledged, and lost: \(lost.sorted())") }
        if !refused.isEmpty { complain("refused, and there: \(refused.sorted())") }
        if payments.count != entries.acknowledged.count { complain("there are payments that nobody has made") }
        if balances != expected { complain("the balances are \(balances), expected \(expected)") }
        if entries.acknowledged.isEmpty || checks == 0 { complain("nothing was done") }
        #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }

    /// Records a failure with the seed that repeats it.
    func complain(_ message: String) {
        Issue.record("\(message). To repeat: AMALGAM_STRESS_SEED=\(Dice.seed)")
    }
}
