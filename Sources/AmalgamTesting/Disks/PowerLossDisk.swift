import AmalgamCore
import CAmalgamTesting
import Foundation
import Synchronization

/// A disk that loses power: it knows which states of its files a power failure may leave.
///
/// ```
/// let disk = try PowerLossDisk()
/// var config = Configuration()
/// config.disk = disk
/// config.prepareDatabase { db in
///     if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = FULL") }
/// }
/// let app = try App(DatabasePool(path: disk.path("app.sqlite"), configuration: config))
/// try app.addPlayer(named: "Anna")
/// let count = disk.operationCount
/// try app.close()
///
/// try disk.forEachPowerLoss(count: 100, seed: 1) { loss in
///     let app = try App(DatabasePool(path: disk.path("app.sqlite"), configuration: config))
///     if loss.operationCount >= count { #expect(try app.playerNames() == ["Anna"]) }
/// }
/// ```
///
/// The disk logs what SQLite does to the files of its folder: creations, writes, truncations, syncs and deletions. What
/// was synced is there after the power failure. Each later operation is kept, lost, or torn at sectors of 512 bytes, in
/// any order, and entries of the folder that weren't synced, too. A write doesn't change the bytes next to it. Nothing is
/// synced to the device, so the tests don't wait for it.
///
/// `PRAGMA synchronous` and `journal_mode` decide which commits must be there: see the guide "What a power failure
/// leaves". The memory that the log needs grows with each write.
public final class PowerLossDisk: TestDisk {
    /// A log of the folder, which synchronizes itself.
    private final class Log: @unchecked Sendable {
        let pointer: OpaquePointer

        init(_ folder: String) { pointer = amalgam_power_disk_create(folder) }

        deinit { amalgam_power_disk_free(pointer) }
    }

    /// The log of all that happens before the first loss of power.
    private let log: Log

    /// The log of what happens after the last loss of power.
    private let laterLog = Mutex<Log?>(nil)

    private let folder: URL

    /// The name of the VFS, which all disks of this type share.
    public let vfsName: String

    /// Creates a disk: an empty temporary folder, which is removed with this object.
    ///
    /// - Throws: An error if the folder can't be created; `SQLITE_ERROR` if SQLite can't be initialized.
    public init() throws {
        let code = amalgam_power_install(0)
        if code != 0 { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        vfsName = String(cString: amalgam_power_vfs_name())
        let path = try Self.makeFolder()
        folder = URL(fileURLWithPath: path, isDirectory: true)
        log = Log(path)
    }

    /// Returns the path of a new folder without symbolic links, as SQLite opens files.
    private static func makeFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "AmalgamTesting." + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let path = realpath(folder.path, nil) else { return folder.path }
        defer { free(path) }
        return String(cString: path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns the path of a file on this disk. Files at other paths aren't logged, and lose nothing.
    ///
    /// ```swift
    /// let disk = try PowerLossDisk()
    /// let path = disk.path("db.sqlite")
    /// ```
    public func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The number of operations on the files, before the first loss of power.
    ///
    /// After a commit, it is the moment from which the commit has happened.
    public var operationCount: Int { Int(amalgam_power_disk_count(log.pointer)) }

    /// Replaces the files of this disk with a state that a power failure may leave.
    ///
    /// ```swift
    /// let disk = try PowerLossDisk()
    /// try disk.losePower(PowerLoss(after: disk.operationCount, seed: 1))
    /// ```
    ///
    /// Close all connections to the files before. Then the files can be opened again, also with this disk. What happens to
    /// them after the first loss of power isn't a part of further losses: each of them replaces the files with a state that
    /// comes from the operations before the first one.
    ///
    /// - Parameter loss: The moment, and the seed of the state. A moment after the last operation is the last one.
    /// - Throws: An error if the files can't be replaced.
    public func losePower(_ loss: PowerLoss) throws {
        try laterLog.withLock { laterLog in
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let code = amalgam_power_disk_crash(
                log.pointer, Int64(max(0, loss.operationCount)), AMALGAM_POWER_ANY, loss.seed, folder.path)
            if code != 0 {
                throw DatabaseError(
                    resultCode: .SQLITE_IOERR, message: "the files can't be replaced: errno \(code)")
            }
            laterLog = Log(folder.path)
        }
    }

    /// Runs a closure after each of a number of power failures, at random moments with random states.
    ///
    /// ```
    /// try disk.forEachPowerLoss(count: 100, seed: 1) { loss in
    ///     let dbQueue = try DatabaseQueue(path: disk.path("db.sqlite"))
    ///     let problems = try dbQueue.read { db in try db.integrityCheck() }
    ///     #expect(problems.isEmpty, "\(loss)")
    /// }
    /// ```
    ///
    /// Close all connections to the files before, and those of the closure in the closure.
    ///
    /// - Parameters:
    ///   - count: The number of power failures.
    ///   - seed: The number that determines moments and states.
    ///   - body: Opens the files, and checks their content.
    /// - Throws: ``ExpectationFailed`` for an error of the closure, with the ``PowerLoss`` that ``losePower(_:)`` repeats; an
    ///   error if the files can't be replaced.
    public func forEachPowerLoss(
        count: Int, seed: UInt64, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column, _ body: (PowerLoss) throws -> Void
    ) throws {
        var random = LossGenerator(state: seed)
        for _ in 0..<max(0, count) {
            let moment = Int.random(in: 0...operationCount, using: &random)
            let loss = PowerLoss(after: moment, seed: random.next())
            try losePower(loss)
            do {
                try body(loss)
            } catch {
                throw ExpectationFailed(
                    "The test throws an error after \(loss): \(error)",
                    at: CodeLocation(fileID, filePath, line, column))
            }
        }
    }
}

/// Pseudorandom numbers that are reproducible by a seed: SplitMix64.
private struct LossGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
