#if Encryption
import Amalgam
import Foundation
import Synchronization
import TestSupport
import Testing

/// Exports that are interrupted or suspended, and exports of a file that isn't at its path any more. The exporting
/// connection isn't the connection that the application stops.
@Suite struct StoppedExportTests {
    enum Kind: CaseIterable { case queue, pool }
    enum Stop: CaseIterable { case interrupt, suspend }

    private let folder = Folder()
    private var target: String { folder.path("exported.sqlite") }

    /// Calls a closure when an export begins to copy the tables.
    private final class Probe: Sendable {
        let action = Mutex<(@Sendable () -> Void)?>(nil)

        var configuration: Configuration {
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                db.trace { event in
                    if event.description.contains("sqlcipher_export") { self.action.withLock { $0 }?() }
                }
            }
            return configuration
        }
    }

    private func fill(_ writer: any DatabaseWriter) throws {
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO t SELECT i FROM n;
                    """)
        }
    }

    private func open(_ kind: Kind, _ probe: Probe) throws -> (
        writer: any DatabaseWriter, suspend: @Sendable () -> Void, resume: @Sendable () -> Void
    ) {
        let path = folder.path("db.sqlite")
        switch kind {
        case .queue:
            let queue = try DatabaseQueue(path: path, configuration: probe.configuration)
            try fill(queue)
            return (queue, { queue.suspend() }, { queue.resume() })
        case .pool:
            let pool = try DatabasePool(path: path, configuration: probe.configuration)
            try fill(pool)
            return (pool, { pool.suspend() }, { pool.resume() })
        }
    }

    @Test(arguments: Kind.allCases, Stop.allCases)
    func stopsEndARunningExport(kind: Kind, stop: Stop) throws {
        let probe = Probe()
        let (writer, suspend, resume) = try open(kind, probe)
        let interrupt: @Sendable () -> Void = { writer.interrupt() }
        probe.action.withLock { $0 = stop == .suspend ? suspend : interrupt }
        expectCode(.SQLITE_INTERRUPT) { try writer.export(to: target, passphrase: "secret") }
        #expect(!FileManager.default.fileExists(atPath: target))
        probe.action.withLock { $0 = nil }
        resume()
        try writer.export(to: target, passphrase: nil)
        let count = try DatabaseQueue(path: target, configuration: probe.configuration).read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        #expect(count == 1000)
    }

    @Test(arguments: Kind.allCases)
    func aSuspendedDatabaseIsNotExported(kind: Kind) throws {
        let (writer, suspend, resume) = try open(kind, Probe())
        suspend()
        expectCode(.SQLITE_ABORT) { try writer.export(to: target, passphrase: nil) }
        #expect(!FileManager.default.fileExists(atPath: target))
        resume()
        try writer.export(to: target, passphrase: nil)
    }

    /// The export is a part of the access that the task waits for.
    @Test(arguments: Kind.allCases)
    func aCancelledTaskEndsTheExportOfItsAccess(kind: Kind) async throws {
        let probe = Probe()
        let writer = try open(kind, probe).writer
        let isExporting = Signal("exporting")
        probe.action.withLock { $0 = { isExporting.fire() } }
        let target = target
        let task = Task {
            try await writer.writeWithoutTransaction { db -> Void in
                // Only a cancellation ends the exports.
                while true {
                    try db.export(to: target, passphrase: nil)
                    try FileManager.default.removeItem(atPath: target)
                }
            }
        }
        try await isExporting.value()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    /// A pool exports while its connections are used. An access that is cancelled in the meantime doesn't stop it.
    @Test func aCancelledWriteDoesNotEndTheExportOfAPool() async throws {
        let probe = Probe()
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: probe.configuration)
        try fill(pool)
        let (isWriting, isCancelled) = (Signal("writing"), Signal("cancelled"))
        let task = Task {
            try await pool.writeWithoutTransaction { db -> Void in
                isWriting.fire()
                while true { _ = try Int.fetchOne(db, sql: "SELECT 1") }
            }
        }
        try await isWriting.value()
        probe.action.withLock { action in
            action = {
                task.cancel()
                while !isCancelled.hasFired { Thread.sleep(forTimeInterval: 0.001) }
            }
        }
        let ended = Task {
            await #expect(throws: CancellationError.self) { try await task.value }
            isCancelled.fire()
        }
        let target = target
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try pool.export(to: target, passphrase: nil) })
            }
        }
        await ended.value
        #expect(FileManager.default.fileExists(atPath: target))
    }

    @Test(arguments: Kind.allCases)
    func theOpenFileIsExportedWhereverItsPathLeads(kind: Kind) throws {
        let files = FileManager.default
        for name in ["one", "two"] {
            try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
        }
        let link = folder.path("link")
        try files.createSymbolicLink(atPath: link, withDestinationPath: folder.path("one"))
        let path = link + "/db.sqlite"
        let writer: any DatabaseWriter = try kind == .queue ? DatabaseQueue(path: path) : DatabasePool(path: path)
        try writer.write { db in try db.execute(sql: "CREATE TABLE mine (a)") }
        try files.removeItem(atPath: link)
        try files.createSymbolicLink(atPath: link, withDestinationPath: folder.path("two"))
        try DatabaseQueue(path: path).write { db in try db.execute(sql: "CREATE TABLE other (a)") }
        try writer.export(to: target, passphrase: nil)
        #expect(try DatabaseQueue(path: target).read { db in try db.tableExists("mine") })
    }

    @Test(arguments: Kind.allCases)
    func aReplacedFileIsNotExported(kind: Kind) throws {
        let files = FileManager.default
        let path = folder.path("db.sqlite")
        let writer: any DatabaseWriter = try kind == .queue ? DatabaseQueue(path: path) : DatabasePool(path: path)
        try writer.write { db in try db.execute(sql: "CREATE TABLE mine (a)") }
        for suffix in ["", "-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
            try files.moveItem(atPath: path + suffix, toPath: folder.path("aside") + suffix)
        }
        try DatabaseQueue(path: path).write { db in try db.execute(sql: "CREATE TABLE other (a)") }
        let error = expectCode(.SQLITE_READONLY) { try writer.export(to: target, passphrase: nil) }
        #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
        #expect(!files.fileExists(atPath: target))
    }
}
#endif
