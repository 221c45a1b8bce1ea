#if Replication && (os(Linux) || os(macOS))
import AmalgamConcurrency
import AmalgamCore
import Foundation
import Synchronization

/// The row of the table `_amalgam_replication`, by which a service recognizes its database.
///
/// The row has random bytes of a random number, and zeros up to a fixed size. The service replaces it at its start, at a check of owners that follows
/// commits, and before its last upload. `LocalState` stores the values that the database may have: the last one that is
/// in the replica, and the later ones. A database with a different value has lost transactions of the replica, or was
/// replaced. The mutex guards the state; the writing connection sets `isWriting`.
final class OwnerRow: Sendable {
    private struct State {
        /// The number of the last commit when the row was replaced. Nil before the first replacement.
        var committed: Int?
        /// The value of the row that isn't known to be in the replica.
        var pending: String?
    }

    private let pool: DatabasePool
    private let local: LocalState
    private let state = Mutex(State())
    /// Orders the changes of the stored values. It isn't the mutex of the state, because a change waits for the disk.
    private let storage = Mutex<Void>(())
    private let isWriting = Atomic<Bool>(false)

    init(_ pool: DatabasePool, _ local: LocalState) {
        self.pool = pool
        self.local = local
    }

    // MARK: Check

    /// Throws an error if the replica has transactions that the database has lost, or that another database had.
    ///
    /// - Parameter files: the files of the replica.
    func check(_ files: [ReplicaFile], _ replica: Replica) async throws {
        guard !files.isEmpty else { return }
        let (value, wal) = try await pool.read { db in (try Self.value(db), db.walState) }
        if let wal { try local.checkFrames(files, replica, wal) }
        if let values = local.owners, !values.contains(value) { throw local.replaced(replica) }
    }

    /// The beginning of the row's value, or the word "none".
    private static func value(_ db: Database) throws -> String {
        let table = "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = '_amalgam_replication'"
        guard try Int.fetchOne(db, sql: table) != nil else { return "none" }
        let value = "SELECT hex(substr(owner, 1, 16)) FROM main._amalgam_replication WHERE id = 1"
        return try String.fetchOne(db, sql: value) ?? "none"
    }

    // MARK: Replacement

    /// Replaces the row. If the machine was copied, and both copies replicate, the listing of the replica shows which
    /// of them has uploaded the transaction: it has sizes, and no checksums.
    ///
    /// Without the replacement, the checks still compare what the application writes, so that this method waits one
    /// second for a busy writer.
    ///
    /// - Parameters:
    ///   - committed: the number of the last commit.
    ///   - isLast: whether the service ends. Otherwise, the row stays if there is no commit since its last replacement,
    ///     or if the upload of the replacement is pending.
    func replace(after committed: Int, isLast: Bool) async {
        guard isLast || state.withLock({ $0.pending == nil && $0.committed != committed }) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let value = try? await self.pool.write(self.replace) else { return }
                self.state.withLock { $0 = State(committed: committed, pending: value) }
            }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// A transaction of the replica has whole pages, which are packed. The value always has the same size, so that it
    /// overwrites the previous one: random bytes that remained on the page would hide the number of the new ones.
    private static func newContent() -> Data {
        let size = 2000
        let random = (0..<Int.random(in: 16...size)).map { _ in UInt8.random(in: 0...255) }
        return Data(random) + Data(count: size - random.count)
    }

    @Sendable private func replace(_ db: Database) throws -> String {
        let current = try Self.value(db)
        let content = Self.newContent()
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS _amalgam_replication (id INTEGER PRIMARY KEY, owner BLOB)")
        try db.execute(
            sql: "INSERT OR REPLACE INTO _amalgam_replication (id, owner) VALUES (1, ?)", arguments: [content])
        let value = try Self.value(db)
        // The database has the current value until the commit, and after a crash of the machine.
        try storage.withLock { _ in try local.noteReplacement(of: current, by: value) }
        isWriting.store(true, ordering: .relaxed)
        return value
    }

    /// Returns whether the transaction that ends now replaced the row.
    func endTransaction() -> Bool { isWriting.exchange(false, ordering: .relaxed) }

    /// The value of the row that isn't known to be in the replica. Nil if there is none.
    var pending: String? { state.withLock { $0.pending } }

    /// Notes that a value is in the replica: a database with an earlier one is behind the replica now. The writing
    /// connection may have replaced the value since the request of the upload.
    func confirm(_ value: String) {
        guard (try? storage.withLock({ _ in try local.noteUpload(of: value) })) != nil else { return }
        state.withLock { state in
            if state.pending == value { state.pending = nil }
        }
    }
}
#endif
