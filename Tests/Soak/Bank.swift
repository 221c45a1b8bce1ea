import Amalgam

/// What all processes do to the file: money moves between accounts, and is neither made nor lost.
enum Bank {
    static let accountCount = 16
    static let total = accountCount * 1000

    /// The numbers of transfers of a process begin with a multiple of this one.
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

    /// Something that must not be.
    struct Violation: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// A state of the bank, as one read sees it.
    struct State: Equatable {
        /// How many transfers each process has made.
        let transfers: [Int]

        /// - throws: `Violation` when money was made or lost.
        init(_ db: Database) throws {
            let balances = try Int.fetchAll(db, sql: "SELECT balance FROM account")
            let sum = try Int.fetchOne(db, sql: "SELECT SUM(balance) FROM account")
            guard balances.reduce(0, +) == total, sum == total else {
                throw Violation("a reader has found a total of \(balances.reduce(0, +)) and \(sum ?? 0), not \(total)")
            }
            transfers = try Int.fetchAll(db, sql: "SELECT transfers FROM process ORDER BY id")
        }

        /// How many transfers other processes have made.
        func transfers(ofOthersThan process: Int) -> Int { transfers.reduce(0, +) - transfers[process] }

        /// - throws: `Violation` when a state that was read later does not have all that this one has.
        func check(isNotAfter later: State) throws {
            guard zip(transfers, later.transfers).allSatisfy({ $0 <= $1 }) else {
                throw Violation("a reader has seen \(transfers) transfers, then \(later.transfers)")
            }
        }
    }

    /// A transaction, with a number of its own.
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
