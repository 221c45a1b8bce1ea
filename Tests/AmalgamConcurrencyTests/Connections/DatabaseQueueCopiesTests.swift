import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Queues on a copy of a file.
struct DatabaseQueueCopiesTests {
    let folder = Folder()

    typealias Copy = @Sendable (String, Configuration) throws -> DatabaseQueue

    static let copies: [(name: String, make: Copy)] = [
        ("inMemoryCopy", { try DatabaseQueue.inMemoryCopy(fromPath: $0, configuration: $1) }),
        ("temporaryCopy", { try DatabaseQueue.temporaryCopy(fromPath: $0, configuration: $1) }),
        (
            "deserializing",
            { try DatabaseQueue(deserializing: Data(contentsOf: URL(fileURLWithPath: $0)), configuration: $1) }
        ),
    ]

    /// A closed file with one player.
    func file(wal: Bool) throws -> String {
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path, configuration: .tested { $0.journalMode = wal ? .wal : .default })
        try queue.write { db in
            try db.createPlayers()
            try db.addPlayer()
        }
        try queue.close()
        return path
    }

    @Test(arguments: [true, false])
    func theFileStaysAsItIs(wal: Bool) throws {
        let path = try file(wal: wal)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for (name, make) in Self.copies {
            let copy = try make(path, .tested)
            try copy.write { try $0.addPlayer() }
            #expect(try copy.read { try $0.playerCount() } == 2, "\(name)")
            try copy.close()
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, "\(name)")
        }
        // The WAL file that SQLite leaves after reading a file in WAL mode is empty.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) where name.hasSuffix("wal") {
            #expect(folder.size(name) == 0)
        }
        let file = try DatabaseQueue(path: path)
        #expect(try file.read { try $0.playerCount() } == 1)
    }

    @Test func aFileThatIsInUse() throws {
        try withPool { pool, folder in
            try pool.write { try $0.addPlayer() }
            for make in [DatabaseQueue.inMemoryCopy, DatabaseQueue.temporaryCopy] {
                let copy = try make(folder.path("db.sqlite"), .tested)
                #expect(try copy.read { try $0.playerCount() } == 1)
            }
            try pool.write { try $0.addPlayer() }
        }
    }

    @Test func readonly() throws {
        let path = try file(wal: false)
        for (name, make) in Self.copies {
            let copy = try make(path, .tested { $0.readonly = true })
            for _ in 1...2 {
                let error = try databaseError(.SQLITE_READONLY) {
                    try copy.writeWithoutTransaction { try $0.addPlayer() }
                }
                #expect(error.message == "attempt to write a readonly database", "\(name)")
                #expect(try copy.read { try $0.playerCount() } == 1)
                #expect(copy.configuration.readonly)
            }
            try databaseError(.SQLITE_READONLY) { try DatabaseQueue().backup(to: copy) }
            try databaseError(.SQLITE_READONLY) { try copy.erase() }
        }
    }

    @Test func thePreparationsSeeTheContent() throws {
        let path = try file(wal: false)
        for (name, make) in Self.copies {
            let counts = Log<Int>()
            let copy = try make(path, .tested { $0.prepareDatabase { counts.append(try $0.playerCount()) } })
            #expect(counts.elements == [1], "\(name)")
            try copy.close()
        }
        for (_, make) in Self.copies {
            #expect(throws: Oops()) { _ = try make(path, .tested { $0.prepareDatabase { _ in throw Oops() } }) }
        }
    }

    @Test func paths() throws {
        let path = try file(wal: false)
        #expect(try DatabaseQueue.inMemoryCopy(fromPath: path).path == ":memory:")
        #expect(try DatabaseQueue.temporaryCopy(fromPath: path).path == "")
    }

    @Test func aLargeTemporaryCopy() throws {
        let path = try file(wal: false)
        try DatabaseQueue(path: path).write { db in
            for _ in 1...2000 { try db.addPlayer(String(repeating: "x", count: 4000)) }
        }
        let copy = try DatabaseQueue.temporaryCopy(fromPath: path)
        try copy.write { try $0.execute(sql: "UPDATE player SET name = upper(name)") }
        #expect(try copy.read { try $0.playerCount() } == 2001)
    }

    @Test func theFileIsMissingOrNoDatabase() throws {
        let missing = folder.path("missing.sqlite")
        let text = folder.path("text.sqlite")
        try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: text))
        for make in [DatabaseQueue.inMemoryCopy, DatabaseQueue.temporaryCopy] {
            try databaseError(.SQLITE_CANTOPEN) { try make(missing, .tested) }
            try databaseError(.SQLITE_NOTADB) { try make(text, .tested) }
        }
        #expect(!FileManager.default.fileExists(atPath: missing))
        try databaseError(.SQLITE_NOTADB) { try DatabaseQueue(deserializing: Data("no".utf8)) }
    }

    @Test func anEmptyFile() throws {
        let path = folder.path("empty.sqlite")
        try Data().write(to: URL(fileURLWithPath: path))
        for (name, make) in Self.copies {
            let copy = try make(path, .tested)
            try copy.write { try $0.createPlayers() }
            #expect(try copy.read { try $0.playerCount() } == 0, "\(name)")
        }
    }
}
