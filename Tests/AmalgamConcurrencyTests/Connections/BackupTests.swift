import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Backups from one queue or pool to another.
@Suite(.watchdog)
struct BackupTests {
    let folder = Folder()

    @Test(arguments: Store.allCases, Store.allCases)
    func everyKind(from: Store, to: Store) throws {
        try from.withWriter { source in
            try to.withWriter { destination in
                try source.write { db in for _ in 1...3 { try db.addPlayer() } }
                try destination.write { try $0.execute(sql: "CREATE TABLE previous (a)") }
                var last: DatabaseBackupProgress?
                try source.backup(to: destination, pagesPerStep: 1) { last = $0 }
                #expect(last?.isCompleted == true)
                #expect(last?.remainingPageCount == 0)
                let names = try destination.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
                #expect(names == ["player"])
                #expect(try destination.read { try $0.playerCount() } == 3)
                // Both databases remain usable.
                try source.write { try $0.addPlayer() }
                try destination.write { try $0.addPlayer() }
                #expect(try source.read { try $0.playerCount() } == 4)
            }
        }
    }

    @Test func readersOfTheDestinationKnowTheNewSchema() throws {
        try withPool { destination, folder in
            try destination.write { try $0.addPlayer() }
            #expect(try destination.read { try $0.playerCount() } == 1)
            let source = try DatabaseQueue(path: folder.path("source.sqlite"))
            try source.write { try $0.execute(sql: "CREATE TABLE team AS SELECT 5 AS id") }
            try source.backup(to: destination)
            try destination.read { db in
                #expect(try Int.fetchOne(db, sql: "SELECT id FROM team") == 5)
                try databaseError(.SQLITE_ERROR) { try db.playerCount() }
            }
        }
    }

    @Test func aSnapshotCanBeTheSource() throws {
        try withPool { pool, _ in
            try pool.write { try $0.addPlayer() }
            let snapshot = try pool.makeSnapshot()
            let snapshotPool = try pool.makeSnapshotPool()
            try pool.write { try $0.execute(sql: "DELETE FROM player") }
            for source: any DatabaseReader in [snapshot, snapshotPool, AnyDatabaseReader(snapshot)] {
                let copy = try DatabaseQueue()
                try source.backup(to: copy)
                #expect(try copy.read { try $0.playerCount() } == 1)
            }
        }
    }

    @Test func aPoolIsWrittenMeanwhile() throws {
        try withPool { pool, _ in
            try pool.write { db in for _ in 1...500 { try db.addPlayer(String(repeating: "x", count: 500)) } }
            let copy = try DatabaseQueue()
            var steps = 0
            try pool.backup(to: copy, pagesPerStep: 5) { _ in
                steps += 1
                try pool.write { try $0.addPlayer() }
            }
            #expect(steps > 5)
            // The copy is one snapshot of the source, however often the source was written.
            #expect(try copy.read { try $0.playerCount() } == 500)
            #expect(try pool.read { try $0.playerCount() } == 500 + steps)
        }
    }

    @Test func nobodyUsesTheDestinationMeanwhile() throws {
        try withPool { destination, folder in
            let source = try DatabaseQueue()
            try source.write { try $0.createPlayers() }
            let worker = Box<Worker?>(nil)
            try source.backup(to: destination, pagesPerStep: 1) { progress in
                if worker.value == nil {
                    worker.value = Worker {
                        let count = try destination.read { try $0.playerCount() }
                        #expect(count == 0)
                    }
                }
                #expect(progress.totalPageCount == 2)
            }
            try worker.value?.join()
        }
    }

    @Test func backupsInOppositeDirections() throws {
        for _ in 1...20 {
            let queues = try [DatabaseQueue(), DatabaseQueue()]
            for queue in queues { try queue.write { try $0.createPlayers() } }
            try onThreads(2) { index in
                for _ in 1...10 { try queues[index].backup(to: queues[1 - index]) }
            }
        }
    }

    /// Opposite backups don't deadlock, whatever the order of the objects that erase the types of the databases is.
    @Test func backupsInOppositeDirectionsWithErasedTypes() throws {
        let queues = try [DatabaseQueue(), DatabaseQueue()].sorted { ObjectIdentifier($0) < ObjectIdentifier($1) }
        for queue in queues { try queue.write { try $0.createPlayers() } }
        let (erased, other) = try #require(Self.erased(queues))
        try onThreads(2) { index in
            for _ in 1...300 {
                if index == 0 {
                    try erased.backup(to: other)
                } else {
                    try other.backup(to: queues.first { $0 !== other }!)
                }
            }
        }
    }

