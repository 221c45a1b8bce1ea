import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency

/// A write of a pool uses readers, while a read waits for this write.
@Suite(.watchdog)
struct InsideWriteTests {
    /// The time at which a read asks for the writer: before the write asks for readers, or while the write waits for
    /// them.
    enum Moment: CaseIterable {
        case before, meanwhile
    }

    /// Runs a closure inside a write, while a read of the same pool runs that will also write. `readWrites` makes the
    /// read ask for its write.
    private func withReadThatWrites(
        _ configuration: Configuration = .tested,
        _ body:
            @escaping @Sendable (_ pool: DatabasePool, _ readWrites: @escaping @Sendable () throws -> Void) throws ->
            Void
    ) async throws {
        try await withPool(configuration) { pool, _ in
            let (reads, writes) = (Signal("reads"), Signal("writes"))
            let reader = Worker {
                try pool.read { _ in
                    reads.fire()
                    try writes.wait()
                    try pool.write { try $0.addPlayer() }
                }
            }
            try await reads.value()
            let writer = Worker {
                try pool.writeWithoutTransaction { _ in
                    try body(pool) {
                        writes.fire()
                        try waitUntil("a read that waits for the writer") { pool.metrics.writer.waiting == 1 }
                    }
                }
            }
            try await writer.value()
            try await reader.value()
            #expect(try await pool.read { try $0.playerCount() } == 1)
        }
    }

    /// Makes the read ask for its write, now or when the writer waits for readers.
    private func ask(_ moment: Moment, _ pool: DatabasePool, _ readWrites: @escaping @Sendable () throws -> Void) throws
        -> Worker?
    {
        if moment == .before {
            try readWrites()
            return nil
        }
        return Worker {
            try waitUntil("a writer that waits") { pool.readers.waiting != (0, 0) }
            try readWrites()
        }
    }

    @Test(arguments: Moment.allCases)
    func closingIsRefusedWhileAReadWaitsForTheWrite(moment: Moment) async throws {
        try await withReadThatWrites { pool, readWrites in
            let asks = try ask(moment, pool, readWrites)
            let error = try databaseError(.SQLITE_MISUSE) { try pool.close() }
            #expect(
                error.message == "The pool cannot be closed inside of this write: a read waits for the write to end. "
                    + "Close the pool after the write.")
            try asks?.join()
        }
    }

    @Test(arguments: Moment.allCases, [true, false])
    func releasingMemoryLeavesReadsAloneThatWaitForTheWrite(moment: Moment, persistent: Bool) async throws {
        try await withReadThatWrites(.tested { $0.persistentReadOnlyConnections = persistent }) { pool, readWrites in
            let asks = try ask(moment, pool, readWrites)
            pool.releaseMemory()
            try asks?.join()
        }
    }

    @Test func closingInsideAWriteWaitsForOtherReads() async throws {
        try await withPool { pool, _ in
            let (reads, goOn) = (Signal("reads"), Signal("goOn"))
            let log = Log<String>()
            let reader = Worker {
                try pool.read { _ in
                    reads.fire()
                    try goOn.wait()
                    log.append("read")
                }
            }
            try await reads.value()
            let writer = Worker {
                try pool.writeWithoutTransaction { _ in
                    try pool.close()
                    log.append("closed")
                }
            }
            try await waitUntil("a close that waits") { pool.readers.waiting.barriers == 1 }
            goOn.fire()
            try await writer.value()
            try await reader.value()
            #expect(log.elements == ["read", "closed"])
            try databaseError(.SQLITE_MISUSE) { try pool.read { _ in } }
            try databaseError(.SQLITE_MISUSE) { try pool.write { _ in } }
        }
    }

    @Test func closingInsideABarrier() throws {
        try withPool { pool, _ in
            try pool.barrierWriteWithoutTransaction { _ in try pool.close() }
            try databaseError(.SQLITE_MISUSE) { try pool.read { _ in } }
        }
    }

    /// If the only reader is used by a read that waits for the write, the write gets an additional one.
    @Test(arguments: Moment.allCases)
    func readsInsideAWriteDoNotWaitForReadsThatWaitForTheWrite(moment: Moment) async throws {
        try await withReadThatWrites(.readers(1)) { pool, readWrites in
            let asks = try ask(moment, pool, readWrites)
            #expect(try pool.read { try $0.playerCount() } == 0)
            try asks?.join()
        }
    }

    @Test(arguments: Moment.allCases)
    func concurrentReadsDoNotWaitForReadsThatWaitForTheWrite(moment: Moment) async throws {
        try await withReadThatWrites(.readers(1)) { pool, readWrites in
            let asks = try ask(moment, pool, readWrites)
            let end = Signal("concurrent read")
            pool.asyncConcurrentRead { result in
                #expect(throws: Never.self) { try #expect(result.get().playerCount() == 0) }
                end.fire()
            }
            try end.wait()
            try asks?.join()
        }
    }

    /// Additional readers are closed after their use.
    @Test func aPoolKeepsAsManyReadersAsItMay() async throws {
        let open = Box(0)
        let configuration = Configuration.tested { configuration in
            configuration.maximumReaderCount = 1
            configuration.prepareDatabase { db in if db.configuration.readonly { open.increment() } }
        }
        try await withReadThatWrites(configuration) { pool, readWrites in
            try readWrites()
            #expect(try pool.read { try $0.playerCount() } == 0)
            #expect(open.value == 2)
            #expect(pool.metrics.connectionCount == 2)
        }
        // The read of `withReadThatWrites` has used the reader that stays open.
        #expect(open.value == 2)
    }

    // MARK: Reentrant reads

    @Test func reentrantReadsUseTheConnectionOfTheWrite() throws {
        try withPool { pool, _ in
            try pool.write { db in
                try db.addPlayer()
                try pool.unsafeReentrantRead { #expect($0 === db) }
                #expect(try AnyDatabaseReader(pool).unsafeReentrantRead { try $0.playerCount() } == 1)
                #expect(try pool.read { try $0.playerCount() } == 0)
            }
        }
    }

    /// A reentrant read uses the connection of the innermost access.
    @Test func reentrantReadsInReadsAndWrites() throws {
        try withPool { pool, _ in
            try pool.write { writer in
                try pool.read { reader in
                    try pool.unsafeReentrantRead { #expect($0 === reader) }
                }
                try pool.unsafeReentrantRead { #expect($0 === writer) }
            }
            try pool.read { reader in
                try pool.write { writer in
                    try pool.unsafeReentrantRead { #expect($0 === writer) }
                }
                try pool.unsafeReentrantRead { #expect($0 === reader) }
            }
        }
    }
}
