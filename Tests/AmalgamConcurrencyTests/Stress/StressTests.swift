import Amalgam
import Foundation
import Testing

/// Money moves between accounts, from many threads and tasks, while others count it. Whoever counts finds the same
/// total, and all payments that were acknowledged before. In the end the database holds what the model says.
///
/// In the environment, `AMALGAM_STRESS_SEED` repeats the choices of a failure, and `AMALGAM_STRESS_SECONDS` is how long
/// each store is used.
@Suite(.timeLimit(.minutes(2)), .watchdog, .serialized)
struct StressTests {
    @Test(arguments: [Store.pool, .walQueue, .fileQueue, .namedQueue, .memoryQueue])
    func moneyIsNeitherMadeNorLost(store: Store) async throws {
        try await stress(store, [])
    }

    @Test(arguments: [Store.pool, .walQueue, .memoryQueue])
    func statementsAreInterrupted(store: Store) async throws {
        try await stress(store, .interrupts)
    }

    @Test(arguments: Store.files)
    func anExternalConnectionWrites(store: Store) async throws {
        try await stress(store, .externalWriter)
    }

    @Test(arguments: Store.files)
    func theDatabaseIsClosedAndOpenedAgain(store: Store) async throws {
        try await stress(store, [.closes, .externalWriter, .interrupts])
    }

    private func stress(_ store: Store, _ trouble: Bank.Trouble) async throws {
        let folder = Folder()
        let configuration = Configuration.hasty(waits: trouble.contains(.externalWriter))
        let bank = try Bank(trouble: trouble) { try store.open(in: folder, configuration) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<(isSanitized ? 1 : 2) { addClients(bank, &group) }
            if bank.writer is DatabasePool { addReadersOfSnapshots(bank, &group) }
            bank.addDisturbance(&group)
            if trouble.contains(.externalWriter) {
                try bank.addExternalWriter(&group, path: folder.path("db.sqlite"))
            }
            try await group.waitForAll()
        }
        try await bank.writer.read { try bank.ledger.checkEnd($0) }
        try bank.writer.close()
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
    }
}
