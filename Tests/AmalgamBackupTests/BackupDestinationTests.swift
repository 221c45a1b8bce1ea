import Amalgam
import Foundation
import TestSupport
import Testing

/// The allowed destinations of a backup, and their use during the backup.
struct BackupDestinationTests {
    let folder: Folder
    let source: DatabaseQueue

    init() throws {
        folder = Folder()
        source = try makeQueue("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (randomblob(9000))")
    }

    func backUp(to destination: Database) throws {
        try source.inDatabase { try $0.backup(to: destination) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func anyKind(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            try backUp(to: db)
            #expect(try db.integer("SELECT COUNT(*) FROM t") == 3)
            #expect(try db.integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'") == 1)
        }
    }

    @Test func statementsKnowTheNewSchema() throws {
        try makeQueue("CREATE TABLE t (x, y, z)").inDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(try Row.fetchAll(statement).isEmpty)
            #expect(statement.columnNames == ["x", "y", "z"])
            try backUp(to: db)
            #expect(try Row.fetchAll(statement).count == 3)
            #expect(statement.columnNames == ["a"])
        }
    }

    @Test func itRefusesAllUseMeanwhile() throws {
        let destination = try makeQueue(playerSchema)
        let message = "The connection is the destination of a backup under way. Use it once the backup has ended."
        try source.inDatabase { source in
            try destination.inDatabase { destinationDb in
                let statement = try destinationDb.makeStatement(sql: "SELECT 1")
                try source.withBackup(to: destinationDb) { backup in
                    for _ in 1...2 {
                        expectError(.SQLITE_BUSY, message, sql: "DELETE FROM player") {
                            try destinationDb.execute(sql: "DELETE FROM player")
                        }
                        expectError(.SQLITE_BUSY, message, sql: "SELECT 1") { try statement.execute() }
                        expectError(.SQLITE_BUSY, message) { try destination.close() }
                        expectError(.SQLITE_BUSY, message) {
                            try source.withBackup(to: destinationDb) { _ in }
                        }
                        try backup.step(pages: 1)
                    }
                    try backup.step()
                    // The backup has completed: the destination can be used again.
                    #expect(try destinationDb.integer("SELECT COUNT(*) FROM t") == 3)
                }
            }
        }
    }

    @Test func itself() throws {
        expectError(.SQLITE_MISUSE, "A connection cannot be backed up to itself.") {
            try source.inDatabase { try $0.backup(to: $0) }
        }
    }

