import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// The statements that a suspended connection runs, and those that it refuses.
struct SuspensionTests {
    /// Journal modes: only WAL lets other connections write while one reads.
    enum Mode: String, CaseIterable, CustomTestStringConvertible {
        case delete, truncate, memory, wal

        var testDescription: String { rawValue }

        static let ofFiles: [Mode] = [.delete, .truncate, .wal]

        /// Runs a test with a queue with three players, in a file, or in memory.
        func withQueue(_ test: (DatabaseQueue) throws -> Void) throws {
            let folder = Folder()
            defer { withExtendedLifetime(folder) {} }
            var configuration = Configuration()
            configuration.onConnectionWillClose(expectNoBusyStatement)
            if self == .truncate {
                configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = TRUNCATE") }
            }
            if self == .wal { configuration.journalMode = .wal }
            let dbQueue =
                self == .memory
                ? try DatabaseQueue(configuration: configuration)
                : try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
            try dbQueue.write { try $0.createTeams() }
            try test(dbQueue)
            try dbQueue.close()
        }

        /// Runs a test with the connection of such a queue, outside of a transaction.
        func run(_ test: (Database) throws -> Void) throws {
            try withQueue { try $0.inDatabase(test) }
        }
    }

    static let insertion = "INSERT INTO player (name) VALUES ('Dan')"
    static let selection = "SELECT name FROM player"

    /// Expects a refusal.
    func expectSuspended(
        sql: String? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        expectError(.SQLITE_ABORT, "Database is suspended", sql: sql, sourceLocation: sourceLocation, body)
    }

    // MARK: The table

    /// The conditions under which a statement runs on a suspended connection.
    enum Allowance { case always, inWALMode, never }

    /// A statement, and the statements that ran before the suspension.
    struct Line: CustomTestStringConvertible {
        let sql: String
        let allowance: Allowance
        let before: String

        init(_ sql: String, _ allowance: Allowance, after before: String = "") {
            (self.sql, self.allowance, self.before) = (sql, allowance, before)
        }

        var testDescription: String { before.isEmpty ? sql : "\(before); \(sql)" }

        func isAllowed(_ mode: Mode) -> Bool {
            switch allowance {
            case .always: true
            case .inWALMode: mode == .wal
            case .never: false
            }
        }
    }

    static let table = [
        Line("BEGIN TRANSACTION", .inWALMode),
        Line("BEGIN DEFERRED TRANSACTION", .inWALMode),
        Line("SAVEPOINT s", .inWALMode),
        Line("SAVEPOINT s", .inWALMode, after: "BEGIN"),
        Line("BEGIN IMMEDIATE TRANSACTION", .never),
        Line("BEGIN EXCLUSIVE TRANSACTION", .never),
        Line(selection, .inWALMode),
        Line(selection, .inWALMode, after: "BEGIN"),
        Line(selection, .inWALMode, after: "BEGIN; \(selection)"),
        Line(selection, .inWALMode, after: "BEGIN IMMEDIATE"),
        Line(insertion, .never),
        Line(insertion, .never, after: "BEGIN"),
        Line(insertion, .never, after: "BEGIN; \(selection)"),
        Line(insertion, .never, after: "BEGIN IMMEDIATE"),
        Line(insertion, .never, after: "SAVEPOINT s; \(insertion)"),
        Line("COMMIT", .always, after: "BEGIN"),
        Line("COMMIT", .always, after: "BEGIN; \(selection)"),
        Line("COMMIT", .always, after: "BEGIN; \(insertion)"),
        Line("END TRANSACTION", .always, after: "BEGIN EXCLUSIVE"),
        Line("ROLLBACK", .always, after: "BEGIN"),
        Line("ROLLBACK", .always, after: "BEGIN; \(insertion)"),
        Line("RELEASE SAVEPOINT s", .always, after: "SAVEPOINT s; \(insertion)"),
        Line("RELEASE s", .always, after: "BEGIN; SAVEPOINT s; \(insertion)"),
        Line("ROLLBACK TO SAVEPOINT s", .always, after: "SAVEPOINT s; \(insertion)"),
        Line("ROLLBACK TRANSACTION TO s", .always, after: "BEGIN; SAVEPOINT s; \(insertion)"),
        // Combinations of the above.
        Line("UPDATE player SET score = 1 RETURNING id", .never),
        Line("DELETE FROM player", .never, after: "BEGIN"),
        Line("REPLACE INTO player VALUES (1, 'Eve', 1, 1)", .never),
        Line("WITH n(x) AS (VALUES (1)) DELETE FROM player WHERE id IN (SELECT x FROM n)", .never),
        Line("CREATE TABLE t (a)", .never),
        Line("CREATE TEMP TABLE t (a)", .never),
        Line("DROP TABLE player", .never, after: "BEGIN"),
        Line("CREATE INDEX i ON player(name)", .never),
        Line("ANALYZE", .never),
        Line("VACUUM", .never),
        Line("ATTACH DATABASE ':memory:' AS other", .never),
        Line("PRAGMA user_version", .inWALMode),
        Line("PRAGMA user_version = 1", .never),
        Line("PRAGMA journal_mode", .never),
        Line("PRAGMA wal_checkpoint", .never),
        Line("PRAGMA table_info(player)", .inWALMode),
        Line("VALUES (1)", .inWALMode),
        Line("EXPLAIN \(insertion)", .always),
        Line("EXPLAIN QUERY PLAN \(selection)", .always),
    ]

