import Amalgam

/// A transaction that transfers money between accounts: several transfers, some of which are undone, and an end.
struct Payment: Sendable {
    struct Transfer: Sendable {
        let from, to, amount: Int
        /// The transfer is made in a savepoint that is rolled back.
        let isUndone: Bool

        init(_ dice: inout Dice) {
            from = dice.number(0...Ledger.accountCount - 1)
            to = dice.number(0...Ledger.accountCount - 1)
            amount = dice.number(1...200)
            isUndone = dice.once(in: 5)
        }

        func run(_ db: Database) throws {
            guard isUndone else { return try move(db) }
            try db.inSavepoint {
                try move(db)
                return .rollback
            }
        }

        private func move(_ db: Database) throws {
            try db.execute(sql: "UPDATE account SET balance = balance - ? WHERE id = ?", arguments: [amount, from])
            try db.execute(sql: "UPDATE account SET balance = balance + ? WHERE id = ?", arguments: [amount, to])
        }
    }

    let id: Int
    let transfers: [Transfer]
    /// The closure throws at the end.
    let fails: Bool

    init(id: Int, _ dice: inout Dice) {
        self.id = id
        transfers = (0..<dice.number(1...3)).map { _ in Transfer(&dice) }
        fails = dice.once(in: 10)
    }

    func run(_ db: Database) throws {
        try db.execute(sql: "INSERT INTO payment VALUES (?)", arguments: [id])
        for transfer in transfers { try transfer.run(db) }
        if fails { throw Oops(number: id) }
    }

    /// Applies the payment to balances.
    func apply(to balances: inout [Int]) {
        for transfer in transfers where !transfer.isUndone {
            balances[transfer.from] -= transfer.amount
            balances[transfer.to] += transfer.amount
        }
    }
}
