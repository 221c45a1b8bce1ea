import Amalgam
import Foundation
import TestSupport
import Testing

struct TransactionTests {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try makeQueue("CREATE TABLE t (id INTEGER PRIMARY KEY, v UNIQUE)")
    }

    private func rows(_ db: Database) throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT id FROM t ORDER BY id")
    }

    // MARK: SQL

    @Test(
        arguments: [
            (nil, "BEGIN IMMEDIATE TRANSACTION"),
            (.deferred, "BEGIN DEFERRED TRANSACTION"),
            (.immediate, "BEGIN IMMEDIATE TRANSACTION"),
            (.exclusive, "BEGIN EXCLUSIVE TRANSACTION"),
        ] as [(Database.TransactionKind?, String)])
    func kinds(kind: Database.TransactionKind?, begin: String) throws {
        try dbQueue.inDatabase { db in
            try #expect(db.tracedSQL { try db.inTransaction(kind) { .commit } } == [begin, "COMMIT TRANSACTION"])
            try #expect(db.tracedSQL { try db.inTransaction(kind) { .rollback } } == [begin, "ROLLBACK TRANSACTION"])
            let sql = try db.tracedSQL {
                try db.beginTransaction(kind)
                try db.commit()
                try db.beginTransaction(kind)
                try db.rollback()
            }
            #expect(sql == [begin, "COMMIT TRANSACTION", begin, "ROLLBACK TRANSACTION"])
        }
    }

    @Test func theKindIsDeferredWhereWritingIsRefused() throws {
        try dbQueue.inDatabase { db in
            let sql = try db.tracedSQL {
                try db.readOnly {
                    try db.inTransaction { .commit }
                    try db.inSavepoint { .commit }
                    try db.beginTransaction()
                    try db.commit()
                }
            }
            #expect(
                sql == [
                    "BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION",
                    "BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION",
                    "BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION",
                ])
        }
    }

    @Test func readsAreDeferredAndWritesImmediate() throws {
        var lastSQL: String?
        dbQueue.inDatabase { db in db.trace { lastSQL = "\($0)" } }
        try dbQueue.read { _ in #expect(lastSQL == "BEGIN DEFERRED TRANSACTION") }
        try dbQueue.write { _ in #expect(lastSQL == "BEGIN IMMEDIATE TRANSACTION") }
        try dbQueue.inTransaction(.exclusive) { _ in
            #expect(lastSQL == "BEGIN EXCLUSIVE TRANSACTION")
            return .commit
        }
        #expect(lastSQL == "COMMIT TRANSACTION")
    }

    @Test func nothingRunsBetweenTransactions() throws {
        try dbQueue.inDatabase { db in
            let sql = try db.tracedSQL {
                try db.inSavepoint { .commit }
                try db.inTransaction { .commit }
                try db.inTransaction(.immediate) { .commit }
            }
            #expect(Set(sql) == ["BEGIN IMMEDIATE TRANSACTION", "COMMIT TRANSACTION"])
            #expect(sql.count == 6)
        }
    }

    // MARK: Ends

    @Test func commit() throws {
        try dbQueue.inTransaction { db in
            #expect(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
            return .commit
        }
        try dbQueue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            try #expect(rows(db) == [1])
        }
    }

    @Test func rollback() throws {
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
            return .rollback
        }
        try dbQueue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            try #expect(rows(db) == [])
        }
    }

    @Test func anErrorRollsBackAndIsRethrown() throws {
        #expect(throws: Refusal()) {
            try dbQueue.inTransaction { db in
                try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
                throw Refusal()
            }
        }
        #expect(throws: Refusal()) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
                throw Refusal()
            }
        }
        try dbQueue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            try #expect(rows(db) == [])
        }
    }

    @Test func anErrorThatIsCaughtLeavesTheTransactionOpen() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
            expectFailure(.SQLITE_CONSTRAINT, "UNIQUE constraint failed: t.v", sql: "INSERT INTO t VALUES (2, 'a')") {
                try db.execute(sql: "INSERT INTO t VALUES (2, 'a')")
            }
            #expect(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (3, 'c')")
        }
        try #expect(dbQueue.read(rows) == [1, 3])
    }

    @Test func rollbackOutsideOfATransactionDoesNothing() throws {
        try dbQueue.inDatabase { db in
            try #expect(db.tracedSQL { try db.rollback() } == [])
        }
    }

    @Test func commitOutsideOfATransactionFails() throws {
        dbQueue.inDatabase { db in
            _ = expectFailure(.SQLITE_ERROR, "cannot commit - no transaction is active", sql: "COMMIT TRANSACTION") {
                try db.commit()
            }
        }
    }

    @Test func transactionsDoNotNest() throws {
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
            expectFailure(
                .SQLITE_ERROR, "cannot start a transaction within a transaction", sql: "BEGIN IMMEDIATE TRANSACTION"
            ) {
                try db.inTransaction { .commit }
            }
            // The outer transaction is still open.
            #expect(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t (id) VALUES (2)")
            return .commit
        }
        try #expect(dbQueue.read(rows) == [1, 2])
    }

    @Test func theClosureMayEndTheTransaction() throws {
        try dbQueue.inDatabase { db in
            expectFailure(.SQLITE_ERROR, "cannot commit - no transaction is active", sql: "COMMIT TRANSACTION") {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
                    try db.execute(sql: "COMMIT")
                    return .commit
                }
            }
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t (id) VALUES (2)")
                try db.execute(sql: "ROLLBACK")
                return .rollback
            }
            try #expect(rows(db) == [1])
        }
    }

    // MARK: Commits that fail

    static let deferredForeignKey = """
        CREATE TABLE team (id INTEGER PRIMARY KEY);
        CREATE TABLE player (teamId REFERENCES team(id) DEFERRABLE INITIALLY DEFERRED);
        """

    @Test func aFailingCommitRollsBack() throws {
        try makeQueue(Self.deferredForeignKey).inDatabase { db in
            let sql = try db.tracedSQL {
                let error = expectFailure(
                    .SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: "COMMIT TRANSACTION"
                ) {
                    try db.inTransaction {
                        try db.execute(sql: "INSERT INTO player VALUES (1)")
                        return .commit
                    }
                }
                #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
                #expect(
                    error?.description
                        == "SQLite error 19: FOREIGN KEY constraint failed - while executing `COMMIT TRANSACTION`")
                #expect(!db.isInsideTransaction)
                // A new transaction can start at once.
                try db.inTransaction { .commit }
            }
            #expect(
                sql == [
                    "BEGIN IMMEDIATE TRANSACTION", "INSERT INTO player VALUES (1)", "COMMIT TRANSACTION",
                    "ROLLBACK TRANSACTION", "BEGIN IMMEDIATE TRANSACTION", "COMMIT TRANSACTION",
                ])
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }

    @Test func aFailingManualCommitLeavesTheTransactionToTheCaller() throws {
        try makeQueue(Self.deferredForeignKey).inDatabase { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO player VALUES (1)")
            expectFailure(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: "COMMIT TRANSACTION") {
                try db.commit()
            }
            #expect(db.isInsideTransaction)
            // The commit can be tried again after its cause is removed.
            try db.execute(sql: "INSERT INTO team VALUES (1)")
            try db.commit()
            #expect(!db.isInsideTransaction)
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 1)
        }
    }

    // MARK: Transactions that SQLite ends

    static let conflict = "INSERT OR ROLLBACK INTO t VALUES (2, 'a')"

    @Test func theFirstErrorIsThrown() throws {
        try dbQueue.inDatabase { db in
            expectFailure(.SQLITE_CONSTRAINT, "UNIQUE constraint failed: t.v", sql: Self.conflict) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
                    try db.execute(sql: Self.conflict)
                    return .commit
                }
            }
            #expect(!db.isInsideTransaction)
            try #expect(rows(db) == [])
        }
    }

    @Test func aSwallowedErrorAbortsTheTransaction() throws {
        try dbQueue.inDatabase { db in
            expectFailure(.SQLITE_ABORT, "Transaction was aborted") {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
                    try? db.execute(sql: Self.conflict)
                    #expect(!db.isInsideTransaction)
                    expectFailure(.SQLITE_ABORT, "Transaction was aborted", sql: "INSERT INTO t VALUES (3, 'c')") {
                        try db.execute(sql: "INSERT INTO t VALUES (3, 'c')")
                    }
                    expectFailure(.SQLITE_ABORT, "Transaction was aborted", sql: "SELECT COUNT(*) FROM t") {
                        _ = try db.integer("SELECT COUNT(*) FROM t")
                    }
                    return .commit
                }
            }
            // The connection is usable.
            try db.execute(sql: "INSERT INTO t VALUES (4, 'd')")
            try #expect(rows(db) == [4])
        }
    }

    @Test func aSwallowedErrorAbortsWrites() throws {
        expectFailure(.SQLITE_ABORT, "Transaction was aborted") {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
                try? db.execute(sql: Self.conflict)
            }
        }
        try #expect(dbQueue.read(rows) == [])
    }

    @Test func anAbortedTransactionCanBeRolledBack() throws {
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
            try? db.execute(sql: Self.conflict)
            return .rollback
        }
        try #expect(dbQueue.read(rows) == [])
    }

    @Test func statementsPreparedBeforeTellTheirSQLToo() throws {
        try dbQueue.inDatabase { db in
            let insertion = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
            let selection = try db.makeStatement(sql: "SELECT id FROM t")
            try? db.inTransaction {
                try insertion.execute(arguments: [1, "a"])
                try? db.execute(sql: Self.conflict)
                expectFailure(.SQLITE_ABORT, "Transaction was aborted", sql: "INSERT INTO t VALUES (?, ?)") {
                    try insertion.execute(arguments: [2, "b"])
                }
                expectFailure(.SQLITE_ABORT, "Transaction was aborted", sql: "SELECT id FROM t") {
                    _ = try Int.fetchAll(selection)
                }
                return .commit
            }
        }
    }

    @Test func manualTransactionsGoOnInAutocommitMode() throws {
        // This transaction may stay open after the access, so the library doesn't check it.
        try dbQueue.inDatabase { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
            #expect(throws: DatabaseError.self) { try db.execute(sql: Self.conflict) }
            #expect(!db.isInsideTransaction)
            try db.rollback()
            try #expect(rows(db) == [])
        }
    }

    // MARK: isInsideTransaction

    @Test func isInsideTransactionIsWhatSQLiteKnows() throws {
        try dbQueue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            try db.execute(sql: "BEGIN")
            #expect(db.isInsideTransaction)
            try db.execute(sql: "COMMIT")
            #expect(!db.isInsideTransaction)
            try db.execute(sql: "SAVEPOINT s")
            #expect(db.isInsideTransaction)
            try db.execute(sql: "ROLLBACK TO s")
            #expect(db.isInsideTransaction)
            try db.execute(sql: "RELEASE s")
            #expect(!db.isInsideTransaction)
        }
        try dbQueue.read { #expect($0.isInsideTransaction) }
        try dbQueue.write { #expect($0.isInsideTransaction) }
        dbQueue.unsafeRead { #expect(!$0.isInsideTransaction) }
        dbQueue.writeWithoutTransaction { #expect(!$0.isInsideTransaction) }
    }

    // MARK: Transactions left open

    @Test func aTransactionMayBeLeftOpenOnRequest() throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let dbQueue = try makeQueue(playerSchema, configuration: configuration)
        try dbQueue.inDatabase { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
        }
        try dbQueue.inDatabase { db in
            #expect(db.isInsideTransaction)
            try db.rollback()
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }

    @Test func aTransactionLeftOpenIsFatal() async {
        expectText(
            "A transaction has been left opened at the end of a database access",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try DatabaseQueue().inDatabase { try $0.beginTransaction() }
            })
    }
}

struct SavepointTests {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try makeQueue("CREATE TABLE t (id INTEGER PRIMARY KEY, v UNIQUE)")
    }

    private func insert(_ id: Int, _ db: Database) throws {
        try db.execute(sql: "INSERT INTO t (id) VALUES (\(id))")
    }

    private func rows() throws -> [Int] {
        try dbQueue.read { try Int.fetchAll($0, sql: "SELECT id FROM t ORDER BY id") }
    }

    @Test func theOutermostIsATransaction() throws {
        try dbQueue.inDatabase { db in
            let commit = try db.tracedSQL {
                try db.inSavepoint {
                    #expect(db.isInsideTransaction)
                    return .commit
                }
            }
            #expect(commit == ["BEGIN IMMEDIATE TRANSACTION", "COMMIT TRANSACTION"])
            #expect(!db.isInsideTransaction)
            let rollback = try db.tracedSQL { try db.inSavepoint { .rollback } }
            #expect(rollback == ["BEGIN IMMEDIATE TRANSACTION", "ROLLBACK TRANSACTION"])
            let error = db.tracedSQL {
                #expect(throws: Refusal()) { try db.inSavepoint { throw Refusal() } }
            }
            #expect(error == ["BEGIN IMMEDIATE TRANSACTION", "ROLLBACK TRANSACTION"])
            #expect(!db.isInsideTransaction)
        }
    }

    @Test func sql() throws {
        try dbQueue.write { db in
            try #expect(
                db.tracedSQL { try db.inSavepoint { .commit } } == ["SAVEPOINT grdb", "RELEASE SAVEPOINT grdb"])
            let rollback = ["SAVEPOINT grdb", "ROLLBACK TRANSACTION TO SAVEPOINT grdb", "RELEASE SAVEPOINT grdb"]
            try #expect(db.tracedSQL { try db.inSavepoint { .rollback } } == rollback)
            #expect(
                db.tracedSQL {
                    #expect(throws: Refusal()) { try db.inSavepoint { throw Refusal() } }
                } == rollback)
        }
    }

    @Test func aSavepointUndoesItsOwnChangesOnly() throws {
        try dbQueue.inTransaction { db in
            try insert(1, db)
            try db.inSavepoint {
                try insert(2, db)
                return .rollback
            }
            try insert(3, db)
            #expect(throws: Refusal()) {
                try db.inSavepoint {
                    try insert(4, db)
                    throw Refusal()
                }
            }
            try insert(5, db)
            return .commit
        }
        try #expect(rows() == [1, 3, 5])
    }

    @Test func savepointsNest() throws {
        try dbQueue.write { db in
            let sql = try db.tracedSQL {
                try db.inSavepoint {
                    try insert(1, db)
                    try db.inSavepoint {
                        try insert(2, db)
                        return .rollback
                    }
                    try db.inSavepoint {
                        try insert(3, db)
                        return .commit
                    }
                    return .commit
                }
            }
            #expect(
                sql == [
                    "SAVEPOINT grdb", "INSERT INTO t (id) VALUES (1)",
                    "SAVEPOINT grdb", "INSERT INTO t (id) VALUES (2)",
                    "ROLLBACK TRANSACTION TO SAVEPOINT grdb", "RELEASE SAVEPOINT grdb",
                    "SAVEPOINT grdb", "INSERT INTO t (id) VALUES (3)", "RELEASE SAVEPOINT grdb",
                    "RELEASE SAVEPOINT grdb",
                ])
        }
        try #expect(rows() == [1, 3])
    }

    @Test func whatAnInnerSavepointCommitsGoesWithTheOuterOne() throws {
        try dbQueue.write { db in
            try insert(1, db)
            try db.inSavepoint {
                try db.inSavepoint {
                    try insert(2, db)
                    return .commit
                }
                return .rollback
            }
        }
        try #expect(rows() == [1])
        try dbQueue.inDatabase { db in
            try db.inSavepoint {
                try db.inSavepoint {
                    try insert(3, db)
                    return .commit
                }
                return .rollback
            }
        }
        try #expect(rows() == [1])
    }

    @Test func aSavepointSurvivesTheEndOfTheTransaction() throws {
        // ON CONFLICT ROLLBACK also ends the savepoints: the error of the statement is thrown.
        dbQueue.inDatabase { db in
            expectFailure(.SQLITE_CONSTRAINT, "UNIQUE constraint failed: t.v") {
                try db.inTransaction {
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
                        try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (2, 'a')")
                        return .commit
                    }
                    return .commit
                }
            }
            expectFailure(.SQLITE_ABORT, "Transaction was aborted", sql: "RELEASE SAVEPOINT grdb") {
                try db.inTransaction {
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
                        try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (2, 'a')")
                        return .commit
                    }
                    return .commit
                }
            }
            #expect(!db.isInsideTransaction)
        }
        try #expect(rows() == [])
    }

    @Test func aFailingCommitOfTheOutermostRollsBack() throws {
        try makeQueue(TransactionTests.deferredForeignKey).inDatabase { db in
            expectFailure(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: "COMMIT TRANSACTION") {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO player VALUES (1)")
                    return .commit
                }
            }
            #expect(!db.isInsideTransaction)
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }
}

