import Amalgam
import TestSupport
import Testing

/// Observations receive the commits of other connections.
@Suite struct ExternalChangesTests {
    /// Opens another connection to the file of a writer.
    private static func other(_ writer: any DatabaseWriter) throws -> DatabasePool {
        try DatabasePool(path: writer.path)
    }

    @Test(arguments: [Store.fileQueue, .pool])
    func areNoticedOnDemand(_ store: Store) async throws {
        try await store.withWriter { writer in
            let other = try Self.other(writer)
            let (recorder, deaf) = (Recorder<Int>(), Recorder<Int>())
            let cancellable = recorder.start(counting.includingExternalChanges(), in: writer)
            let deafCancellable = deaf.start(counting, in: writer)
            try await recorder.expect([0])
            try await deaf.expect([0])
            try await other.write { try $0.addPlayer() }
            try await waitUntil("first change") { recorder.values.last == 1 }
            try await other.write { try $0.addPlayer() }
            try await waitUntil("second change") { recorder.values.last == 2 }
            // Own commits are observed as before.
            try await writer.write { try $0.addPlayer() }
            try await waitUntil("own change") { recorder.values.last == 3 }
            try await deaf.expect([0, 3])
            cancellable.cancel()
            deafCancellable.cancel()
            try other.close()
        }
    }

    @Test func aReadOnlyDatabaseMayBeObserved() async throws {
        try await Store.pool.withWriter { writer in
            var configuration = Configuration()
            configuration.readonly = true
            let reader = try DatabasePool(path: writer.path, configuration: configuration)
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting.includingExternalChanges(), in: reader)
            try await recorder.expect([0])
            try await writer.write { try $0.addPlayer() }
            try await waitUntil("change") { recorder.values.last == 1 }
            cancellable.cancel()
            try reader.close()
        }
    }

    @Test func aDatabaseInMemoryHasNone() async throws {
        try await Store.memoryQueue.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting.includingExternalChanges(), in: writer)
            try await waitUntil("an error") { recorder.error != nil }
            #expect((recorder.error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
            cancellable.cancel()
        }
    }
}
