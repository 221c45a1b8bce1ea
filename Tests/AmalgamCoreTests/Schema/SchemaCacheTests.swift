import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// A look-up never returns an outdated result, whichever connection or statement has changed the schema.
struct SchemaCacheTests {
    private func columns(_ db: Database, _ table: String = "t", in schema: String? = nil) throws -> [String] {
        try db.columns(in: table, in: schema).map(\.name)
    }

    /// Returns the cached description of a table. The same object means that nothing was read again.
    private func description(_ db: Database, _ table: String = "t", in schema: String? = nil) throws
        -> TableDescription
    {
        try db.withTable(table, in: schema) { table in
            _ = try db.columns(of: table)
            return table
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func answersAreKeptFromOneAccessToTheNext(_ kind: DatabaseKind) throws {
        try kind.open { writer in
            let first = try writer.write { db in
                try db.execute(sql: "CREATE TABLE t (a)")
                return try ObjectIdentifier(description(db))
            }
            let second = try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1); UPDATE t SET a = 2; DELETE FROM t")
                return try ObjectIdentifier(description(db))
            }
            #expect(first == second)
        }
    }

    @Test func theyGoWithTheStepOfAChange() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let first = try description(db)
            let statement = try db.makeStatement(sql: "ALTER TABLE t ADD COLUMN b")
            let cursor = try Row.fetchCursor(statement)
            #expect(try description(db) === first)
            #expect(try cursor.next() == nil)
            #expect(try description(db) !== first)
            #expect(try columns(db) == ["a", "b"])
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func tablesThatChange(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try columns(db) == ["a"])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            #expect(try columns(db) == ["a", "b"])
            try db.execute(sql: "ALTER TABLE t RENAME COLUMN b TO c")
            #expect(try columns(db) == ["a", "c"])
            try db.execute(sql: "ALTER TABLE t DROP COLUMN a")
            #expect(try columns(db) == ["c"])
            try db.execute(sql: "ALTER TABLE t RENAME TO u")
            #expect(try columns(db, "u") == ["c"])
            #expect(try db.tableExists("t") == false)
            try db.execute(sql: "DROP TABLE u; CREATE TABLE u (x INTEGER PRIMARY KEY)")
            #expect(try db.primaryKey("u").columns == ["x"])
            #expect(try db.indexes(on: "u").isEmpty)
            try db.execute(sql: "CREATE INDEX i ON u(x)")
            #expect(try db.indexes(on: "u").map(\.name) == ["i"])
            try db.execute(sql: "DROP INDEX i")
            #expect(try db.indexes(on: "u").isEmpty)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func transactionsThatAreRolledBack(_ kind: DatabaseKind) throws {
        try kind.run { db in
            for expected in [["a"], ["a", "b"], ["c"]] {
                try db.inTransaction {
                    try db.execute(sql: "CREATE TABLE t (\(expected.joined(separator: ", ")))")
                    #expect(try columns(db) == expected)
                    return .rollback
                }
                #expect(try db.tableExists("t") == false)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func savepointsThatAreRolledBack(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.inTransaction {
                try db.execute(sql: "CREATE TABLE t (a)")
                for expected in [["a", "b"], ["a", "c"]] {
                    try db.inSavepoint {
                        try db.execute(sql: "ALTER TABLE t ADD COLUMN \(expected[1])")
                        #expect(try columns(db) == expected)
                        return .rollback
                    }
                    #expect(try columns(db) == ["a"])
                }
                try db.execute(sql: "DROP TABLE t")
                #expect(try db.tableExists("t") == false)
                try db.execute(sql: "CREATE TABLE t (x, y)")
                #expect(try columns(db) == ["x", "y"])
                return .commit
            }
            #expect(try columns(db) == ["x", "y"])
        }
    }

    @Test func transactionsThatSQLiteRollsBack() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE u (a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO u VALUES (1)")
            for expected in [["a"], ["b"]] {
                try db.execute(sql: "BEGIN; CREATE TABLE t (\(expected[0]))")
                #expect(try columns(db) == expected)
                #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO u VALUES (1)") }
                #expect(try db.tableExists("t") == false)
            }
        }
    }

    @Test func statementsThatFailHalfWay() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (1)")
            #expect(try db.indexes(on: "t").isEmpty)
            #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE UNIQUE INDEX i ON t(a)") }
            #expect(try db.indexes(on: "t").isEmpty)
            #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE TABLE u AS SELECT abs('x', 1) FROM t") }
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "CREATE TABLE u AS SELECT abs(-9223372036854775807 - a) AS b FROM t")
            }
            #expect(try db.tableExists("u") == false)
            #expect(try columns(db) == ["a"])
        }
    }

    @Test func temporaryTablesHideOthers() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let first = try description(db)
            try db.execute(sql: "CREATE TEMPORARY TABLE t (b)")
            #expect(try columns(db) == ["b"])
            #expect(try columns(db, in: "main") == ["a"])
            try db.execute(sql: "DROP TABLE temp.t")
            #expect(try columns(db) == ["a"])
            // A change of temporary tables doesn't affect the others.
            #expect(try description(db) === first)
        }
    }

    @Test func temporaryViewsFollowTheirTables() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE TEMPORARY VIEW v AS SELECT * FROM main.t")
            #expect(try columns(db, "v") == ["a"])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            #expect(try columns(db, "v") == ["a", "b"])
        }
    }

    @Test func attachedDatabasesComeAndGo() throws {
        try withTemporaryDirectory { directory in
            let paths = ["one", "two"].map { directory.appendingPathComponent("\($0).sqlite").path }
            for (path, column) in zip(paths, ["inOne", "inTwo"]) {
                try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (\(column))") }
            }
            try DatabaseKind.memory.run { db in
                try db.execute(sql: "ATTACH DATABASE ? AS attached1", arguments: [paths[0]])
                #expect(try columns(db) == ["inOne"])
                try db.execute(sql: "ATTACH DATABASE ? AS attached2", arguments: [paths[1]])
                try db.execute(sql: "CREATE TABLE t (inMain)")
                #expect(try columns(db) == ["inMain"])
                try db.execute(sql: "DROP TABLE main.t")
                #expect(try columns(db) == ["inOne"])
                try db.execute(sql: "DETACH DATABASE attached1")
                #expect(try columns(db) == ["inTwo"])
                expectError(.SQLITE_ERROR, "no such schema: attached1") { _ = try columns(db, in: "attached1") }
                try db.execute(sql: "DETACH DATABASE attached2")
                #expect(try db.tableExists("t") == false)
            }
        }
    }

    /// Both files have the same schema version, and the second one may reuse the memory of the first one.
    @Test(arguments: [true, false])
    func anotherFileUnderTheSameName(isOurStatement: Bool) throws {
        try withTemporaryDirectory { directory in
            let paths = ["one", "two"].map { directory.appendingPathComponent("\($0).sqlite").path }
            for (path, column) in zip(paths, ["inOne", "inTwo"]) {
                try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (\(column))") }
            }
            try DatabaseKind.memory.run { db in
                func execute(_ sql: String) throws {
                    if isOurStatement { return try db.execute(sql: sql) }
                    #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
                }
                for round in 0..<20 {
                    try execute("ATTACH DATABASE '\(paths[round % 2])' AS other")
                    #expect(try columns(db, in: "other") == [["inOne"], ["inTwo"]][round % 2])
                    try execute("DETACH DATABASE other")
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func otherConnectionsChangeTheSchema(isInTransaction: Bool) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("teams.sqlite").path
            let one = try DatabaseQueue(path: path)
            let two = try DatabaseQueue(path: path)
            func look<T>(_ body: (Database) throws -> T) throws -> T {
                try isInTransaction ? one.read(body) : one.inDatabase(body)
            }
            try two.write { try $0.execute(sql: "CREATE TABLE t (a)") }
            #expect(try look { try columns($0) } == ["a"])
            try two.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
            #expect(try look { try columns($0) } == ["a", "b"])
            try two.write { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t (id INTEGER PRIMARY KEY, c)") }
            #expect(try look { try $0.primaryKey("t").columns } == ["id"])
            #expect(try look { try columns($0) } == ["id", "c"])
            try two.write { try $0.execute(sql: "DROP TABLE t") }
            #expect(try look { try $0.tableExists("t") == false })
        }
    }

    /// A look-up in a transaction always sees the same schema.
    @Test func aTransactionSeesOneSchema() throws {
        try withTemporaryDirectory { directory in
            var configuration = Configuration()
            configuration.journalMode = .wal
            let path = directory.appendingPathComponent("teams.sqlite").path
            let one = try DatabaseQueue(path: path, configuration: configuration)
            let two = try DatabaseQueue(path: path, configuration: configuration)
            try two.write { try $0.execute(sql: "CREATE TABLE t (a)") }
            try one.read { db in
                #expect(try columns(db) == ["a"])
                try two.write { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t (b)") }
                #expect(try columns(db) == ["a"])
                #expect(try db.makeStatement(sql: "SELECT * FROM t").columnNames == ["a"])
            }
            #expect(try one.read { try columns($0) } == ["b"])
        }
    }

    /// A look-up outside of a transaction releases its locks.
    @Test func locksAreReleased() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("teams.sqlite").path
            let one = try DatabaseQueue(path: path)
            let two = try DatabaseQueue(path: path)
            try one.inDatabase { db in
                try db.execute(sql: "CREATE TABLE t (a)")
                #expect(try columns(db) == ["a"])
                #expect(sqlite3_txn_state(db.sqliteConnection, nil) == SQLITE_TXN_NONE)
                try two.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE; DROP TABLE t; COMMIT") }
                #expect(try db.tableExists("t") == false)
            }
        }
    }

    /// In a transaction, a look-up starts the read transaction as a query does, and the end of the transaction ends it.
    @Test(arguments: [Database.TransactionCompletion.commit, .rollback])
    func transactionsEndWhatTheirLookUpsBegan(_ completion: Database.TransactionCompletion) throws {
        try DatabaseKind.file.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.inTransaction(.deferred) {
                #expect(sqlite3_txn_state(db.sqliteConnection, nil) == SQLITE_TXN_NONE)
                _ = try db.columns(in: "t")
                #expect(sqlite3_txn_state(db.sqliteConnection, nil) == SQLITE_TXN_READ)
                return completion
            }
            #expect(sqlite3_txn_state(db.sqliteConnection, nil) == SQLITE_TXN_NONE)
        }
    }

    @Test func aDatabaseThatIsLocked() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("teams.sqlite").path
            let one = try DatabaseQueue(path: path)
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let two = try DatabaseQueue(path: path, configuration: configuration)
            try one.inDatabase { db in
                try db.execute(sql: "CREATE TABLE t (a)")
                #expect(try columns(db) == ["a"])
                try two.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
                defer { two.unsafeReentrantWrite { try? $0.rollback() } }
                expectError(.SQLITE_BUSY, "database is locked") { _ = try columns(db) }
                expectError(.SQLITE_BUSY, "database is locked") { _ = try db.tableExists("t") }
            }
            #expect(try one.inDatabase { try columns($0) } == ["a"])
        }
    }

    @Test func readersOfAPoolSeeChanges() throws {
        try DatabaseKind.pool.open { writer in
            for number in 0..<3 {
                try writer.write { db in
                    try db.execute(sql: "DROP TABLE IF EXISTS t; CREATE TABLE t (a\(number) PRIMARY KEY)")
                }
                #expect(try writer.read { try columns($0) } == ["a\(number)"])
                #expect(try writer.read { try $0.primaryKey("t").columns } == ["a\(number)"])
                #expect(try writer.unsafeRead { try columns($0) } == ["a\(number)"])
            }
        }
    }

    /// Connections with a shared cache share their schema in memory.
    @Test func sharedCaches() throws {
        let name = UUID().uuidString
        let one = try DatabaseQueue(named: name)
        let two = try DatabaseQueue(named: name)
        try one.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(try two.read { try columns($0) } == ["a"])
        try one.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
        #expect(try two.read { try columns($0) } == ["a", "b"])
        try one.inDatabase { db in
            try db.execute(sql: "BEGIN; CREATE TABLE u (a)")
            #expect(try db.tableExists("u"))
            let error = #expect(throws: DatabaseError.self) { try two.inDatabase { try $0.tableExists("u") } }
            #expect(error?.resultCode == .SQLITE_LOCKED)
            try db.execute(sql: "ROLLBACK")
        }
        #expect(try two.read { try $0.tableExists("u") == false })
    }

    @Test(arguments: [DatabaseKind.memory, .file])
    func vacuumAndPragmas(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try columns(db) == ["a"])
            try db.execute(sql: "VACUUM")
            #expect(try columns(db) == ["a"])
            db.set(SQLITE_DBCONFIG_DEFENSIVE, false)
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = 'CREATE TABLE t (a, b)' WHERE name = 't';
                    PRAGMA writable_schema = RESET;
                    """)
            #expect(try columns(db) == ["a", "b"])
            try db.execute(sql: "PRAGMA schema_version = 1000")
            #expect(try columns(db) == ["a", "b"])
            #expect(try db.schemaVersion() == 1000)
        }
    }

    @Test func aBackupReplacesTheSchema() throws {
        let source = try DatabaseQueue()
        try source.write { try $0.execute(sql: "CREATE TABLE t (b)") }
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try columns(db) == ["a"])
            source.inDatabase { sourceDb in
                let backup = sqlite3_backup_init(db.sqliteConnection, "main", sourceDb.sqliteConnection, "main")
                #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
                #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
            }
            #expect(try columns(db) == ["b"])
        }
    }

    @Test func clearing() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let first = try description(db)
            db.clearSchemaCache()
            let second = try description(db)
            #expect(first !== second)
            db.releaseMemory()
            #expect(try description(db) !== second)
        }
    }

    @Test func theSchemaVersionGrows() throws {
        try DatabaseKind.memory.run { db in
            let version = try db.schemaVersion()
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try db.schemaVersion() > version)
        }
    }

    @Test func aKnownAnswerCompilesNoStatement() throws {
        try DatabaseKind.file.open { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)")
                let table = try db.withTable("player", in: nil) { $0 }
                #expect(table.readings == 0)
                for _ in 1...2 {
                    #expect(try db.primaryKey("player").columns == ["id"])
                    #expect(table.readings == 1)
                }
                #expect(try db.withTable("player", in: nil) { $0 } === table)
            }
        }
    }

    @Test func anAuthorizerIsAskedAboutTheTableAndNotAboutThePragmas() throws {
        try DatabaseKind.file.open { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)")
                for isReadable in [true, false, true] {
                    var actions: Set<String> = []
                    let columns = Result {
                        try db.withAuthorizer { action in
                            actions.insert("\(action)")
                            return isReadable ? .allow : .deny
                        } perform: {
                            try db.columns(in: "player").map(\.name)
                        }
                    }
                    #expect((try? columns.get()) == (isReadable ? ["id"] : nil))
                    #expect(actions == (isReadable ? ["READ player"] : ["READ player", "PRAGMA table_xinfo.player"]))
                }
            }
        }
    }
}
