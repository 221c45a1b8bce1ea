import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

struct ConfigurationTests {
    private func queue(_ change: (inout Configuration) -> Void = { _ in }, path: String? = nil) throws -> DatabaseQueue
    {
        var configuration = Configuration()
        change(&configuration)
        if let path { return try DatabaseQueue(path: path, configuration: configuration) }
        return try DatabaseQueue(configuration: configuration)
    }

    @Test func defaults() {
        let configuration = Configuration()
        #expect(configuration.foreignKeysEnabled)
        #expect(!configuration.readonly)
        #expect(configuration.label == nil)
        #expect(!configuration.acceptsDoubleQuotedStringLiterals)
        #expect(!configuration.allowsUnsafeTransactions)
        #expect(!configuration.publicStatementArguments)
        #expect(!configuration.observesSuspensionNotifications)
        #expect(configuration.maximumReaderCount == 5)
        if case .immediateError = configuration.busyMode {} else { Issue.record("busyMode") }
        if case .default = configuration.journalMode {} else { Issue.record("journalMode") }
    }

    @Test func theConfigurationOfAQueueIsACopy() throws {
        let dbQueue = try queue { $0.label = "first" }
        var configuration = dbQueue.configuration
        configuration.label = "second"
        configuration.foreignKeysEnabled = false
        let other = try DatabaseQueue(configuration: configuration)
        #expect(dbQueue.configuration.label == "first")
        #expect(other.configuration.label == "second")
        try dbQueue.inDatabase { try #expect($0.integer("PRAGMA foreign_keys") == 1) }
        try other.inDatabase { try #expect($0.integer("PRAGMA foreign_keys") == 0) }
    }

    // MARK: prepareDatabase

    @Test(arguments: [false, true])
    func preparationsRunOnceInOrder(isInMemory: Bool) throws {
        let folder = Folder()
        let lines = Lines()
        let dbQueue = try queue(
            { configuration in
                configuration.prepareDatabase { _ in lines.append("first") }
                configuration.prepareDatabase { db in
                    try db.execute(sql: "PRAGMA cache_size = -1234")
                    lines.append("second")
                }
            }, path: isInMemory ? nil : folder.path("db.sqlite"))
        #expect(lines.take() == ["first", "second"])
        try dbQueue.write { _ in }
        try dbQueue.read { db in try #expect(db.integer("PRAGMA cache_size") == -1234) }
        #expect(lines.take() == [])
    }

    @Test func errorsOfPreparationsComeOutUnchanged() {
        #expect(throws: Refusal()) { _ = try queue { $0.prepareDatabase { _ in throw Refusal() } } }
        expectFailure(.SQLITE_ERROR, #"near "nonsense": syntax error"#, sql: "nonsense") {
            _ = try queue { $0.prepareDatabase { try $0.execute(sql: "nonsense") } }
        }
    }

    @Test func aPreparationMayChooseTheJournalMode() throws {
        let folder = Folder()
        let dbQueue = try queue(
            { configuration in
                configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = truncate") }
            }, path: folder.path("db.sqlite"))
        try dbQueue.write { try $0.execute(sql: playerSchema) }
        try dbQueue.read { try #expect(String.fetchOne($0, sql: "PRAGMA journal_mode") == "truncate") }
    }

    @Test func aPreparationMayAddObservers() throws {
        let lines = Lines()
        let dbQueue = try queue { configuration in
            configuration.prepareDatabase { db in
                let log = EventLog()
                log.onChange = { _, event in lines.append(event.line) }
                db.add(transactionObserver: log, extent: .databaseLifetime)
            }
        }
        try dbQueue.write { try $0.execute(sql: "\(playerSchema); INSERT INTO player VALUES (1, 'Anna')") }
        #expect(lines.take() == ["insert player(1)"])
    }

    // MARK: Journal mode

    @Test func aQueueLeavesTheJournalModeAlone() throws {
        let folder = Folder()
        let dbQueue = try queue(path: folder.path("db.sqlite"))
        try dbQueue.inDatabase { db in
            try #expect(String.fetchOne(db, sql: "PRAGMA journal_mode") == "delete")
            for mode in ["wal", "truncate", "delete"] {
                try #expect(String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)") == mode)
                try #expect(String.fetchOne(db, sql: "PRAGMA journal_mode") == mode)
            }
        }
    }

    @Test func aQueueInWALMode() throws {
        let folder = Folder()
        let dbQueue = try queue({ $0.journalMode = .wal }, path: folder.path("db.sqlite"))
        try dbQueue.read { try #expect(String.fetchOne($0, sql: "PRAGMA journal_mode") == "wal") }
    }

    // MARK: Foreign keys

    @Test func foreignKeysAreEnforcedByDefault() throws {
        let schema = "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (aId REFERENCES a)"
        try makeQueue(schema).inDatabase { db in
            let error = expectFailure(
                .SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: "INSERT INTO b VALUES (1)"
            ) {
                try db.execute(sql: "INSERT INTO b VALUES (1)")
            }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            #expect(error?.extendedResultCode.rawValue == 787)
        }
        try queue { $0.foreignKeysEnabled = false }.inDatabase { db in
            try db.execute(sql: schema)
            try db.execute(sql: "INSERT INTO b VALUES (1)")
        }
    }

    // MARK: Double-quoted strings

    static let doubleQuoted =
        [
            ("SELECT \"foo\" FROM player", "no such column: \"foo\""),
            ("CREATE INDEX i ON player(\"foo\")", nil),
        ] as [(String, String?)]

    @Test(arguments: doubleQuoted)
    func doubleQuotedStringsAreRefusedByDefault(sql: String, message: String?) throws {
        try makeQueue(playerSchema).inDatabase { db in
            let error = expectFailure(.SQLITE_ERROR, sql: sql) { try db.execute(sql: sql) }
            if let message { #expect(error?.message?.hasPrefix(message) == true) }
        }
    }

    @Test(arguments: doubleQuoted)
    func doubleQuotedStringsOnRequest(sql: String, message: String?) throws {
        try queue { $0.acceptsDoubleQuotedStringLiterals = true }.inDatabase { db in
            try db.execute(sql: "\(playerSchema); INSERT INTO player VALUES (1, 'Anna')")
            try db.execute(sql: sql)
            if message != nil { try #expect(String.fetchOne(db, sql: sql) == "foo") }
        }
    }

    // MARK: Arguments in descriptions

    @Test(arguments: [false, true])
    func argumentsOfErrors(isPublic: Bool) throws {
        try queue { $0.publicStatementArguments = isPublic }.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES ('secret')")
            let error = expectFailure(
                .SQLITE_CONSTRAINT, "UNIQUE constraint failed: t.a", sql: "INSERT INTO t VALUES (?)"
            ) {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["secret"])
            }
            #expect(error?.description.contains("secret") == isPublic)
            #expect(error?.expandedDescription.contains("secret") == true)
        }
    }

    // MARK: Busy

    @Test func aLockedDatabaseIsAnErrorAtOnce() throws {
        let folder = Folder()
        let first = try queue(path: folder.path("db.sqlite"))
        let second = try queue(path: folder.path("db.sqlite"))
        try first.write { db in
            try db.execute(sql: playerSchema)
            expectFailure(.SQLITE_BUSY, "database is locked", sql: "BEGIN IMMEDIATE TRANSACTION") {
                try second.write { _ in }
            }
            expectFailure(.SQLITE_BUSY, "database is locked", sql: "BEGIN EXCLUSIVE TRANSACTION") {
                try second.inTransaction(.exclusive) { _ in .commit }
            }
            // A deferred transaction fails when it tries to write.
            expectFailure(.SQLITE_BUSY, "database is locked", sql: "CREATE TABLE t (a)") {
                try second.inTransaction(.deferred) { db in
                    try db.execute(sql: "CREATE TABLE t (a)")
                    return .commit
                }
            }
        }
        try second.write { _ in }
    }

    @Test func aCallbackDecidesHowLongToWait() throws {
        let folder = Folder()
        let lines = Lines()
        let first = try queue(path: folder.path("db.sqlite"))
        let second = try queue(
            { configuration in
                configuration.busyMode = .callback { tries in
                    lines.append("\(tries)")
                    return tries < 2
                }
            }, path: folder.path("db.sqlite"))
        try first.write { _ in
            _ = expectFailure(.SQLITE_BUSY, "database is locked", sql: "BEGIN IMMEDIATE TRANSACTION") {
                try second.write { _ in }
            }
        }
        #expect(lines.take() == ["0", "1", "2"])
    }

    @Test func aTimeoutEnds() throws {
        let folder = Folder()
        let first = try queue(path: folder.path("db.sqlite"))
        let second = try queue({ $0.busyMode = .timeout(0.1) }, path: folder.path("db.sqlite"))
        try first.write { _ in
            let duration = ContinuousClock().measure {
                expectFailure(.SQLITE_BUSY, "database is locked") { try second.write { _ in } }
            }
            #expect((.milliseconds(50) ... .seconds(5)).contains(duration))
        }
    }

    @Test func aCommitThatFindsTheDatabaseBusyCanBeTriedAgain() throws {
        // A rollback journal can't be committed while another connection reads.
        let folder = Folder()
        let writer = try queue(path: folder.path("db.sqlite"))
        let reader = try queue(path: folder.path("db.sqlite"))
        let log = EventLog()
        try writer.inDatabase { db in
            try db.execute(sql: playerSchema)
            db.add(transactionObserver: log)
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try reader.read { readerDB in
                try #expect(readerDB.integer("SELECT COUNT(*) FROM player") == 0)
                expectFailure(.SQLITE_BUSY, "database is locked", sql: "COMMIT TRANSACTION") { try db.commit() }
            }
            #expect(db.isInsideTransaction)
            let busy = log.take()
            #expect(!busy.contains("didCommit") && !busy.contains("didRollback"))
            try db.commit()
            #expect(log.take() == ["willCommit", "didCommit"])
        }
        try #expect(reader.read { try $0.integer("SELECT COUNT(*) FROM player") } == 1)
    }
}

/// Errors of opening a database.
struct OpeningTests {
    private func open(_ path: String, readonly: Bool = false) throws {
        var configuration = Configuration()
        configuration.readonly = readonly
        _ = try DatabaseQueue(path: path, configuration: configuration)
    }

    @Test func aMissingFileIsCreatedUnlessReadOnly() throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        expectFailure(.SQLITE_CANTOPEN, "unable to open database file") { try open(path, readonly: true) }
        #expect(!FileManager.default.fileExists(atPath: path))
        try open(path)
        #expect(FileManager.default.fileExists(atPath: path))
        try open(path, readonly: true)
    }

    @Test func aDirectory() throws {
        let folder = Folder()
        expectFailure(.SQLITE_CANTOPEN, "unable to open database file") { try open(folder.url.path) }
        // The system lets SQLite open a directory for reading, but not read from it.
        expectFailure(.SQLITE_IOERR, "disk I/O error") { try open(folder.url.path, readonly: true) }
    }

    /// A path with a NUL character is refused: SQLite would open the file whose name ends at the NUL.
    @Test(arguments: [false, true])
    func aPathWithANULCharacter(readonly: Bool) throws {
        let folder = Folder()
        expectFailure(.SQLITE_CANTOPEN, "the path contains a NUL character") {
            try open(folder.path("db") + "\0.sqlite", readonly: readonly)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("db")))
    }

    @Test(arguments: [false, true])
    func aMissingDirectory(readonly: Bool) throws {
        let folder = Folder()
        expectFailure(.SQLITE_CANTOPEN, "unable to open database file") {
            try open(folder.path("missing/db.sqlite"), readonly: readonly)
        }
    }

    @Test(arguments: [false, true])
    func aFileThatIsNoDatabase(readonly: Bool) throws {
        let folder = Folder()
        let text = Data(String(repeating: "This is not a database. ", count: 100).utf8)
        try text.write(to: folder.url.appending(component: "text"))
        expectFailure(.SQLITE_NOTADB, notADatabase) { try open(folder.path("text"), readonly: readonly) }
        try #expect(Data(contentsOf: folder.url.appending(component: "text")) == text)
    }

    @Test func anEmptyFileIsAnEmptyDatabase() throws {
        let folder = Folder()
        try Data().write(to: folder.url.appending(component: "empty"))
        let dbQueue = try DatabaseQueue(path: folder.path("empty"))
        try dbQueue.read { try #expect($0.integer("SELECT COUNT(*) FROM sqlite_master") == 0) }
        #expect(dbQueue.path == folder.path("empty"))
    }

    @Test func aReadOnlyConnectionReadsOnly() throws {
        let folder = Folder()
        try DatabaseQueue(path: folder.path("db.sqlite")).write { try $0.execute(sql: playerSchema) }
        var configuration = Configuration()
        configuration.readonly = true
        let dbQueue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
        let sql = "CREATE TABLE items (id INTEGER PRIMARY KEY)"
        // Compiling only reads; running writes.
        let statement = try dbQueue.inDatabase { try $0.makeStatement(sql: sql) }
        try dbQueue.inDatabase { db in
            let error = expectFailure(.SQLITE_READONLY, "attempt to write a readonly database", sql: sql) {
                try statement.execute()
            }
            #expect(
                error?.description
                    == "SQLite error 8: attempt to write a readonly database - while executing `\(sql)`")
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
            let kinds = try db.tracedSQL { try db.inTransaction { .commit } }
            #expect(kinds == ["BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION"])
        }
    }

    @Test func databasesInMemory() throws {
        let first = try DatabaseQueue()
        let second = try DatabaseQueue()
        #expect(first.path == ":memory:")
        try first.write { try $0.execute(sql: playerSchema) }
        try second.read { try #expect($0.integer("SELECT COUNT(*) FROM sqlite_master") == 0) }
    }

    @Test func databasesInMemoryThatShareTheirName() throws {
        let name = "Équipe & \(UUID().uuidString)?"
        let first = try DatabaseQueue(named: name)
        try first.write { try $0.execute(sql: playerSchema) }
        try DatabaseQueue(named: name).read { try #expect($0.integer("SELECT COUNT(*) FROM player") == 0) }
        try DatabaseQueue(named: "\(name) other").read { db in
            try #expect(db.integer("SELECT COUNT(*) FROM sqlite_master") == 0)
        }
    }

    @Test func descriptions() throws {
        try DatabaseQueue().inDatabase { db in
            #expect(db.description == "GRDB.DatabaseQueue")
            #expect(db.debugDescription == "<Database: GRDB.DatabaseQueue>")
        }
        var configuration = Configuration()
        configuration.label = "players"
        try DatabaseQueue(configuration: configuration).inDatabase { #expect($0.description == "players") }
    }
}

/// The counters of a connection, and its last error.
struct DatabaseStateTests {
    @Test func counters() throws {
        try makeQueue(playerSchema).inDatabase { db in
            #expect(db.changesCount == 0)
            #expect(db.totalChangesCount == 0)
            #expect(db.lastInsertedRowID == 0)
            try db.execute(sql: "INSERT INTO player (name) VALUES ('a'), ('b'), ('c')")
            #expect(db.changesCount == 3)
            #expect(db.lastInsertedRowID == 3)
            try db.execute(sql: "UPDATE player SET name = 'x' WHERE id > 1")
            #expect(db.changesCount == 2)
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            #expect(db.changesCount == 1)
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            #expect(db.changesCount == 0)
            #expect(db.totalChangesCount == 6)
            #expect(db.lastInsertedRowID == 3)
            try db.execute(sql: "INSERT INTO player VALUES (-5, 'd')")
            #expect(db.lastInsertedRowID == -5)
        }
    }

    @Test func theTruncateOptimizationCounts() throws {
        try makeQueue(playerSchema).inDatabase { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('a'), ('b'), ('c')")
            try db.execute(sql: "DELETE FROM player")
            #expect(db.changesCount == 3)
            #expect(db.totalChangesCount == 6)
        }
    }

    @Test func changesOfTriggersCountInTheTotal() throws {
        try makeQueue(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE journal (id INTEGER PRIMARY KEY);
            CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO journal VALUES (new.id + 100); END;
            """
        ).inDatabase { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(db.changesCount == 1)
            #expect(db.totalChangesCount == 2)
            #expect(db.lastInsertedRowID == 1)
        }
    }

    @Test func theLastError() throws {
        try makeQueue(playerSchema).inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            #expect(db.lastErrorCode == .SQLITE_OK)
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO player VALUES (1, '')") }
            #expect(db.lastErrorCode == .SQLITE_CONSTRAINT_PRIMARYKEY)
            #expect(db.lastErrorMessage == "UNIQUE constraint failed: player.id")
        }
    }

    @Test func limitsAndVersions() throws {
        try DatabaseQueue().inDatabase { db in
            #expect(db.maximumStatementArgumentCount >= 999)
            let version = try String.fetchOne(db, sql: "SELECT sqlite_version()")!
            let parts = version.split(separator: ".").compactMap { Int($0) }
            #expect(Int(Database.sqliteLibVersionNumber) == parts[0] * 1_000_000 + parts[1] * 1000 + parts[2])
        }
    }

    @Test func memoryCanBeReleasedAtAnyTime() throws {
        try makeQueue(playerSchema).inDatabase { db in
            let statement = try db.cachedStatement(sql: "SELECT COUNT(*) FROM player")
            db.releaseMemory()
            try #expect(Int.fetchOne(statement) == 0)
            try #expect(db.cachedStatement(sql: "SELECT COUNT(*) FROM player") !== statement)
            try db.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (1, '')")
                db.releaseMemory()
            }
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 1)
        }
    }

    @Test(arguments: [
        ("sqlite_master", true), ("sqlite_sequence", true), ("pragma_table_info", true), ("player", false),
        ("my_sqlite_table", false),
    ])
    func internalTables(name: String, isInternal: Bool) {
        #expect(Database.isSQLiteInternalTable(name) == isInternal)
    }

    @Test func aClosedConnectionThrows() throws {
        let dbQueue = try makeQueue(playerSchema)
        try dbQueue.close()
        expectFailure(.SQLITE_MISUSE, "Connection is closed") { try dbQueue.write { _ in } }
        dbQueue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            #expect(db.sqliteConnection == nil)
            #expect(db.changesCount == 0)
        }
        try dbQueue.close()
    }

    @Test func aConnectionOutsideOfItsAccessThrows() throws {
        let dbQueue = try makeQueue(playerSchema)
        let db = dbQueue.inDatabase { $0 }
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 1") }
        expectFailure(.SQLITE_MISUSE) { try db.readOnly {} }
        expectFailure(.SQLITE_MISUSE) { try db.inTransaction { .commit } }
    }
}
