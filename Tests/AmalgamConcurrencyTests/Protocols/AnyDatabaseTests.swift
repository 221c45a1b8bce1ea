import Amalgam
import TestSupport
import Testing

@Suite(.watchdog)
struct AnyDatabaseReaderTests {
    @Test func allMethodsReachTheReader() async throws {
        try await withPool { pool, _ in
            try await pool.write { try $0.addPlayer() }
            let snapshot = try pool.makeSnapshot()
            try await pool.write { try $0.addPlayer() }
            let readers: [(any DatabaseReader, Int)] = [
                (pool, 2), (snapshot, 1), (try pool.makeSnapshotPool(), 2), (AnyDatabaseWriter(pool), 2),
                (AnyDatabaseReader(pool), 2),
            ]
            for (base, count) in readers {
                let reader = AnyDatabaseReader(base)
                #expect(reader.path == pool.path)
                #expect(reader.configuration.maximumReaderCount == base.configuration.maximumReaderCount)
                #expect(try await reader.read { try $0.playerCount() } == count)
                #expect(try await reader.unsafeRead { try $0.playerCount() } == count)
                #expect(try reader.unsafeReentrantRead { try $0.playerCount() } == count)
                #expect(try await reader.read { try $0.playerCount() } == count)
                #expect(try await reader.unsafeRead { try $0.playerCount() } == count)
                let counts = Log<Int>()
                reader.asyncRead { counts.append((try? $0.get().playerCount()) ?? -1) }
                reader.asyncUnsafeRead { counts.append((try? $0.get().playerCount()) ?? -1) }
                while counts.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
                #expect(counts.elements == [count, count])
                reader.interrupt()
            }
            let reader = AnyDatabaseReader(snapshot)
            try reader.close()
            try databaseError(.SQLITE_MISUSE) { try snapshot.read { try $0.playerCount() } }
        }
    }
}

@Suite(.watchdog)
struct AnyDatabaseWriterTests {
    @Test(arguments: [Store.memoryQueue, .fileQueue, .pool])
    func allMethodsReachTheWriter(store: Store) async throws {
        try await store.withWriter { base in
            let writer = AnyDatabaseWriter(base)
            #expect(writer.path == base.path)
            #expect(writer.configuration.maximumReaderCount == base.configuration.maximumReaderCount)
            try await writer.write { try $0.addPlayer() }
            try await writer.write { try $0.addPlayer() }
            try await writer.writeWithoutTransaction { try $0.addPlayer() }
            try await writer.writeWithoutTransaction { try $0.addPlayer() }
            try await writer.barrierWriteWithoutTransaction { try $0.addPlayer() }
            try await writer.barrierWriteWithoutTransaction { try $0.addPlayer() }
            try writer.unsafeReentrantWrite { try $0.addPlayer() }
            let done = Signal()
            let counts = Log<Int>()
            writer.asyncWrite {
                try $0.addPlayer()
            } completion: { _, _ in
            }
            writer.asyncWriteWithoutTransaction { try? $0.addPlayer() }
            writer.asyncBarrierWriteWithoutTransaction { try? $0.get().addPlayer() }
            writer.asyncWriteWithoutTransaction { _ in
                writer.spawnConcurrentRead { result in
                    counts.append((try? result.get().playerCount()) ?? -1)
                    done.fire()
                }
            }
            try await done.value()
            #expect(counts.elements == [10])
            #expect(try await writer.writeWithoutTransaction { _ in 1 } == 1)
            #expect(writer.unsafeReentrantWrite { _ in 1 } == 1)
            #expect(try await base.read { try $0.playerCount() } == 10)
            #expect(try await writer.read { try $0.playerCount() } == 10)
            #expect(try await writer.unsafeRead { try $0.playerCount() } == 10)
            writer.interrupt()
            try writer.close()
            try databaseError(.SQLITE_MISUSE) { try base.read { _ in } }
        }
    }
}
