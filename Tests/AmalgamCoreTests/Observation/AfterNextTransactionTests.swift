import Amalgam
import Foundation
import TestSupport
import Testing

struct AfterNextTransactionTests {
    /// Statements, and the end of their transaction.
    typealias Story = (statements: [String], end: String)

    static let insertion = "INSERT INTO player VALUES (1, 'Anna')"

    static let stories: [Story] = [
        // Commits
        (["CREATE TABLE t (a)"], "commit"),
        ([insertion], "commit"),
        (["BEGIN DEFERRED", "COMMIT"], "commit"),
        (["BEGIN DEFERRED", insertion, "COMMIT"], "commit"),
        (["BEGIN IMMEDIATE", "COMMIT"], "commit"),
        (["BEGIN IMMEDIATE", insertion, "COMMIT"], "commit"),
        (["BEGIN EXCLUSIVE", "COMMIT"], "commit"),
        (["BEGIN EXCLUSIVE", insertion, "END"], "commit"),
        (["SAVEPOINT s", "COMMIT"], "commit"),
        (["SAVEPOINT s", insertion, "COMMIT"], "commit"),
        (["SAVEPOINT s", "RELEASE s"], "commit"),
        (["SAVEPOINT s", insertion, "RELEASE s"], "commit"),
        (["SAVEPOINT s", "ROLLBACK TO s", "RELEASE s"], "commit"),
        (["SAVEPOINT s", insertion, "ROLLBACK TO s", "RELEASE s"], "commit"),
        (["BEGIN", "SAVEPOINT s", insertion, "ROLLBACK TO s", "COMMIT"], "commit"),
        (["BEGIN", "SAVEPOINT s", "RELEASE s", "SELECT 1", "COMMIT"], "commit"),
        // Rollbacks
        (["BEGIN DEFERRED", "ROLLBACK"], "rollback"),
        (["BEGIN DEFERRED", insertion, "ROLLBACK"], "rollback"),
        (["BEGIN IMMEDIATE", "ROLLBACK"], "rollback"),
        (["BEGIN IMMEDIATE", insertion, "ROLLBACK"], "rollback"),
        (["BEGIN EXCLUSIVE", "ROLLBACK"], "rollback"),
        (["BEGIN EXCLUSIVE", insertion, "ROLLBACK"], "rollback"),
        (["SAVEPOINT s", "ROLLBACK"], "rollback"),
        (["SAVEPOINT s", insertion, "ROLLBACK"], "rollback"),
    ]

    /// The closure is registered before the first statement, or after it if it leaves a transaction open.
    @Test(arguments: stories, [false, true])
    func story(story: Story, isRegisteredInside: Bool) throws {
        let lines = Lines()
        try makeQueue(playerSchema).inDatabase { db in
            func register() {
                db.afterNextTransaction(
                    onCommit: { db in lines.append("commit \(db.isInsideTransaction)") },
                    onRollback: { db in lines.append("rollback \(db.isInsideTransaction)") })
            }
            if !isRegisteredInside || story.statements.count == 1 { register() }
            for (index, sql) in story.statements.enumerated() {
                #expect(lines.take() == [], "before \(sql)")
                try db.execute(sql: sql)
                if index == 0 && isRegisteredInside && story.statements.count > 1 { register() }
            }
            // The closure has run when the statement that ends the transaction returns…
            #expect(lines.take() == ["\(story.end) false"])
            // …and doesn't run again.
            try db.execute(sql: "INSERT INTO player VALUES (100, ''); BEGIN; COMMIT; BEGIN; ROLLBACK")
            #expect(lines.take() == [])
        }
    }