    @Test func itsOwnFile() throws {
        let path = folder.path("db.sqlite")
        let link = folder.path("link.sqlite")
        let queue = try DatabaseQueue(path: path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for samePath in [path, link] {
            let other = try DatabaseQueue(path: samePath)
            expectError(.SQLITE_MISUSE, "A database cannot be backed up to its own file.") {
                try queue.inDatabase { source in try other.inDatabase { try source.backup(to: $0) } }
            }
        }
    }

    /// SQLite locks the file by its inode, and would use a WAL file for each of its names.
    @Test(arguments: ["delete", "wal"])
    func aHardLinkToItsOwnFile(mode: String) throws {
        let path = folder.path("db.sqlite")
        let link = folder.path("link.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = \(mode); CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            // Frames in the WAL file of one name can't be read by the other name.
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try FileManager.default.linkItem(atPath: path, toPath: link)
        let other = try DatabaseQueue(path: link)
        expectError(.SQLITE_MISUSE, "A database cannot be backed up to its own file.") {
            try queue.inDatabase { source in try other.inDatabase { try source.backup(to: $0) } }
        }
        try other.close()
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 1)
    }

    /// After the error, the pool is open.
    @Test func aPoolIsClosedDuringABackupOfItsWriter() throws {
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try pool.writeWithoutTransaction { source in
            try source.execute(sql: "CREATE TABLE t (a)")
            try DatabaseQueue().inDatabase { destination in
                try source.withBackup(to: destination) { backup in
                    try backup.step(pages: 1)
                    expectCode(.SQLITE_BUSY) { try pool.close() }
                    while try !backup.step().isCompleted {}
                }
            }
        }
        #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 0)
        try pool.close()
    }

    @Test func inATransaction() throws {
        let destination = try makeQueue(playerSchema)
        expectError(.SQLITE_MISUSE, "The destination of a backup must not be in a transaction.") {
            try destination.write { try backUp(to: $0) }
        }
    }

    @Test func inUse() throws {
        try makeQueue("CREATE TABLE t AS SELECT 1; INSERT INTO t VALUES (2)").inDatabase { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT * FROM t")
            _ = try cursor.next()
            expectError(.SQLITE_ERROR, "destination database is in use") { try backUp(to: db) }
            #expect(try cursor.next() == 2)
        }
    }

    @Test func readOnly() throws {
        let path = folder.path("db.sqlite")
        try DatabaseQueue(path: path).close()
        var configuration = Configuration()
        configuration.readonly = true
        let readonly = try DatabaseQueue(path: path, configuration: configuration)
        _ = expectFailure(.SQLITE_READONLY, "attempt to write a readonly database") {
            try readonly.inDatabase { try backUp(to: $0) }
        }
        _ = expectFailure(.SQLITE_READONLY, "attempt to write a readonly database") {
            try makeQueue(playerSchema).inDatabase { db in try db.readOnly { try backUp(to: db) } }
        }
    }

    @Test func lockedByAnother() throws {
        let path = folder.path("db.sqlite")
        let destination = try DatabaseQueue(path: path)
        try destination.inDatabase { try $0.execute(sql: playerSchema) }
        try DatabaseQueue(path: path).inTransaction(.immediate) { _ in
            _ = expectFailure(.SQLITE_BUSY) { try destination.inDatabase { try backUp(to: $0) } }
            return .rollback
        }
        try destination.inDatabase { try backUp(to: $0) }
    }

    // MARK: Page sizes

    static let pageSizes = [512, 1024, 4096, 65536]

    @Test(arguments: pageSizes, pageSizes)
    func filesOfOtherPageSizes(sourceSize: Int, destinationSize: Int) throws {
        let source = try makeQueue("PRAGMA page_size = \(sourceSize); CREATE TABLE t (a)")
        try source.inDatabase { try $0.execute(sql: "INSERT INTO t VALUES (randomblob(100000)), (1)") }
        let destination = try DatabaseQueue(path: folder.path("db.sqlite"))
        try destination.inDatabase { db in
            try db.execute(sql: "PRAGMA page_size = \(destinationSize); CREATE TABLE previous AS SELECT 1")
            try source.inDatabase { try $0.backup(to: db) }
            #expect(try db.integer("SELECT COUNT(*) FROM t") == 2)
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
        try destination.close()
        let reopened = try DatabaseQueue(path: folder.path("db.sqlite"))
        let size = try reopened.read { try $0.integer("PRAGMA page_size") }
        #expect(size == sourceSize)
    }

    @Test(arguments: [DatabaseKind.memory, .pool])
    func thePageSizeIsFixed(kind: DatabaseKind) throws {
        let source = try makeQueue("PRAGMA page_size = 512; CREATE TABLE t (a)")
        try kind.run { db in
            try db.createTeams()
            expectError(
                .SQLITE_READONLY,
                """
                the page sizes of source and destination differ, and that of the destination cannot change because it \
                is in WAL mode, or in memory: copy into a new database
                """
            ) { try source.inDatabase { try $0.backup(to: db) } }
            #expect(try db.playerNames == ["Anna", "Bo", "Cleo"])
        }
    }

    /// The file of a new pool is in WAL mode, and has no content yet. Nor have its readers, if they are open.
    @Test(arguments: pageSizes, [false, true])
    func aNewPoolGetsThePageSizeOfTheSource(size: Int, opensReader: Bool) throws {
        let source = try makeQueue("PRAGMA page_size = \(size); CREATE TABLE t (a)")
        try source.inDatabase { try $0.execute(sql: "INSERT INTO t VALUES (randomblob(100000)), (1)") }
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        if opensReader { #expect(try pool.read { try $0.tableExists("t") } == false) }
        try source.backup(to: pool)
        let facts = try pool.read { db in
            (
                try String.fetchOne(db, sql: "PRAGMA journal_mode"), try db.integer("PRAGMA page_size"),
                try db.integer("SELECT COUNT(*) FROM t")
            )
        }
        #expect(facts == ("wal", size, 2))
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try pool.read { try $0.integer("SELECT COUNT(*) FROM t") } == 3)
        try pool.close()
    }

    /// An audited pool has the tables of the log.
    @Test func aNewAuditedPoolGetsThePageSizeOfTheSource() throws {
        let source = try makeQueue("PRAGMA page_size = 1024; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        var configuration = Configuration()
        configuration.audit("t")
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        #expect(try pool.read { try $0.integer("SELECT COUNT(*) FROM sqlite_master") ?? 0 } > 0)
        try source.backup(to: pool)
        let facts = try pool.read { db in
            (try String.fetchOne(db, sql: "PRAGMA journal_mode"), try db.integer("PRAGMA page_size"))
        }
        #expect(facts == ("wal", 1024))
        #expect(try pool.read { try $0.integer("SELECT COUNT(*) FROM t") } == 1)
        try pool.close()
    }

    /// A backup that fails leaves the pool empty, and in WAL mode.
    @Test func aBackupToANewPoolThatFails() throws {
        let source = try makeQueue("PRAGMA page_size = 512; CREATE TABLE t AS SELECT randomblob(100000)")
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        #expect(throws: Refusal.self) {
            try source.backup(to: pool, pagesPerStep: 1) { _ in throw Refusal() }
        }
        let mode = try pool.read { db in
            #expect(try !db.tableExists("t"))
            return try String.fetchOne(db, sql: "PRAGMA journal_mode")
        }
        #expect(mode == "wal")
        try source.backup(to: pool)
        #expect(try pool.read { try $0.tableExists("t") })
        try pool.close()
    }

    // MARK: Text encodings

    /// A connection reads the encoding of its database again, after the content was replaced.
    @Test(arguments: DatabaseKind.allCases, ["UTF-8", "UTF-16le", "UTF-16be"])
    func otherEncodings(kind: DatabaseKind, encoding: String) throws {
        let source = try DatabaseQueue()
        try source.inDatabase { db in
            try db.execute(
                sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES ('ä'), ('b')")
        }
        for bytes in [nil, try source.serialize()] where kind == .memory || bytes == nil {
            try kind.open { writer in
                try writer.writeWithoutTransaction { try $0.createTeams() }
                #expect(try writer.read { try $0.playerNames } == ["Anna", "Bo", "Cleo"])
                if let bytes {
                    try writer.writeWithoutTransaction { try $0.deserialize(bytes) }
                } else {
                    try source.backup(to: writer)
                }
                try writer.write { db in
                    db.add(function: DatabaseFunction("twice") { (text: String) in text + text })
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["ö"])
                    try db.execute(sql: "CREATE TEMPORARY TABLE u (a); INSERT INTO u SELECT twice(a) FROM t")
                    #expect(try String.fetchAll(db, sql: "SELECT a FROM u ORDER BY rowid") == ["ää", "bb", "öö"])
                    try db.execute(sql: "DROP TABLE u")
                }
                try writer.read { db throws in
                    #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == encoding)
                    #expect(try String.fetchAll(db, sql: "SELECT a FROM t WHERE a > 'z' ORDER BY a") == ["ä", "ö"])
                    #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
                }
            }
        }
    }

    /// All schemas of a connection have the same encoding.
    @Test func otherEncodingsNextToOtherSchemas() throws {
        let source = try makeQueue("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a)")
        for sql in ["ATTACH ':memory:' AS other; CREATE TABLE other.x (a)", "CREATE TEMPORARY TABLE x (a)"] {
            let destination = try makeQueue(playerSchema + ";" + sql)
            try destination.inDatabase { db in
                let error = expectFailure(.SQLITE_ERROR) { try source.inDatabase { try $0.backup(to: db) } }
                #expect(error?.message?.hasPrefix("The text encoding of the source differs") == true)
                #expect(try db.integer("SELECT COUNT(*) FROM player") == 0)
                try db.execute(sql: sql.hasPrefix("ATTACH") ? "DETACH other" : "DROP TABLE x")
            }
        }
    }

    // MARK: Room

    @Test func aFullDestination() throws {
        let destination = try makeQueue("CREATE TABLE previous AS SELECT 1 AS a; PRAGMA max_page_count = 3")
        try destination.inDatabase { db in
            _ = expectFailure(.SQLITE_FULL) { try backUp(to: db) }
            #expect(try db.integer("SELECT a FROM previous") == 1)
            try db.execute(sql: "PRAGMA max_page_count = 1000")
            try backUp(to: db)
            #expect(try db.integer("SELECT COUNT(*) FROM t") == 3)
        }
    }

    // MARK: Journal modes

    @Test func theWALModeOfTheDestinationIsKept() throws {
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try pool.write { try $0.execute(sql: playerSchema) }
        try pool.barrierWriteWithoutTransaction { try backUp(to: $0) }
        let facts = try pool.read { db in
            (try String.fetchOne(db, sql: "PRAGMA journal_mode"), try db.integer("SELECT COUNT(*) FROM t"))
        }
        #expect(facts.0 == "wal")
        #expect(facts.1 == 3)
    }

    @Test func aPoolCanBeTheSource() throws {
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try pool.write { try $0.execute(sql: playerSchema) }
        let memory = try DatabaseQueue()
        try pool.read { source in try memory.inDatabase { try source.backup(to: $0) } }
        try memory.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        let count = try memory.read { try $0.integer("SELECT COUNT(*) FROM player") }
        #expect(count == 1)
    }

    // MARK: Observers

    /// Observers receive a commit without rows: see `AnnouncementTests`.
    @Test func observersHearOfACommit() throws {
        try makeQueue(playerSchema).inDatabase { db in
            let lines = try db.events { try backUp(to: db) }
            #expect(lines == ["didCommit"])
        }
    }

    // MARK: Interruption

    @Test(arguments: [true, false])
    func interruption(ofTheSource: Bool) throws {
        let destination = try makeQueue("CREATE TABLE previous (a)")
        _ = expectFailure(.SQLITE_INTERRUPT) {
            try source.inDatabase { source in
                try destination.inDatabase { destinationDb in
                    try source.backup(to: destinationDb, pagesPerStep: 1) { _ in
                        if ofTheSource { self.source.interrupt() } else { destination.interrupt() }
                    }
                }
            }
        }
        let names = try destination.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
        #expect(names == ["previous"])
    }

    @Test func anEarlierInterruptionIsForgotten() throws {
        let destination = try DatabaseQueue()
        source.interrupt()
        destination.interrupt()
        try destination.inDatabase { db in
            try backUp(to: db)
            #expect(try db.integer("SELECT COUNT(*) FROM t") == 3)
        }
    }

    /// The task cancels itself after the first page.
    private static func backUpUntilCancelled(_ source: DatabaseQueue, _ destination: DatabaseQueue) throws {
        try source.inDatabase { source in
            try destination.inDatabase { destination in
                try source.backup(to: destination, pagesPerStep: 1) { _ in withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
    }

    @Test func aCancelledTaskEndsTheBackup() async throws {
        let source = source
        let destination = try makeQueue("CREATE TABLE previous (a)")
        let task = Task { try Self.backUpUntilCancelled(source, destination) }
        await #expect(throws: CancellationError.self) { try await task.value }
        let names = try await destination.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
        #expect(names == ["previous"])
    }

    @Test func aCancelledAccessEndsTheBackup() async throws {
        let destination = try makeQueue("CREATE TABLE previous (a)")
        let source = source
        let task = Task {
            try await destination.writeWithoutTransaction { destination in
                try source.inDatabase { source in
                    try source.backup(to: destination, pagesPerStep: 1) { _ in withUnsafeCurrentTask { $0?.cancel() } }
                    while true { try source.backup(to: destination) }
                }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Both databases remain usable.
        try await destination.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)") }
        try await source.write { try $0.execute(sql: "DELETE FROM t") }
    }

    // MARK: Threads

    @Test func theWrongThread() throws {
        let destination = try DatabaseQueue()
        let leaked = destination.inDatabase { $0 }
        expectError(
            .SQLITE_MISUSE,
            "Database was not used on the correct thread. Use it inside the closure that receives it, only."
        ) { try backUp(to: leaked) }
    }
}
