import Amalgam
import Foundation
import TestSupport
import Testing

/// Many threads and tasks transfer money between accounts, while others count it. Each count finds the same total, and
/// all payments that were acknowledged before. At the end, the database matches the model.
///
/// In the environment, `AMALGAM_STRESS_SEED` repeats the choices of a failure, and `AMALGAM_STRESS_SECONDS` is the
/// duration for each store.
@Suite(.watchdog, .serialized)
struct StressTests {
    private static let stores: [Store] = [.pool, .walQueue, .fileQueue, .namedQueue, .memoryQueue]

    /// Databases that other connections can open as well.
    private static let sharedStores = stores.filter { $0 != .memoryQueue }

    @Test(arguments: stores)
    func moneyIsNeitherMadeNorLost(store: Store) async throws {
        try await stress(store, [])
    }

    @Test(arguments: stores)
    func statementsAreInterrupted(store: Store) async throws {
        try await stress(store, .interrupts)
    }

    @Test(arguments: stores)
    func theDatabaseIsSuspended(store: Store) async throws {
        try await stress(store, .suspensions)
    }

    @Test(arguments: sharedStores)
    func anotherConnectionWrites(store: Store) async throws {
        try await stress(store, .externalWriter)
    }

    /// A connection that finds a lock throws, without waiting.
    @Test(arguments: sharedStores)
    func nobodyWaitsForLocks(store: Store) async throws {
        try await stress(store, [.externalWriter, .impatience])
    }

    @Test(arguments: sharedStores)
    func theDatabaseIsClosedAndOpenedAgain(store: Store) async throws {
        try await stress(store, [.closes, .externalWriter, .interrupts])
    }

    @Test(arguments: [Store.pool, .walQueue])
    func aPolicyKeepsTheWALFileSmall(store: Store) async throws {
        try await stress(store, [.walPolicy, .externalWriter, .suspensions, .closes])
    }

    private func stress(_ store: Store, _ trouble: Bank.Trouble) async throws {
        let folder = Folder()
        let (name, configuration) = (UUID().uuidString, Configuration.hasty(trouble))
        let open: @Sendable () throws -> any DatabaseWriter = {
            if store == .namedQueue { return try DatabaseQueue(named: name, configuration: configuration) }
            return try store.open(in: folder, configuration)
        }
        let bank = try Bank(trouble: trouble, opening: open)
        // This connection keeps a database in memory alive while the other one is closed and reopened.
        let external = trouble.contains(.externalWriter) ? try openExternally(store, folder, name) : nil
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<(isSanitized ? 1 : 2) { addClients(bank, &group) }
            if bank.writer is DatabasePool { addReadersOfSnapshots(bank, &group) }
            bank.addDisturbance(&group)
            if let external {
                bank.addExternalWriter(&group, external)
                if store == .pool { try bank.addExternalReaders(&group, path: folder.path("db.sqlite")) }
            }
            try await group.waitForAll()
        }
        try await bank.writer.read { try bank.ledger.checkEnd($0) }
        try bank.writer.close()
        try external?.close()
    }

    private func openExternally(_ store: Store, _ folder: Folder, _ name: String) throws -> DatabaseQueue {
        var configuration = Configuration.hasty(waits: true)
        configuration.label = "external"
        if store == .namedQueue { return try DatabaseQueue(named: name, configuration: configuration) }
        return try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
    }

    private func addClients(_ bank: Bank, _ group: inout Bank.Group) {
        bank.addWritingThread(&group)
        bank.addReadingThread(&group)
        bank.addSchedulingThread(&group)
        bank.addWritingTask(&group)
        bank.addReadingTask(&group)
        bank.addConcurrentReadThread(&group)
    }

    private func addReadersOfSnapshots(_ bank: Bank, _ group: inout Bank.Group) {
        bank.addSnapshotThread(&group)
        bank.addSnapshotPoolThread(&group)
        bank.addSnapshotTask(&group)
        bank.addVersionThread(&group)
    }
}