    @Test func methodsOfTransactions() throws {
        let lines = Lines()
        let dbQueue = try makeQueue(playerSchema)
        try dbQueue.write { db in
            db.afterNextTransaction { _ in lines.append("written") }
            #expect(lines.take() == [])
        }
        #expect(lines.take() == ["written"])
        try dbQueue.inTransaction { db in
            db.afterNextTransaction(
                onCommit: { _ in lines.append("commit") }, onRollback: { _ in lines.append("rollback") })
            return .rollback
        }
        #expect(lines.take() == ["rollback"])
        #expect(throws: Refusal()) {
            try dbQueue.write { db in
                db.afterNextTransaction(
                    onCommit: { _ in lines.append("commit") }, onRollback: { _ in lines.append("rollback") })
                throw Refusal()
            }
        }
        #expect(lines.take() == ["rollback"])
    }

    @Test func savepointsAreNoTransactions() throws {
        let lines = Lines()
        try makeQueue(playerSchema).write { db in
            try db.inSavepoint {
                db.afterNextTransaction { _ in lines.append("commit") }
                return .commit
            }
            try db.inSavepoint { .rollback }
            #expect(lines.take() == [])
        }
        #expect(lines.take() == ["commit"])
    }

    @Test func severalClosuresRunInOrder() throws {
        let lines = Lines()
        try makeQueue(playerSchema).write { db in
            for index in 1...3 { db.afterNextTransaction { _ in lines.append("\(index)") } }
        }
        #expect(lines.take() == ["1", "2", "3"])
    }

    @Test func rollbacksOfSQLiteAndRefusedCommits() throws {
        let lines = Lines()
        let dbQueue = try makeQueue(playerSchema)
        dbQueue.inDatabase { db in
            func register() {
                db.afterNextTransaction(
                    onCommit: { _ in lines.append("commit") }, onRollback: { _ in lines.append("rollback") })
            }
            try? db.inTransaction {
                register()
                try db.execute(sql: Self.insertion)
                try db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (1, 'Bo')")
                return .commit
            }
            #expect(lines.take() == ["rollback"])
            let log = EventLog()
            log.refusal = Refusal()
            db.add(transactionObserver: log)
            #expect(throws: Refusal()) {
                try db.write {
                    try $0.execute(sql: Self.insertion); register()
                }
            }
            #expect(lines.take() == ["rollback"])
        }
    }

    /// A class whose deallocation is checked.
    private final class Witness: Sendable {}

    @Test(arguments: [Database.TransactionCompletion.commit, .rollback], [false, true])
    func closuresAreReleased(completion: Database.TransactionCompletion, hasBoth: Bool) throws {
        weak var onCommit: Witness?
        weak var onRollback: Witness?
        try makeQueue(playerSchema).inDatabase { db in
            do {
                let commitWitness = Witness()
                let rollbackWitness = Witness()
                (onCommit, onRollback) = (commitWitness, rollbackWitness)
                if hasBoth {
                    db.afterNextTransaction(
                        onCommit: { _ in withExtendedLifetime(commitWitness) {} },
                        onRollback: { _ in withExtendedLifetime(rollbackWitness) {} })
                } else {
                    db.afterNextTransaction { _ in withExtendedLifetime(commitWitness) {} }
                }
            }
            #expect(onCommit != nil)
            #expect((onRollback != nil) == hasBoth)
            try db.beginTransaction()
            if completion == .commit { try db.commit() } else { try db.rollback() }
            #expect(onCommit == nil)
            #expect(onRollback == nil)
        }
    }

    @Test func aClosureMayUseTheConnectionAndRegisterAnother() throws {
        let lines = Lines()
        try makeQueue(playerSchema).inDatabase { db in
            db.afterNextTransaction { db in
                lines.append("first \((try? db.integer("SELECT COUNT(*) FROM player")) ?? -1)")
                db.afterNextTransaction { _ in lines.append("second") }
            }
            try db.execute(sql: Self.insertion)
            #expect(lines.take() == ["first 1"])
            try db.execute(sql: "DELETE FROM player")
            #expect(lines.take() == ["second"])
        }
    }

    @Test func itHasNoMeaningOnAReadOnlyConnection() async {
        expectText(
            "afterNextTransaction has no meaning on a read-only connection",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var configuration = Configuration()
                configuration.readonly = true
                try DatabaseQueue(configuration: configuration).inDatabase { $0.afterNextTransaction { _ in } }
            })
    }
}
