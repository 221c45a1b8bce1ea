import AmalgamCore
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency

/// Notifications suspend and resume databases. They reach all databases of the process that observe them: so these
/// tests run one after the other, and no other test observes notifications.
@Suite(.watchdog, .serialized)
struct SuspensionObserverTests {
    static let observing = Configuration.tested { $0.observesSuspensionNotifications = true }

    private func suspend() { NotificationCenter.default.post(name: Database.suspendNotification, object: nil) }

    private func resume() { NotificationCenter.default.post(name: Database.resumeNotification, object: nil) }

    private func interrupter(_ writer: any DatabaseWriter) -> Interrupter {
        writer.unsafeReentrantWrite { $0.access.interrupter }
    }

    @Test func names() {
        #expect(Database.suspendNotification.rawValue == "GRDB.Database.Suspend")
        #expect(Database.resumeNotification.rawValue == "GRDB.Database.Resume")
    }

    @Test(arguments: Store.allCases)
    func suspending(store: Store) throws {
        try store.withWriter(Self.observing) { writer in
            for _ in 1...2 {
                suspend()
                let error = try databaseError(.SQLITE_ABORT) { try writer.write { try $0.addPlayer() } }
                #expect(error.message == "Database is suspended")
                // A repeated notification has no effect.
                suspend()
                resume()
                resume()
                try writer.write { try $0.addPlayer() }
            }
            #expect(try writer.read { try $0.playerCount() } == 2)
        }
    }

    @Test(arguments: Store.allCases)
    func whoDoesNotObserve(store: Store) throws {
        try store.withWriter { writer in
            suspend()
            defer { resume() }
            try writer.write { try $0.addPlayer() }
        }
    }

    @Test(arguments: Store.files)
    func onAllDatabases(store: Store) throws {
        try store.withWriter(Self.observing) { first in
            try store.withWriter(Self.observing) { second in
                suspend()
                #expect(interrupter(first).isSuspended)
                #expect(interrupter(second).isSuspended)
                // A database that is opened later isn't suspended.
                try store.withWriter(Self.observing) { third in
                    #expect(!interrupter(third).isSuspended)
                    resume()
                }
                #expect(!interrupter(first).isSuspended)
                #expect(!interrupter(second).isSuspended)
            }
        }
    }

    @Test func withoutNotifications() throws {
        try withPool(Self.observing) { pool, _ in
            pool.suspend()
            resume()
            try pool.write { try $0.addPlayer() }
            suspend()
            pool.resume()
            try pool.write { try $0.addPlayer() }
        }
    }

    // MARK: Lifetime

    @Test(arguments: Store.files)
    func closedDatabases(store: Store) throws {
        let folder = Folder()
        let writer = try store.open(in: folder, Self.observing)
        let interrupter = self.interrupter(writer)
        try writer.close()
        suspend()
        #expect(!interrupter.isSuspended)
        try writer.close()
    }

    @Test func aDatabaseThatCannotBeClosedGoesOn() throws {
        let queue = try DatabaseQueue(configuration: Self.observing)
        var statement: Statement?
        try queue.inDatabase { db in statement = try db.makeStatement(sql: "SELECT 1") }
        try databaseError(.SQLITE_BUSY) { try queue.close() }
        suspend()
        #expect(interrupter(queue).isSuspended)
        resume()
        withExtendedLifetime(statement) {}
        statement = nil
        try queue.close()
    }

    @Test(arguments: Store.files)
    func releasedDatabases(store: Store) throws {
        let folder = Folder()
        var writer: (any DatabaseWriter)? = try store.open(in: folder, Self.observing)
        weak let released = writer
        var interrupter: Interrupter? = self.interrupter(writer!)
        weak let releasedInterrupter = interrupter
        writer = nil
        #expect(released == nil)
        suspend()
        #expect(interrupter?.isSuspended == false)
        interrupter = nil
        #expect(releasedInterrupter == nil)
        resume()
    }

    @Test func theObserverHoldsNobody() throws {
        var connection: SerialConnection? = try SerialConnection(
            path: ":memory:", label: "db", configuration: Configuration())
        let observer = SuspensionObserver(connection!)
        weak let observed = connection
        suspend()
        #expect(observed?.interrupter.isSuspended == true)
        connection = nil
        #expect(observed == nil)
        suspend()
        observer.stop()
        observer.stop()
    }

    /// Snapshots are never suspended, because they only read.
    @Test func snapshots() throws {
        try withPool(Self.observing) { pool, folder in
            let snapshot = try pool.makeSnapshot()
            let snapshots = try pool.makeSnapshotPool()
            let path = try DatabaseSnapshotPool(path: pool.path, configuration: Self.observing)
            #expect(!snapshot.configuration.observesSuspensionNotifications)
            suspend()
            defer { resume() }
            #expect(try snapshot.read { try $0.playerCount() } == 0)
            #expect(try snapshots.read { try $0.playerCount() } == 0)
            #expect(try path.read { try $0.playerCount() } == 0)
            #expect(pool.configuration.observesSuspensionNotifications)
        }
    }

    // MARK: Threads

    @Test(arguments: Store.files)
    func fromAnyThread(store: Store) throws {
        try store.withWriter(Self.observing) { writer in
            try databaseError(.SQLITE_ABORT) {
                try writer.write { db in
                    try db.addPlayer()
                    try Worker { NotificationCenter.default.post(name: Database.suspendNotification, object: nil) }
                        .join()
                    try db.addPlayer()
                }
            }
            try Worker { NotificationCenter.default.post(name: Database.resumeNotification, object: nil) }.join()
            #expect(try writer.read { try $0.playerCount() } == 0)
        }
    }

    /// Databases can be opened and closed while notifications are posted.
    @Test func comingAndGoing() throws {
        let end = Signal("end")
        let poster = Worker {
            while !end.hasFired {
                NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
                NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
            }
        }
        defer { end.fire() }
        try onThreads(4) { index in
            for round in 1...50 {
                let queue = try DatabaseQueue(configuration: Self.observing)
                do {
                    try queue.write { try $0.createPlayers() }
                } catch DatabaseError.SQLITE_ABORT, DatabaseError.SQLITE_INTERRUPT {
                }
                if (index + round).isMultiple(of: 2) { try queue.close() }
            }
        }
        end.fire()
        try poster.join()
    }
}