struct ReadOnlyAccessTests {
    static let insertion = "INSERT INTO player VALUES (1, 'Anna')"
    static let message = "attempt to write a readonly database"

    @Test func writingIsRefused() throws {
        try makeQueue(playerSchema).inDatabase { db in
            try db.readOnly {
                try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
                expectFailure(.SQLITE_READONLY, Self.message, sql: Self.insertion) {
                    try db.execute(sql: Self.insertion)
                }
            }
            try db.execute(sql: Self.insertion)
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 1)
        }
    }

    @Test func itNests() throws {
        try makeQueue(playerSchema).inDatabase { db in
            try db.readOnly {
                try db.readOnly {
                    _ = expectFailure(.SQLITE_READONLY) { try db.execute(sql: Self.insertion) }
                }
                expectFailure(.SQLITE_READONLY) { try db.execute(sql: Self.insertion) }
            }
            try db.execute(sql: Self.insertion)
        }
    }

    @Test func anErrorEndsIt() throws {
        try makeQueue(playerSchema).inDatabase { db in
            #expect(throws: Refusal()) { try db.readOnly { throw Refusal() } }
            try db.execute(sql: Self.insertion)
        }
    }

    @Test func itGivesAValue() throws {
        try makeQueue(playerSchema).inDatabase { db in
            try #expect(db.readOnly { 12 } == 12)
        }
    }

    @Test func aTransactionThatWouldWriteIsRefused() throws {
        try makeQueue(playerSchema).inDatabase { db in
            for kind in [Database.TransactionKind.immediate, .exclusive] {
                expectFailure(.SQLITE_READONLY, Self.message) {
                    try db.readOnly { try db.inTransaction(kind) { .commit } }
                }
            }
            #expect(!db.isInsideTransaction)
        }
    }

    @Test func itWorksInsideATransaction() throws {
        let dbQueue = try makeQueue(playerSchema)
        try dbQueue.write { db in
            try db.execute(sql: Self.insertion)
            try db.readOnly {
                try #expect(db.integer("SELECT COUNT(*) FROM player") == 1)
                expectFailure(.SQLITE_READONLY) { try db.execute(sql: "DELETE FROM player") }
            }
            try db.execute(sql: "INSERT INTO player VALUES (2, 'Bo')")
        }
        try #expect(dbQueue.read { try $0.integer("SELECT COUNT(*) FROM player") } == 2)
    }

    @Test func savepointsWorkInside() throws {
        try makeQueue(playerSchema).read { db in
            try db.inSavepoint {
                try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
                return .rollback
            }
            #expect(db.isInsideTransaction)
        }
    }

    @Test func itRunsNoSQL() throws {
        try makeQueue(playerSchema).inDatabase { db in
            let sql = try db.tracedSQL {
                try db.readOnly { #expect(!db.isInsideTransaction) }
            }
            #expect(sql == [])
            let queryOnly = try db.readOnly { try db.integer("PRAGMA query_only") }
            #expect(queryOnly == 1)
            try #expect(db.integer("PRAGMA query_only") == 0)
        }
    }

    /// `PRAGMA query_only` keeps the value that the application has set.
    @Test func itLeavesThePragmaAsItWas() throws {
        try makeQueue(playerSchema).inDatabase { db in
            try db.execute(sql: "PRAGMA query_only = 1")
            try db.readOnly { try db.readOnly {} }
            _ = expectFailure(.SQLITE_READONLY, Self.message, sql: Self.insertion) {
                try db.execute(sql: Self.insertion)
            }
            try db.execute(sql: "PRAGMA query_only = 0")
            try db.readOnly {}
            try db.execute(sql: Self.insertion)
        }
    }

    @Test func readsAreReadOnly() throws {
        try makeQueue(playerSchema).read { db in
            _ = expectFailure(.SQLITE_READONLY, Self.message, sql: Self.insertion) {
                try db.execute(sql: Self.insertion)
            }
        }
    }
}
