import Amalgam
import Foundation
import TestSupport
import Testing

/// The properties of a connection's files.
struct FileTests {
    let folder: Folder

    init() throws { folder = Folder() }

    var path: String { folder.path("db.sqlite") }

    // MARK: Transactions

    @Test(arguments: DatabaseKind.allCases)
    func transactionState(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            #expect(db.transactionState() == Database.TransactionState.none)
            try db.inTransaction(.deferred) {
                #expect(db.transactionState("main") == Database.TransactionState.none)
                _ = try db.playerNames
                #expect(db.transactionState("main") == .read)
                try db.execute(sql: "DELETE FROM player")
                #expect(db.transactionState("main") == .write)
                #expect(db.transactionState() == .write)
                #expect(db.transactionState("temp") == Database.TransactionState.none)
                return .commit
            }
            #expect(db.transactionState("nope") == Database.TransactionState.none)
            #expect(db.transactionState("main\0") == Database.TransactionState.none)
        }
    }

    // MARK: Names

    @Test func filePath() throws {
        let other = folder.path("other.sqlite")
        try DatabaseQueue(path: path).inDatabase { db in
            try db.execute(sql: "ATTACH DATABASE ? AS other; ATTACH DATABASE '' AS private", arguments: [other])
            #expect(db.filePath()?.hasSuffix("/db.sqlite") == true)
            #expect(db.filePath("other")?.hasSuffix("/other.sqlite") == true)
            for name in ["temp", "private", "nope", "main\0"] { #expect(db.filePath(name) == nil) }
        }
        #expect(try DatabaseQueue().inDatabase { $0.filePath() } == nil)
        #expect(try DatabaseQueue(named: "x").inDatabase { $0.filePath() } == nil)
    }

    @Test func readOnly() throws {
        try DatabaseQueue(path: path).inDatabase { db in
            try db.createTeams()
            #expect(try !db.isReadOnly())
            #expect(try !db.isReadOnly("temp"))
            expectError(.SQLITE_MISUSE, "There is no schema named nope.") { _ = try db.isReadOnly("nope") }
            expectError(.SQLITE_MISUSE, "A name must not contain a NUL character.") { _ = try db.isReadOnly("\0") }
        }
        var configuration = Configuration()
        configuration.readonly = true
        #expect(try DatabaseQueue(path: path, configuration: configuration).inDatabase { try $0.isReadOnly() })
    }

    @Test func vfsName() throws {
        try DatabaseQueue(path: path).inDatabase { db in
            let name = try db.vfsName()
            #expect(name?.isEmpty == false)
            expectError(.SQLITE_MISUSE, "There is no schema named nope.") { _ = try db.vfsName("nope") }
        }
        let bytes = try makeQueue(playerSchema).serialize()
        let name = try DatabaseQueue(deserializing: bytes).inDatabase { try $0.vfsName() }
        #expect(name?.hasPrefix("memdb") == true)
    }

    // MARK: Versions

    @Test(arguments: DatabaseKind.allCases)
    func dataVersionOfOwnWrites(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let first = try db.dataVersion()
            _ = try db.playerNames
            #expect(try db.dataVersion() == first)
            try db.execute(sql: "DELETE FROM player")
            let second = try db.dataVersion()
            #expect(second != first)
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM team")
                return .rollback
            }
            _ = try db.integer("SELECT 1")
        }
    }

    @Test func dataVersionOfTheWritesOfOthers() throws {
        for pool in [false, true] {
            let path = folder.path("\(pool).sqlite")
            let writer: any DatabaseWriter = pool ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
            try writer.write { try $0.createTeams() }
            try DatabaseQueue(path: path).inDatabase { db in
                let first = try db.dataVersion()
                try writer.write { try $0.execute(sql: "DELETE FROM player") }
                let second = try db.dataVersion()
                #expect(second != first)
                #expect(try db.dataVersion() == second)
                _ = expectFailure(.SQLITE_ERROR, "unknown database \"nope\"") { _ = try db.dataVersion("nope") }
            }
        }
    }

    // MARK: Settings

    @Test(arguments: [true, false])
    func persistentWAL(persists: Bool) throws {
        let pool = try DatabasePool(path: path)
        try pool.writeWithoutTransaction { db in
            try db.createTeams()
            #expect(try !db.persistsWAL())
            try db.setPersistsWAL(persists)
            #expect(try db.persistsWAL() == persists)
        }
        try pool.close()
        #expect(FileManager.default.fileExists(atPath: path + "-wal") == persists)
    }

    @Test func chunkSize() throws {
        try DatabaseQueue(path: path).inDatabase { db in
            try db.setChunkSize(1_000_000)
            try db.createTeams()
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.size] as? NSNumber)?.intValue == 1_000_000)
            for size in [-1, .min, .max] {
                expectError(.SQLITE_MISUSE, "The size of a chunk is between 0 and 2147483647 bytes.") {
                    try db.setChunkSize(size)
                }
            }
            #expect(try db.playerNames.count == 3)
        }
    }

    @Test func mapping() throws {
        try DatabaseQueue(path: path).inDatabase { db in
            try db.createTeams()
            #expect(try db.mappedByteLimit() == 0)
            try db.execute(sql: "PRAGMA mmap_size = 65536")
            #expect(try db.mappedByteLimit() == 65536)
        }
    }

    @Test func noFileNoSetting() throws {
        try DatabaseQueue().inDatabase { db in
            _ = expectFailure(.SQLITE_NOTFOUND) { _ = try db.persistsWAL() }
            _ = expectFailure(.SQLITE_NOTFOUND) { try db.setPersistsWAL(true) }
            _ = expectFailure(.SQLITE_NOTFOUND) { try db.setChunkSize(4096) }
            expectError(.SQLITE_MISUSE, "There is no schema named nope.") { _ = try db.persistsWAL("nope") }
        }
    }

    // MARK: The page cache

    @Test func flushing() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.createTeams() }
        try queue.write { db in
            try db.execute(sql: "UPDATE player SET name = 'Zoe'")
            _ = try db.status(.cacheWrites, resets: true)
            try db.flushCache()
            #expect(try db.status(.cacheWrites).current == 1)
        }
        let leaked = queue.inDatabase { $0 }
        _ = expectFailure(.SQLITE_MISUSE) { try leaked.flushCache() }
    }

    @Test func aReaderStandsInTheWayOfAFlush() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.createTeams() }
        let other = try DatabaseQueue(path: path)
        try other.inTransaction(.deferred) { reader in
            _ = try reader.playerNames
            try queue.inTransaction { db in
                try db.execute(sql: "DELETE FROM player")
                _ = expectFailure(.SQLITE_BUSY) { try db.flushCache() }
                return .rollback
            }
            return .commit
        }
    }
}