    @Test(arguments: Mode.allCases, table)
    func theTable(mode: Mode, line: Line) throws {
        try mode.run { db in
            try db.execute(sql: line.before)
            db.access.interrupter.suspend()
            if line.isAllowed(mode) {
                try db.execute(sql: line.sql)
            } else {
                expectSuspended(sql: line.sql) { try db.execute(sql: line.sql) }
                #expect(!db.isInsideTransaction)
            }
            db.access.interrupter.resume()
            try db.rollback()
            try db.execute(sql: line.before)
            try db.execute(sql: line.sql)
            try db.rollback()
        }
    }

    /// All methods that run statements.
    @Test(arguments: Mode.allCases)
    func allRuns(mode: Mode) throws {
        try mode.run { db in
            let insertion = try db.makeStatement(sql: Self.insertion)
            let selection = try db.makeStatement(sql: Self.selection)
            let withArguments = try db.makeStatement(sql: "INSERT INTO player (name) VALUES (?)")
            db.access.interrupter.suspend()
            // Calls that run no statement are allowed.
            _ = try db.makeStatement(sql: Self.insertion)
            try withArguments.setArguments(["Dan"])
            expectSuspended(sql: withArguments.sql) { try withArguments.execute() }
            expectSuspended(sql: withArguments.sql) { try withArguments.execute(arguments: ["Eve"]) }
            for _ in 1...2 { expectSuspended(sql: Self.insertion) { try insertion.execute() } }
            expectSuspended(sql: Self.insertion) { try db.execute(literal: "\(sql: Self.insertion)") }
            expectSuspended(sql: Self.insertion) { _ = try Row.fetchCursor(insertion) }
            let runs: [() throws -> Void] = [
                { try selection.execute() },
                { _ = try Row.fetchOne(selection) },
                { _ = try Row.fetchAll(db, sql: Self.selection) },
                { _ = try String.fetchOne(db, sql: Self.selection) },
                { _ = try String.fetchSet(selection) },
                { _ = try selection.makeCursor() },
            ]
            for run in runs {
                if mode == .wal { try run() } else { expectSuspended(sql: Self.selection, run) }
            }
            db.access.interrupter.resume()
            expectEqual(try db.playerNames, ["Anna", "Bo", "Cleo"])
        }
    }

    @Test func theFirstStatementThatIsRefusedEndsTheOthers() throws {
        try Mode.wal.run { db in
            db.access.interrupter.suspend()
            let sql = "\(Self.selection); \(Self.insertion); \(Self.selection)"
            expectSuspended(sql: Self.insertion) { try db.execute(sql: sql) }
        }
    }

