import Amalgam
import TestSupport
import Testing

/// Events inside savepoints are delivered after RELEASE.
struct SavepointObservationTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        dbQueue.add(transactionObserver: log)
    }

    /// Runs statements, where `n` means an insertion of row n, and returns the events after each of them.
    private func run(_ statements: [String]) throws -> [[String]] {
        try dbQueue.inDatabase { db in
            try statements.map { sql in
                try db.execute(sql: Int(sql).map { "INSERT INTO t VALUES (\($0))" } ?? sql)
                return log.take()
            }
        }
    }

    static let commit = ["willCommit", "didCommit"]

    /// Statements, and the events after each of them.
    typealias Story = [(sql: String, told: [String])]

    static let stories: [Story] = [
        // RELEASE
        [
            ("BEGIN", []), ("1", ["insert t(1)"]),
            ("SAVEPOINT a", []), ("2", []), ("3", []), ("RELEASE a", ["insert t(2)", "insert t(3)"]),
            ("4", ["insert t(4)"]), ("COMMIT", commit),
        ],
        // ROLLBACK TO
        [
            ("BEGIN", []), ("1", ["insert t(1)"]),
            ("SAVEPOINT a", []), ("2", []), ("ROLLBACK TO a", []), ("3", []), ("RELEASE a", ["insert t(3)"]),
            ("COMMIT", commit),
        ],
        // The outermost savepoint is the transaction
        [("SAVEPOINT a", []), ("1", []), ("2", []), ("RELEASE a", ["insert t(1)", "insert t(2)"] + commit)],
        [("SAVEPOINT a", []), ("1", []), ("COMMIT", ["insert t(1)"] + commit)],
        [("SAVEPOINT a", []), ("1", []), ("ROLLBACK", ["didRollback"])],
        [("SAVEPOINT a", []), ("1", []), ("ROLLBACK TO a", []), ("2", []), ("RELEASE a", ["insert t(2)"] + commit)],
        // Nested
        [
            ("BEGIN", []),
            ("SAVEPOINT a", []), ("1", []), ("SAVEPOINT b", []), ("2", []), ("RELEASE b", []), ("3", []),
            ("RELEASE a", ["insert t(1)", "insert t(2)", "insert t(3)"]),
            ("COMMIT", commit),
        ],
        [
            ("BEGIN", []),
            ("SAVEPOINT a", []), ("1", []), ("SAVEPOINT b", []), ("2", []), ("ROLLBACK TO b", []), ("RELEASE b", []),
            ("3", []), ("RELEASE a", ["insert t(1)", "insert t(3)"]),
            ("COMMIT", commit),
        ],
        [
            ("BEGIN", []),
            ("SAVEPOINT a", []), ("1", []), ("SAVEPOINT b", []), ("2", []), ("RELEASE b", []), ("ROLLBACK TO a", []),
            ("RELEASE a", []), ("COMMIT", commit),
        ],
        // RELEASE and ROLLBACK TO include inner savepoints
        [
            ("BEGIN", []),
            ("SAVEPOINT a", []), ("1", []), ("SAVEPOINT b", []), ("2", []),
            ("RELEASE a", ["insert t(1)", "insert t(2)"]),
            ("3", ["insert t(3)"]), ("COMMIT", commit),
        ],
        [
            ("BEGIN", []),
            ("SAVEPOINT a", []), ("1", []), ("SAVEPOINT b", []), ("2", []), ("ROLLBACK TO a", []), ("3", []),
            ("RELEASE a", ["insert t(3)"]), ("COMMIT", commit),
        ],
        // The end of the transaction ends all savepoints
        [
            ("BEGIN", []), ("SAVEPOINT a", []), ("1", []), ("SAVEPOINT b", []), ("2", []),
            ("COMMIT", ["insert t(1)", "insert t(2)"] + commit),
        ],
        [
            ("BEGIN", []), ("1", ["insert t(1)"]), ("SAVEPOINT a", []), ("2", []), ("ROLLBACK", ["didRollback"]),
        ],
        // Names: the innermost savepoint matches, regardless of case
        [
            ("BEGIN", []),
            ("SAVEPOINT grdb", []), ("1", []), ("SAVEPOINT GRDB", []), ("2", []), ("ROLLBACK TO grdb", []),
            ("RELEASE Grdb", []), ("RELEASE grdb", ["insert t(1)"]), ("COMMIT", commit),
        ],
        [
            ("BEGIN", []), (#"SAVEPOINT "a ""b"" c""#, []), ("1", []), (#"RELEASE 'a "b" c'"#, ["insert t(1)"]),
            ("COMMIT", commit),
        ],
        // A savepoint doesn't outlive its transaction
        [
            ("SAVEPOINT a", []), ("1", []), ("ROLLBACK", ["didRollback"]),
            ("2", ["insert t(2)"] + commit),
            ("BEGIN", []), ("3", ["insert t(3)"]), ("COMMIT", commit),
        ],
    ]

    @Test(arguments: stories)
    func story(story: Story) throws {
        let told = try run(story.map(\.sql))
        for (step, lines) in zip(story, told) {
            #expect(lines == step.told, "\(step.sql) in \(story.map(\.sql))")
        }
    }

    @Test func inSavepoint() throws {
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                #expect(log.take() == [])
                return .commit
            }
            #expect(log.take() == ["insert t(1)"])
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .rollback
            }
            #expect(throws: Refusal()) {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                    throw Refusal()
                }
            }
            #expect(log.take() == [])
        }
        #expect(log.take() == Self.commit)
    }

    @Test func theOutermostInSavepointIsATransaction() throws {
        try dbQueue.inDatabase { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                #expect(log.take() == ["insert t(1)"])
                return .commit
            }
        }
        #expect(log.take() == Self.commit)
    }

    @Test func pendingEventsKeepTheirValues() throws {
        try dbQueue.write { db in
            let lines = try db.events(logsValues: true) {
                try db.execute(
                    sql: "SAVEPOINT a; INSERT INTO t VALUES (1); UPDATE t SET id = 2; DELETE FROM t; RELEASE a")
            }
            #expect(
                lines == [
                    "will insert t(1): [1]", "insert t(1)", "will update t(2): [1] -> [2]", "update t(2)",
                    "will delete t(2): [2]", "delete t(2)",
                ])
        }
    }

    @Test func anObserverThatArrivesInsideASavepoint() throws {
        try dbQueue.write { db in
            try db.execute(sql: "SAVEPOINT a; INSERT INTO t VALUES (1)")
            let late = EventLog()
            db.add(transactionObserver: late)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            #expect(late.take() == [])
            try db.execute(sql: "ROLLBACK TO a; INSERT INTO t VALUES (3)")
            try db.execute(sql: "RELEASE a")
            #expect(late.take() == ["insert t(3)"])
        }
    }

    @Test func savepointsOpenedBeforeTheFirstObserver() throws {
        try makeQueue("CREATE TABLE t (id INTEGER PRIMARY KEY)").write { db in
            try db.execute(sql: "SAVEPOINT a")
            db.add(transactionObserver: log)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(log.take() == [])
            try db.execute(sql: "ROLLBACK TO a; RELEASE a")
            #expect(log.take() == [])
        }
    }

    @Test func aRefusedCommitForgetsPendingEvents() throws {
        try dbQueue.inDatabase { db in
            log.refusal = Refusal()
            #expect(throws: Refusal()) {
                try db.execute(sql: "SAVEPOINT a; INSERT INTO t VALUES (1); RELEASE a")
            }
            #expect(log.take() == ["insert t(1)", "willCommit", "didRollback"])
            #expect(!db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            #expect(log.take() == ["insert t(2)"] + Self.commit)
        }
    }

    @Test func aRollbackOfSQLiteForgetsPendingEvents() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (1)")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") }
            #expect(log.take() == ["didRollback"])
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            #expect(log.take() == ["insert t(2)"] + Self.commit)
        }
    }

    @Test("changes after a rollback by a function are rolled back, too")
    func rollbacksOfFunctions() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE other (a); CREATE TABLE w (a); INSERT INTO w VALUES (1)")
            let shared = db.shared
            db.add(
                function: DatabaseFunction("roll_back") { (value: Int) in
                    try shared.value.inSavepoint {
                        try shared.value.execute(sql: "INSERT INTO other VALUES (1)")
                        return .rollback
                    }
                    return value
                })
            _ = log.take()
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE w SET a = roll_back(a)") }
            #expect(error?.extendedResultCode == .SQLITE_ABORT_ROLLBACK)
            let events = log.take()
            #expect(events.suffix(2) == ["update w(1)", "didRollback"])
            #expect(events.filter { $0 == "didRollback" }.count == 2)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            #expect(log.take() == ["insert t(2)"] + Self.commit)
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM t") == [2])
        }
    }

    @Test func aSavepointThatFailsToReleaseKeepsItsEvents() throws {
        let dbQueue = try makeQueue(TransactionTests.deferredForeignKey)
        dbQueue.add(transactionObserver: log)
        try dbQueue.inDatabase { db in
            try db.execute(sql: "SAVEPOINT a; INSERT INTO player VALUES (1)")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "RELEASE a") }
            #expect(log.take() == [])
            try db.execute(sql: "INSERT INTO team VALUES (1); RELEASE a")
            #expect(log.take() == ["insert player(1)", "insert team(1)"] + Self.commit)
        }
    }
}
