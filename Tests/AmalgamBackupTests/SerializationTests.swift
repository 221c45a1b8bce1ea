import Amalgam
import Foundation
import TestSupport
import Testing

/// Serialized databases.
struct SerializationTests {
    let folder: Folder

    init() throws { folder = Folder() }

    // MARK: To bytes

    @Test(arguments: DatabaseKind.allCases)
    func roundTrip(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let bytes = try db.serialize()
            #expect(bytes.prefix(16) == Data("SQLite format 3\0".utf8))
            #expect(bytes.count == 4096 * 3)
            let copy = try DatabaseQueue(deserializing: bytes)
            #expect(try copy.read { try $0.playerNames } == ["Anna", "Bo", "Cleo"])
            try copy.write { try $0.execute(sql: "DELETE FROM player") }
            #expect(try db.playerNames == ["Anna", "Bo", "Cleo"])
        }
    }

    @Test func theBytesAreThoseOfTheFile() throws {
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        let bytes = try queue.inDatabase { db in
            try db.createTeams()
            return try db.serialize()
        }
        try queue.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test(arguments: [512, 1024, 65536])
    func pageSizes(size: Int) throws {
        let queue = try makeQueue("PRAGMA page_size = \(size); CREATE TABLE t AS SELECT zeroblob(100000) AS a")
        let bytes = try queue.inDatabase { try $0.serialize() }
        #expect(bytes.count % size == 0)
        let copy = try DatabaseQueue(deserializing: bytes)
        let facts = try copy.read { (try $0.integer("PRAGMA page_size"), try $0.integer("SELECT length(a) FROM t")) }
        #expect(facts.0 == size)
        #expect(facts.1 == 100_000)
    }

    @Test(arguments: DatabaseKind.allCases)
    func inATransaction(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player WHERE id > 1")
                let copy = try DatabaseQueue(deserializing: db.serialize())
                #expect(try copy.read { try $0.playerNames } == ["Anna"])
                return .rollback
            }
        }
    }

    @Test func anEmptyDatabaseIsNoByte() throws {
        var configuration = Configuration()
        configuration.readonly = true
        let path = folder.path("empty.sqlite")
        try DatabaseQueue(path: path).close()
        for queue in [try DatabaseQueue(), try DatabaseQueue(path: path, configuration: configuration)] {
            let log = EventLog()
            queue.add(transactionObserver: log)
            #expect(try queue.read { try $0.serialize() }.isEmpty)
            #expect(try queue.inDatabase { try $0.serialize() }.isEmpty)
            #expect(!log.take().contains("willCommit") || !queue.configuration.readonly)
        }
    }

    @Test func otherSchemas() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: #"""
                    ATTACH DATABASE ':memory:' AS "o'dd ""name";
                    CREATE TABLE "o'dd ""name".t AS SELECT 1 AS a;
                    CREATE TEMPORARY TABLE u AS SELECT 2 AS a
                    """#)
            let odd = try DatabaseQueue(deserializing: db.serialize(schema: "o'dd \"name"))
            #expect(try odd.read { try $0.integer("SELECT a FROM t") } == 1)
            let temporary = try DatabaseQueue(deserializing: db.serialize(schema: "temp"))
            #expect(try temporary.read { try $0.integer("SELECT a FROM u") } == 2)
            _ = expectFailure(.SQLITE_ERROR, "unknown database \"nope\"") { _ = try db.serialize(schema: "nope") }
            expectError(.SQLITE_MISUSE, "A name must not contain a NUL character.") {
                _ = try db.serialize(schema: "main\0")
            }
        }
    }

    @Test func aPageThatCannotBeRead() throws {
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.createTeams() }
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try queue.inDatabase { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT id FROM team")
            _ = try cursor.next()
            db.releaseMemory()
            try handle.truncate(atOffset: 4096 * 2)
            // After the end of a file, SQLite reads zeros without an error.
            #expect(try db.serialize().count == 4096 * 3)
        }
    }

    // MARK: Without a copy

    @Test(arguments: DatabaseKind.allCases)
    func withBytes(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let bytes = try db.withSerializedBytes { Data($0) }
            #expect(try bytes == db.serialize())
            #expect(throws: Refusal()) { try db.withSerializedBytes { _ in throw Refusal() } }
            _ = expectFailure(.SQLITE_ERROR) { try db.withSerializedBytes(schema: "nope") { _ in } }
        }
    }

    /// In the closure, the bytes aren't freed.
    @Test(arguments: ["main", "attached"])
    func borrowedBytes(schema: String) throws {
        let bytes = try makeQueue(playerSchema).inDatabase { try $0.serialize() }
        let queue = try DatabaseQueue(deserializing: bytes)
        try queue.inDatabase { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS attached")
            try db.deserialize(bytes, schema: "attached")
            try db.withSerializedBytes(schema: schema) { borrowed in
                expectCode(.SQLITE_BUSY) { try queue.close() }
                expectCode(.SQLITE_ERROR) { try db.execute(sql: "DETACH DATABASE \(schema)") }
                expectCode(.SQLITE_MISUSE) { try db.deserialize(Data(), schema: schema) }
                expectEqual(Data(borrowed), bytes)
            }
            try db.execute(sql: "DETACH DATABASE attached")
        }
        try queue.close()
    }

    @Test func deserializedBytesAreNotCopied() throws {
        let bytes = try makeQueue(playerSchema).inDatabase { try $0.serialize() }
        try DatabaseQueue(deserializing: bytes).inDatabase { db in
            let first = try db.withSerializedBytes { $0.baseAddress }
            let second = try db.withSerializedBytes { $0.baseAddress }
            #expect(first == second)
            // The bytes don't contain uncommitted changes, but the changes are reported.
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
                let copy = try DatabaseQueue(deserializing: db.withSerializedBytes { Data($0) })
                #expect(try copy.read { try $0.integer("SELECT COUNT(*) FROM player") } == 1)
                return .rollback
            }
        }
    }

    // MARK: From bytes

    func teams() throws -> Data {
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            return try db.serialize()
        }
    }

    @Test func deserializeIntoAnAttachedDatabase() throws {
        let bytes = try teams()
        try makeQueue(playerSchema).inDatabase { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS received")
            try db.deserialize(bytes, schema: "received")
            #expect(try db.integer("SELECT COUNT(*) FROM received.player") == 3)
            #expect(try db.integer("SELECT COUNT(*) FROM main.player") == 0)
        }
    }

    /// SQLite refuses to replace the source of a backup. Names without a schema still refer to the main database.
    @Test func aRefusalLeavesTheMainDatabaseFirst() throws {
        let bytes = try teams()
        let copy = try DatabaseQueue()
        try makeQueue(playerSchema).inDatabase { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS received; CREATE TABLE received.old (a)")
            try copy.inDatabase { copy in
                try db.withBackup(to: copy, schema: "received") { _ in
                    let error = #expect(throws: DatabaseError.self) { try db.deserialize(bytes, schema: "received") }
                    #expect(error?.resultCode == .SQLITE_BUSY)
                }
            }
            try db.execute(sql: "CREATE TABLE new (a)")
            let tables = try String.fetchAll(db, sql: "SELECT name FROM received.sqlite_schema")
            #expect(tables == ["old"])
            try db.execute(sql: "DETACH received; CREATE TABLE newer (a)")
            let newTables = try String.fetchAll(db, sql: "SELECT name FROM main.sqlite_schema WHERE name LIKE 'new%'")
            #expect(newTables == ["new", "newer"])
        }
    }

    @Test func statementsKnowTheNewSchema() throws {
        let bytes = try teams()
        try makeQueue("CREATE TABLE player (x)").inDatabase { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM player")
            #expect(try Row.fetchAll(statement).isEmpty)
            try db.deserialize(bytes)
            #expect(try Row.fetchAll(statement).count == 3)
            #expect(statement.columnNames == ["id", "name", "score", "teamId"])
            let lines = try db.events { try db.execute(sql: "DELETE FROM player WHERE id = 1") }
            #expect(lines == ["delete player(1)", "willCommit", "didCommit"])
        }
    }

    @Test("table-valued functions work after the content was replaced")
    func tableValuedFunctions() throws {
        let bytes = try teams()
        let sql = "SELECT value FROM json_each('[1,2]')"
        try makeQueue(playerSchema).inDatabase { db in
            try db.add(tableFunction: DatabaseTableFunction("digits", columns: ["digit"]) { _ in 0...2 })
            let digits = "SELECT digit FROM digits"
            for content in [bytes, Data()] {
                let statement = try db.cachedStatement(sql: sql)
                #expect(try Int.fetchAll(statement) == [1, 2])
                #expect(try Int.fetchAll(db, sql: digits) == [0, 1, 2])
                try db.deserialize(content)
                #expect(try Int.fetchAll(statement) == [1, 2])
                #expect(try Int.fetchAll(db, sql: sql) == [1, 2])
                #expect(try Int.fetchAll(db, sql: digits) == [0, 1, 2])
            }
        }
    }

    @Test("temporary triggers follow tables of the new content", arguments: ["main", "received"])
    func temporaryTriggers(schema: String) throws {
        let bytes = try teams()
        try makeQueue(playerSchema).inDatabase { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS received;
                    CREATE TABLE IF NOT EXISTS \(schema).player (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TEMPORARY TABLE deleted (name);
                    CREATE TEMPORARY TRIGGER remember AFTER DELETE ON \(schema).player
                    BEGIN INSERT INTO deleted VALUES (OLD.name); END
                    """)
            try db.deserialize(bytes, schema: schema)
            try db.execute(sql: "DELETE FROM \(schema).player WHERE id = 1")
            #expect(try String.fetchAll(db, sql: "SELECT name FROM deleted") == ["Anna"])
            try db.deserialize(bytes, schema: schema)
            try db.execute(sql: "DROP TRIGGER remember; DELETE FROM \(schema).player")
            #expect(try String.fetchAll(db, sql: "SELECT name FROM deleted") == ["Anna"])
        }
    }

    @Test("temporary triggers follow tables next to an open cursor", arguments: ["main", "received"])
    func temporaryTriggersNextToACursor(schema: String) throws {
        let bytes = try teams()
        try makeQueue(playerSchema).inDatabase { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS received;
                    CREATE TABLE IF NOT EXISTS \(schema).player (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TEMPORARY TABLE deleted (name);
                    CREATE TEMPORARY TRIGGER remember AFTER DELETE ON \(schema).player
                    BEGIN INSERT INTO deleted VALUES (OLD.name); END
                    """)
            // The cursor uses no schema, so that each one can be replaced.
            let cursor = try Int.fetchCursor(db, sql: "VALUES (1), (2), (3), (4)")
            for number in 1...3 {
                #expect(try cursor.next() == number)
                try db.deserialize(bytes, schema: schema)
                try db.execute(sql: "DELETE FROM \(schema).player WHERE id = 1")
                #expect(
                    try String.fetchAll(db, sql: "SELECT name FROM deleted") == Array(repeating: "Anna", count: number))
            }
            try db.deserialize(bytes, schema: schema)
            try db.execute(sql: "DROP TRIGGER remember; DELETE FROM \(schema).player")
            #expect(try String.fetchAll(db, sql: "SELECT name FROM deleted") == ["Anna", "Anna", "Anna"])
            #expect(try cursor.next() == 4)
        }
    }

    @Test func growth() throws {
        try DatabaseQueue(deserializing: teams()).inDatabase { db in
            try db.execute(sql: "CREATE TABLE t AS SELECT zeroblob(1000000) AS a")
            #expect(try db.serialize().count > 1_000_000)
        }
    }

    @Test func readonly() throws {
        let bytes = try teams()
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(deserializing: bytes, configuration: configuration)
        for _ in 1...2 {
            _ = expectFailure(.SQLITE_READONLY, "attempt to write a readonly database") {
                try queue.inDatabase { try $0.execute(sql: "DELETE FROM player") }
            }
            #expect(try queue.read { try $0.playerNames } == ["Anna", "Bo", "Cleo"])
        }
        try DatabaseQueue().inDatabase { db in
            try db.deserialize(bytes, readonly: true)
            _ = expectFailure(.SQLITE_READONLY) { try db.execute(sql: "DELETE FROM player") }
        }
    }

    @Test func maximumSize() throws {
        let bytes = try teams()
        try DatabaseQueue().inDatabase { db in
            try db.deserialize(bytes, maximumSize: 4096 * 10)
            _ = expectFailure(.SQLITE_FULL) {
                try db.execute(sql: "CREATE TABLE t AS SELECT zeroblob(100000) AS a")
            }
            #expect(try db.playerNames.count == 3)
        }
    }

    @Test func databasesInWALMode() throws {
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try pool.write { try $0.createTeams() }
        let bytes = try pool.serialize()
        #expect(bytes[18] == 2)
        #expect(bytes[19] == 2)
        let queue = try DatabaseQueue(deserializing: bytes)
        try queue.write { try $0.execute(sql: "DELETE FROM player WHERE id = 3") }
        #expect(try queue.read { try $0.playerNames } == ["Anna", "Bo"])
    }

    @Test func noByteIsAnEmptyDatabase() throws {
        let queue = try DatabaseQueue(deserializing: Data())
        try queue.inDatabase { try $0.createTeams() }
        #expect(try queue.read { try $0.playerNames }.count == 3)
    }

    @Test func slicesOfData() throws {
        let bytes = try teams()
        let slice = (Data([1, 2, 3]) + bytes).dropFirst(3)
        let queue = try DatabaseQueue(deserializing: slice)
        #expect(try queue.read { try $0.playerNames }.count == 3)
    }

    // MARK: Bytes that aren't a database

    @Test func corruption() throws {
        let bytes = try teams()
        var broken: [(Data, ResultCode)] = [
            (Data("Hello".utf8), .SQLITE_NOTADB),
            (Data(repeating: 0x41, count: 4096), .SQLITE_NOTADB),
            (bytes.prefix(50), .SQLITE_CORRUPT),
            (bytes.prefix(5000), .SQLITE_CORRUPT),
            (bytes + [0], .SQLITE_CORRUPT),
        ]
        var header = bytes
        header[100] = 0xFF
        broken.append((header, .SQLITE_CORRUPT))
        var pageSize = bytes
        pageSize[16] = 3
        broken.append((pageSize, .SQLITE_NOTADB))
        try makeQueue(playerSchema).inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            for (bytes, code) in broken {
                let error = #expect(throws: DatabaseError.self) { try db.deserialize(bytes) }
                #expect(error?.resultCode == code, "\(bytes.count) bytes")
                // The content is unchanged.
                #expect(try db.playerNames == ["Anna"])
            }
        }
        for (bytes, code) in broken {
            let error = #expect(throws: DatabaseError.self) { _ = try DatabaseQueue(deserializing: bytes) }
            #expect(error?.resultCode == code)
        }
    }

    @Test func corruptionFurtherOnIsMetLater() throws {
        var bytes = try teams()
        for index in 4096..<8192 { bytes[index] = 0xFF }
        let queue = try DatabaseQueue(deserializing: bytes)
        _ = expectFailure(.SQLITE_CORRUPT) { _ = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM team") } }
        #expect(try queue.read { try $0.playerNames }.count == 3)
    }

    @Test func anyByteMayBeWrong() throws {
        let bytes = try teams()
        // Changed bytes of the header and the schema can't cause a crash, or an error other than SQLite's.
        for index in 0..<400 {
            var broken = bytes
            broken[index] ^= 0xFF
            guard let queue = unlessRefused({ try DatabaseQueue(deserializing: broken) }) else { continue }
            unlessRefused { try queue.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM player") } }
            unlessRefused { try queue.write { try $0.execute(sql: "DELETE FROM player; VACUUM") } }
            #expect(try queue.read { try $0.integer("SELECT 1") } == 1)
        }
    }

    @discardableResult
    private func unlessRefused<T>(_ body: () throws -> T) -> T? {
        do { return try body() } catch {
            #expect(error is DatabaseError)
            return nil
        }
    }

    // MARK: Misuse

    @Test func aFileIsNotReplaced() throws {
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { db in
            try db.createTeams()
            let error = #expect(throws: DatabaseError.self) { try db.deserialize(Data()) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.hasPrefix("The schema main is the file") == true)
            #expect(try db.playerNames.count == 3)
        }
    }

    @Test func misuse() throws {
        let bytes = try teams()
        try makeQueue(playerSchema).inDatabase { db in
            expectError(.SQLITE_MISUSE, "The temp schema cannot be deserialized.") {
                try db.deserialize(bytes, schema: "temp")
            }
            expectError(.SQLITE_MISUSE, "There is no schema named nope.") {
                try db.deserialize(bytes, schema: "nope")
            }
            expectError(.SQLITE_MISUSE, "A name must not contain a NUL character.") {
                try db.deserialize(bytes, schema: "main\0")
            }
            try db.inTransaction {
                expectError(.SQLITE_MISUSE, "A database cannot be deserialized inside a transaction.") {
                    try db.deserialize(bytes)
                }
                return .commit
            }
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM sqlite_master")
            _ = try cursor.next()
            expectError(.SQLITE_MISUSE, "A statement uses the schema main.") { try db.deserialize(bytes) }
            while try cursor.next() != nil {}
            expectError(.SQLITE_READONLY, "attempt to write a readonly database") {
                try db.readOnly { try db.deserialize(bytes) }
            }
            try db.deserialize(bytes)
        }
    }
}
