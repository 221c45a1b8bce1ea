import Amalgam

/// The work of all processes: they transfer money between accounts, and the total never changes.
enum Bank {
    static let accountCount = 16
    static let total = accountCount * 1000

    /// The transfers of process n are numbered from n times this number.
    static let range = 1_000_000_000

    static func create(_ db: Database, processCount: Int) throws {
        try db.execute(
            sql: """
                CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0));
                CREATE TABLE transfer (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL);
                CREATE TABLE process (id INTEGER PRIMARY KEY, transfers INTEGER NOT NULL);
                """)
        for id in 0..<accountCount { try db.execute(sql: "INSERT INTO account VALUES (?, 1000)", arguments: [id]) }
        for id in 0..<processCount { try db.execute(sql: "INSERT INTO process VALUES (?, 0)", arguments: [id]) }
    }

    /// A violation of an invariant.
    struct Violation: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The state of the bank in one read.
    struct State: Equatable {
        /// The number of transfers of each process.
        let transfers: [Int]

        /// - Throws: `Violation` if the total has changed.
        init(_ db: Database) throws {
            let balances = try Int.fetchAll(db, sql: "SELECT balance FROM account")
            let sum = try Int.fetchOne(db, sql: "SELECT SUM(balance) FROM account")
            guard balances.reduce(0, +) == total, sum == total else {
                throw Violation("a reader has found a total of \(balances.reduce(0, +)) and \(sum ?? 0), not \(total)")
            }
            transfers = try Int.fetchAll(db, sql: "SELECT transfers FROM process ORDER BY id")
        }

        /// The number of transfers of other processes.
        func transfers(ofOthersThan process: Int) -> Int { transfers.reduce(0, +) - transfers[process] }

        /// - Throws: `Violation` if a later state lacks transfers of this one.
        func check(isNotAfter later: State) throws {
            guard zip(transfers, later.transfers).allSatisfy({ $0 <= $1 }) else {
                throw Violation("a reader has seen \(transfers) transfers, then \(later.transfers)")
            }
        }
    }

    /// Runs a transfer with a unique number in a transaction.
    static func transfer(_ number: Int, process: Int, _ db: Database) throws {
        let (from, to) = (Int.random(in: 0..<accountCount), Int.random(in: 0..<accountCount))
        let amount = Int.random(in: 0...20)
        try db.execute(
            sql: "INSERT INTO transfer VALUES (?, ?)", arguments: [process * range + number, amount])
        try db.execute(
            sql: "UPDATE account SET balance = balance - ? WHERE id = ? AND balance >= ?",
            arguments: [amount, from, amount])
        if db.changesCount == 1 {
            try db.execute(sql: "UPDATE account SET balance = balance + ? WHERE id = ?", arguments: [amount, to])
        }
        try db.execute(sql: "UPDATE process SET transfers = transfers + 1 WHERE id = ?", arguments: [process])
    }
}
