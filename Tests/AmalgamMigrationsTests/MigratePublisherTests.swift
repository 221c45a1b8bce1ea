#if canImport(Combine) || OpenCombine
import Amalgam
import Dispatch
import PublisherProbes
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif

@Suite("Migrations run for each subscriber")
struct MigratePublisherTests {
    private struct Oops: Error {}

    private let queue = DispatchQueue(label: "subscriber")

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("players") { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)")
        }
        migrator.registerMigration("scores") { db in
            try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER")
        }
        return migrator
    }()

    private func appliedMigrations(_ reader: any DatabaseReader) throws -> Set<String> {
        try reader.read(Self.migrator.appliedIdentifiers)
    }

    @Test("who get a value when all are applied, and the end")
    func migrates() throws {
        let database = try DatabaseQueue()
        // The second run has nothing to do.
        for _ in 0..<2 {
            let probe = SubscriberProbe<Void>(.unlimited)
            Self.migrator.migratePublisher(database, receiveOn: queue).subscribe(probe)
            try probe.waitForCompletion()
            #expect(probe.values.count == 1)
            #expect(probe.isFinished)
            #expect(probe.faults == [])
            let applied = try appliedMigrations(database)
            #expect(applied == ["players", "scores"])
        }
    }

    @Test("on the main queue, later, when no other scheduler is given")
    func theMainQueue() async throws {
        let database = try DatabaseQueue()
        let probe = SubscriberProbe<Void>(.unlimited) { _, _ in
            MainActor.assertIsolated()
            return .none
        }
        await MainActor.run {
            Self.migrator.migratePublisher(database).subscribe(probe)
            #expect(probe.values.isEmpty)
        }
        try await probe.completed()
        #expect(probe.isFinished)
    }

    @Test("not before there is demand, and once")
    func demand() throws {
        let database = try DatabaseQueue()
        let probe = SubscriberProbe<Void>()
        Self.migrator.migratePublisher(database, receiveOn: queue).subscribe(probe)
        let before = try appliedMigrations(database)
        #expect(before == [])
        probe.request(.max(1))
        probe.request(.max(1))
        try probe.waitForCompletion()
        #expect(probe.values.count == 1)
        #expect(probe.faults == [])
    }

    @Test("up to the first error, which is the end")
    func errors() throws {
        let database = try DatabaseQueue()
        var migrator = Self.migrator
        migrator.registerMigration("impossible") { _ in throw Oops() }
        migrator.registerMigration("never") { db in try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)") }
        let probe = SubscriberProbe<Void>(.unlimited)
        migrator.migratePublisher(database, receiveOn: queue).subscribe(probe)
        let error = try probe.waitForError()
        #expect(error is Oops)
        #expect(probe.values.isEmpty)
        let applied = try appliedMigrations(database)
        #expect(applied == ["players", "scores"])
    }

    @Test("to the end, also when a subscriber cancels")
    func cancellation() throws {
        let database = try DatabaseQueue()
        let probe = SubscriberProbe<Void>(.unlimited)
        queue.suspend()
        Self.migrator.migratePublisher(database, receiveOn: queue).subscribe(probe)
        probe.cancel()
        let applied = try appliedMigrations(database)
        #expect(applied == ["players", "scores"])
        queue.resume()
        queue.sync {}
        #expect(probe.values.isEmpty)
        #expect(probe.completion == nil)
    }

    @Test("a closed database is an error")
    func closedDatabase() throws {
        let database = try DatabaseQueue()
        try database.close()
        let probe = SubscriberProbe<Void>(.unlimited)
        Self.migrator.migratePublisher(database, receiveOn: queue).subscribe(probe)
        let error = try probe.waitForError()
        #expect((error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
    }
}
#endif