    @Test func descriptions() throws {
        try Mode.wal.run { db in
            db.access.interrupter.suspend()
            let error = expectError(.SQLITE_ABORT, "Database is suspended", sql: Self.insertion) {
                try db.execute(sql: Self.insertion)
            }
            #expect(
                error?.description
                    == "SQLite error 4: Database is suspended - while executing `\(Self.insertion)`")
        }
    }

    // MARK: The journal mode

    @Test func theModeIsTheCurrentOne() throws {
        try Mode.delete.run { db in
            for (mode, mayRead) in [("TRUNCATE", false), ("WAL", true), ("DELETE", false), ("WAL", true)] {
                try db.execute(sql: "PRAGMA journal_mode = \(mode)")
                db.access.interrupter.suspend()
                if mayRead {
                    expectEqual(try db.playerNames.count, 3)
                } else {
                    expectSuspended(sql: Self.selection) { try db.execute(sql: Self.selection) }
                }
                db.access.interrupter.resume()
            }
        }
    }

    @Test func anExistingFile() throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        var configuration = Configuration()
        configuration.journalMode = .wal
        let keeper = try DatabaseQueue(path: path, configuration: configuration)
        try keeper.write { try $0.createTeams() }
        // The second connection can learn the mode only from the file.
        try DatabaseQueue(path: path).inDatabase { db in
            db.access.interrupter.suspend()
            expectEqual(try db.playerNames.count, 3)
            expectSuspended(sql: Self.insertion) { try db.execute(sql: Self.insertion) }
        }
    }

    @Test(arguments: Mode.allCases)
    func noStatementLooksTheModeUp(mode: Mode) throws {
        try mode.run { db in
            try db.execute(sql: "BEGIN IMMEDIATE; \(Self.insertion)")
            let sql = db.tracing {
                db.access.interrupter.suspend()
                for _ in 1...2 { expectSuspended(sql: Self.insertion) { try db.execute(sql: Self.insertion) } }
                if mode != .wal { expectSuspended(sql: Self.selection) { try db.execute(sql: Self.selection) } }
            }
            #expect(sql == ["ROLLBACK TRANSACTION"])
        }
    }

    /// Reading a file in another mode locks it as well, and the files that a statement will read aren't known in
    /// advance.
    @Test func attachedFiles() throws {
        try Mode.wal.run { db in
            let folder = Folder()
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS memory; CREATE TEMP TABLE t (a)")
            db.access.interrupter.suspend()
            expectEqual(try db.playerNames.count, 3)
            db.access.interrupter.resume()
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [folder.path("other.sqlite")])
            try db.execute(sql: "CREATE TABLE other.t (a)")
            db.access.interrupter.suspend()
            expectSuspended(sql: Self.selection) { try db.execute(sql: Self.selection) }
            db.access.interrupter.resume()
            try db.execute(sql: "PRAGMA other.journal_mode = WAL")
            db.access.interrupter.suspend()
            expectEqual(try db.playerNames.count, 3)
        }
    }

    // MARK: Transactions

    @Test(arguments: Mode.allCases, [insertion, "CREATE TABLE t (a)", "SAVEPOINT s"])
    func aRefusalRollsBack(mode: Mode, sql: String) throws {
        if mode == .wal && sql.hasPrefix("SAVEPOINT") { return }
        try mode.withQueue { dbQueue in
            expectSuspended(sql: sql) {
                try dbQueue.write { db in
                    try db.execute(sql: Self.insertion)
                    db.access.interrupter.suspend()
                    try db.execute(sql: sql)
                }
            }
            dbQueue.resume()
            try dbQueue.write { try $0.execute(sql: Self.insertion) }
            expectEqual(try dbQueue.read { try $0.playerNames.count }, 4)
        }
    }

    @Test(arguments: Mode.allCases)
    func aRefusalThatIsSwallowed(mode: Mode) throws {
        try mode.withQueue { dbQueue in
            expectError(.SQLITE_ABORT, "Transaction was aborted") {
                try dbQueue.write { db in
                    try db.execute(sql: Self.insertion)
                    db.access.interrupter.suspend()
                    expectSuspended(sql: Self.insertion) { try db.execute(sql: Self.insertion) }
                    #expect(!db.isInsideTransaction)
                    // Not "suspended": the transaction doesn't exist any more, so these statements are refused in any
                    // case.
                    for sql in [Self.insertion, Self.selection] {
                        expectError(.SQLITE_ABORT, "Transaction was aborted", sql: sql) { try db.execute(sql: sql) }
                    }
                    db.access.interrupter.resume()
                    expectError(.SQLITE_ABORT, "Transaction was aborted", sql: Self.selection) {
                        try db.execute(sql: Self.selection)
                    }
                }
            }
            expectEqual(try dbQueue.read { try $0.playerNames.count }, 3)
        }
    }

    @Test(arguments: Mode.allCases)
    func inASavepoint(mode: Mode) throws {
        try mode.withQueue { dbQueue in
            expectError(.SQLITE_ABORT, "Transaction was aborted", sql: "RELEASE SAVEPOINT grdb") {
                try dbQueue.write { db in
                    try db.inSavepoint {
                        db.access.interrupter.suspend()
                        expectSuspended(sql: Self.insertion) { try db.execute(sql: Self.insertion) }
                        return .commit
                    }
                }
            }
            dbQueue.resume()
            expectEqual(try dbQueue.read { try $0.playerNames.count }, 3)
        }
    }

    @Test(arguments: Mode.allCases, [Database.TransactionCompletion.commit, .rollback])
    func aTransactionEnds(mode: Mode, completion: Database.TransactionCompletion) throws {
        try mode.withQueue { dbQueue in
            try dbQueue.inTransaction { db in
                try db.execute(sql: Self.insertion)
                db.access.interrupter.suspend()
                return completion
            }
            dbQueue.resume()
            expectEqual(try dbQueue.read { try $0.playerNames.count }, completion == .commit ? 4 : 3)
        }
    }

    /// Other connections can acquire the lock as soon as the statement is refused.
    @Test(arguments: Mode.ofFiles)
    func theLockIsGivenUp(mode: Mode) throws {
        try mode.withQueue { dbQueue in
            let other = try DatabaseQueue(path: dbQueue.path)
            expectError(.SQLITE_ABORT, "Transaction was aborted") {
                try dbQueue.write { db in
                    try db.execute(sql: Self.insertion)
                    expectCode(.SQLITE_BUSY) { try other.write { try $0.execute(sql: Self.insertion) } }
                    db.access.interrupter.suspend()
                    expectCode(.SQLITE_ABORT) { try db.execute(sql: Self.insertion) }
                    try other.write { try $0.execute(sql: Self.insertion) }
                }
            }
            expectEqual(try other.read { try $0.playerNames.count }, 4)
            try other.close()
        }
    }

    @Test(arguments: Mode.allCases)
    func observersHearOfTheRollback(mode: Mode) throws {
        try mode.run { db in
            let events = db.events {
                expectSuspended(sql: "DELETE FROM player") {
                    try db.inTransaction {
                        try db.execute(sql: Self.insertion)
                        db.access.interrupter.suspend()
                        try db.execute(sql: "DELETE FROM player")
                        return .commit
                    }
                }
            }
            #expect(events == ["insert player(4)", "didRollback"])
        }
    }

    /// Statements of observers at the end of a transaction can't be interrupted, but they can be refused.
    @Test(arguments: Mode.allCases)
    func observersAreRefusedAsWell(mode: Mode) throws {
        try mode.run { db in
            let log = EventLog()
            log.onCommit = { _, db in
                expectSuspended(sql: Self.insertion) { try db.execute(sql: Self.insertion) }
            }
            db.add(transactionObserver: log)
            try db.inTransaction {
                try db.execute(sql: Self.insertion)
                db.access.interrupter.suspend()
                return .commit
            }
            #expect(log.take() == ["insert player(4)", "willCommit", "didCommit"])
        }
    }

    // MARK: Interruptions

    /// Adds the SQL function `suspend()`, which suspends the connection while the statement runs.
    private func addFunction(_ db: Database) {
        let remote = db.access.interrupter
        db.add(
            function: DatabaseFunction("suspend", argumentCount: 1) { values in
                remote.suspend()
                return values[0]
            })
    }

    private static let interruptedSelection = "SELECT suspend(id) FROM player"
    private static let interruptedInsertion = "INSERT INTO player (name) SELECT suspend(name) FROM player"

    @Test(arguments: Mode.allCases)
    func aStatementUnderWayIsInterrupted(mode: Mode) throws {
        try mode.run { db in
            addFunction(db)
            for sql in [Self.interruptedSelection, Self.interruptedInsertion] {
                expectError(.SQLITE_INTERRUPT, "interrupted", sql: sql) { try db.execute(sql: sql) }
                db.access.interrupter.resume()
            }
            expectEqual(try db.playerNames.count, 3)
        }
    }

    @Test func anInterruptedReadLeavesTheTransaction() throws {
        try Mode.wal.withQueue { dbQueue in
            dbQueue.inDatabase(addFunction)
            try dbQueue.write { db in
                try db.execute(sql: Self.insertion)
                expectError(.SQLITE_INTERRUPT, "interrupted", sql: Self.interruptedSelection) {
                    try db.execute(sql: Self.interruptedSelection)
                }
                #expect(db.isInsideTransaction)
                expectEqual(try db.playerNames.count, 4)
            }
            expectEqual(try dbQueue.read { try $0.playerNames.count }, 4)
        }
    }

    @Test(arguments: Mode.allCases)
    func anInterruptedWrite(mode: Mode) throws {
        try mode.withQueue { dbQueue in
            dbQueue.inDatabase(addFunction)
            let sql = Self.interruptedInsertion
            expectError(.SQLITE_INTERRUPT, "interrupted", sql: sql) {
                try dbQueue.write { try $0.execute(sql: sql) }
            }
            dbQueue.resume()
            expectError(.SQLITE_ABORT, "Transaction was aborted") {
                try dbQueue.write { db in
                    expectCode(.SQLITE_INTERRUPT) { try db.execute(sql: sql) }
                    #expect(!db.isInsideTransaction)
                    expectError(.SQLITE_ABORT, "Transaction was aborted", sql: Self.selection) {
                        try db.execute(sql: Self.selection)
                    }
                }
            }
            dbQueue.resume()
            expectEqual(try dbQueue.read { try $0.playerNames.count }, 3)
        }
    }

    @Test(arguments: Mode.allCases)
    func aCursorUnderWayIsInterrupted(mode: Mode) throws {
        try mode.run { db in
            let names = try String.fetchCursor(db, sql: Self.selection)
            expectEqual(try names.next(), "Anna")
            db.access.interrupter.suspend()
            expectError(.SQLITE_INTERRUPT, "interrupted", sql: Self.selection) { _ = try names.next() }
        }
    }

    /// The rollback of the refused statement must not be interrupted, but the cursor must be.
    @Test(arguments: Mode.allCases)
    func aCursorBesideARefusedStatement(mode: Mode) throws {
        try mode.run { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let insertion = try db.makeStatement(sql: Self.insertion)
            let names = try String.fetchCursor(db, sql: Self.selection)
            expectEqual(try names.next(), "Anna")
            db.access.interrupter.suspend()
            // While a statement runs, an interruption applies to all new statements.
            expectError(.SQLITE_INTERRUPT, "interrupted", sql: "DELETE FROM team") {
                try db.execute(sql: "DELETE FROM team")
            }
            #expect(db.isInsideTransaction)
            expectSuspended(sql: Self.insertion) { try insertion.execute() }
            #expect(!db.isInsideTransaction)
            expectCode(.SQLITE_INTERRUPT) { try names.next() }
        }
    }

    /// If no statement runs, SQLite holds an interruption until the next statement. A suspension clears it.
    @Test func anInterruptionDoesNotOutliveTheSuspension() throws {
        try Mode.wal.run { db in
            db.access.interrupter.suspend()
            db.access.interrupter.resume()
            expectEqual(try db.playerNames.count, 3)
            db.access.interrupter.suspend()
            db.access.interrupter.resume()
            let frames = try db.checkpoint()
            #expect(frames.walFrameCount > 0)
            #expect(frames.checkpointedFrameCount == frames.walFrameCount)
            try db.execute(sql: Self.insertion)
            db.access.interrupter.interrupt()
            try db.checkpoint()
        }
    }

    // MARK: Limits and sandboxes

    @Test func limits() throws {
        try Mode.wal.run { db in
            addFunction(db)
            try db.withLimits(.time(.seconds(60))) {
                let error = expectError(.SQLITE_INTERRUPT, "interrupted", sql: Self.interruptedSelection) {
                    try db.execute(sql: Self.interruptedSelection)
                }
                #expect(error?.exceededLimit == nil)
                expectSuspended(sql: Self.insertion) { try db.execute(sql: Self.insertion) }
            }
            // The limit is checked first.
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.time(.zero)) { try db.execute(sql: Self.insertion) }
            }
            #expect(error?.exceededLimit == .time)
        }
    }

    @Test func aFunctionThatWrites() throws {
        try Mode.wal.run { db in
            addFunction(db)
            nonisolated(unsafe) let connection = db
            db.add(
                function: DatabaseFunction("add_player", argumentCount: 0) { _ in
                    try connection.execute(sql: Self.insertion)
                    return nil
                })
            db.access.interrupter.suspend()
            // A statement that reads is allowed, but not the nested one.
            expectError(.SQLITE_ABORT, "Database is suspended", sql: "SELECT add_player()") {
                try db.execute(sql: "SELECT add_player()")
            }
            try db.execute(sql: "BEGIN")
            expectCode(.SQLITE_ABORT) { try db.execute(sql: "SELECT add_player() FROM player") }
            #expect(!db.isInsideTransaction)
            db.access.interrupter.resume()
            expectEqual(try db.playerNames.count, 3)
        }
    }
}