    /// Returns an erased queue and the other queue, so that the identity of the erasing object is on the other side of
    /// the other queue than that of the erased queue.
    private static func erased(_ queues: [DatabaseQueue]) -> (erased: AnyDatabaseWriter, other: DatabaseQueue)? {
        var attempts: [AnyDatabaseWriter] = []
        for _ in 1...10_000 {
            let (first, last) = (AnyDatabaseWriter(queues[0]), AnyDatabaseWriter(queues[1]))
            if ObjectIdentifier(first) > ObjectIdentifier(queues[1]) { return (first, queues[1]) }
            if ObjectIdentifier(last) < ObjectIdentifier(queues[0]) { return (last, queues[0]) }
            attempts += [first, last]
        }
        return nil
    }

    @Test func readersOfAnErasedDestinationAreOpenedAgain() throws {
        let opened = Box(0)
        let configuration = Configuration.tested { configuration in
            configuration.maximumReaderCount = 1
            configuration.prepareDatabase { db in if db.configuration.readonly { opened.increment() } }
        }
        try withPool(configuration) { destination, _ in
            try destination.read { _ in }
            let source = try DatabaseQueue()
            try source.write { try $0.createPlayers() }
            try source.backup(to: AnyDatabaseWriter(destination))
            try destination.read { _ in }
            #expect(opened.value == 2)
        }
    }

    @Test func errorsLeaveTheDestinationAsItWas() throws {
        try withPool { destination, _ in
            try destination.write { try $0.addPlayer() }
            let source = try DatabaseQueue()
            try source.write { try $0.execute(sql: "CREATE TABLE t (a)") }
            #expect(throws: Oops()) { try source.backup(to: destination, pagesPerStep: 1) { _ in throw Oops() } }
            #expect(try destination.read { try $0.playerCount() } == 1)
            try destination.write { try $0.addPlayer() }
        }
    }

    @Test func aCancelledTask() async throws {
        let source = try DatabaseQueue()
        try await source.write { try $0.createPlayers() }
        let destination = try DatabaseQueue()
        let task = Task {
            while true { try source.backup(to: destination) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Both databases remain usable.
        try await destination.write { _ in }
        try await source.write { try $0.addPlayer() }
    }

    @Test(arguments: Store.files)
    func itself(store: Store) throws {
        try store.withWriter { writer in
            let message = "A database cannot be backed up to itself."
            let error = try databaseError(.SQLITE_MISUSE) { try writer.backup(to: writer) }
            #expect(error.message == message)
            let erased = AnyDatabaseWriter(writer)
            let erasedError = try databaseError(.SQLITE_MISUSE) { try writer.backup(to: erased) }
            #expect(erasedError.message == message)
            let other = try DatabaseQueue(path: writer.path)
            try databaseError(.SQLITE_MISUSE) { try writer.backup(to: other) }
            try databaseError(.SQLITE_MISUSE) { try other.backup(to: writer) }
        }
    }

    @Test func insideAnAccess() throws {
        let source = try DatabaseQueue()
        let destination = try DatabaseQueue()
        try databaseError(.SQLITE_MISUSE) { try source.read { _ in try source.backup(to: destination) } }
        try databaseError(.SQLITE_MISUSE) { try destination.write { _ in try source.backup(to: destination) } }
        try databaseError(.SQLITE_MISUSE) { try source.backup(to: destination, pagesPerStep: 0) }
        try source.close()
        try databaseError(.SQLITE_MISUSE) { try source.backup(to: destination) }
    }

    // MARK: Bytes

    @Test(arguments: Store.allCases)
    func serialization(store: Store) async throws {
        try await store.withWriter { writer in
            try await writer.write { try $0.addPlayer() }
            let bytes: Data = try await writer.serialize()
            let copy = try DatabaseQueue(deserializing: bytes)
            #expect(try await copy.read { try $0.playerCount() } == 1)
        }
        let queue = try DatabaseQueue()
        let bytes = try synchronously { try queue.serialize() }
        #expect(bytes.isEmpty)
    }

    func synchronously<T>(_ body: () throws -> T) throws -> T { try body() }
}
