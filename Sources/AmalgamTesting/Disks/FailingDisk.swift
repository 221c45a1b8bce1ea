import AmalgamCore
import CAmalgamTesting

/// A disk that fails on demand, and that can be full.
///
/// ```swift
/// let disk = try FailingDisk()
/// var config = Configuration()
/// config.disk = disk
/// let dbQueue = try DatabaseQueue(path: path, configuration: config)
///
/// disk.fail(.io, after: 3)   // the fourth operation throws SQLITE_IOERR
/// disk.freeBytes = 10_000    // files can grow by 10,000 bytes; then writes throw SQLITE_FULL
/// disk.recover()             // nothing fails any more
/// ```
///
/// The files are those of the system, in the folder of the database. Connections without this disk can open them. Syncs may
/// fail, but don't reach the device: a ``PowerLossDisk`` tests what a loss of power leaves.
///
/// The disk concerns the connections whose `Configuration.disk` it is, on all threads. All methods are thread-safe. Create
/// the first disk after `Database.logError` is set, as with connections.
public final class FailingDisk: TestDisk {
    /// The C object, which synchronizes itself.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let handle: Handle

    /// The name of the VFS of this disk.
    public let vfsName: String

    /// Creates a disk on which nothing fails.
    ///
    /// - Throws: `SQLITE_NOMEM`.
    public init() throws {
        guard let pointer = amalgam_disk_create() else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        handle = Handle(pointer: pointer)
        vfsName = String(cString: amalgam_disk_name(pointer))
    }

    deinit { amalgam_disk_release(handle.pointer) }

    /// Makes operations fail from now on, in place of the failures of an earlier call.
    ///
    /// ```swift
    /// disk.fail(.full)                                    // the next write fails, once
    /// disk.fail(DiskFailure(.sync, of: .wal), after: 1)   // the second sync of a WAL file fails
    /// disk.fail(.io.persisting)                           // the disk is gone
    /// ```
    ///
    /// - Parameters:
    ///   - failure: The operations that fail, and how.
    ///   - count: The number of these operations that succeed before.
    public func fail(_ failure: DiskFailure, after count: Int = 0) {
        plan(failure, at: max(0, count) &+ 1)
    }

    /// Ends all failures, and removes the limit of the space.
    ///
    /// ```swift
    /// disk.recover()
    /// ```
    public func recover() {
        amalgam_disk_plan(handle.pointer, 0, 0, 0, 0, 0, 0)
        freeBytes = nil
    }

    /// The number of bytes by which the files of this disk can grow. Nil, the default, is no limit.
    ///
    /// A write that needs more bytes writes those that fit, and fails with `SQLITE_FULL`. Overwriting needs no space.
    /// Shortening and deleting files releases space.
    public var freeBytes: Int? {
        get {
            let bytes = amalgam_disk_free_bytes(handle.pointer)
            return bytes < 0 ? nil : Int(bytes)
        }
        set { amalgam_disk_set_free_bytes(handle.pointer, newValue.map { Int64(max(0, $0)) } ?? -1) }
    }

    /// The number of operations that have failed since the last call of ``fail(_:after:)`` or ``recover()``, also for want
    /// of space.
    public var failureCount: Int { Int(amalgam_disk_failure_count(handle.pointer)) }

    /// The number of operations, among those that ``fail(_:after:)`` has named, since that call.
    public var operationCount: Int { Int(amalgam_disk_operation_count(handle.pointer)) }

    /// Makes the n-th operation fail, or only counts operations if n is 0.
    func plan(_ failure: DiskFailure, at n: Int) {
        amalgam_disk_plan(
            handle.pointer, failure.operations.rawValue, failure.files.rawValue, Int64(n), failure.persists ? 1 : 0,
            failure.code?.rawValue ?? 0, failure.isTorn ? 1 : 0)
    }

    /// Ends failures, but leaves the space as it is.
    func endFailures() { amalgam_disk_plan(handle.pointer, 0, 0, 0, 0, 0, 0) }
}
