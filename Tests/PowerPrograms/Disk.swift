import CAmalgamTesting
package import Foundation

/// The log of a folder, and the states that a power failure may leave of its files: see `amalgam_power.h`.
package final class Disk: @unchecked Sendable {
    // Sendable: the C functions lock a mutex.
    private let disk: OpaquePointer
    package let folder: URL

    /// Starts the log. Files that are in the folder count as synced. Earlier logs of the folder end.
    package init(_ folder: URL) {
        precondition(amalgam_power_install(1) == 0)
        // SQLite resolves symbolic links before it opens a file.
        self.folder = folder.resolvingSymlinksInPath()
        disk = amalgam_power_disk_create(realPath(of: folder))
    }

    /// All connections to files of the folder are closed.
    deinit { amalgam_power_disk_free(disk) }

    /// The number of operations in the log.
    package var count: Int64 { amalgam_power_disk_count(disk) }

    /// The number of syncs that SQLite has asked for.
    package var syncCount: Int64 { amalgam_power_disk_syncs(disk) }

    /// Leaves a sync out of the log. The first one is 1.
    package func dropSync(_ number: Int64) { amalgam_power_disk_drop_sync(disk, number) }

    /// Replaces the files of the folder with their state after a crash. All connections are closed.
    ///
    /// The path stays the same, because the journal of a transaction on several files holds the path of the journal that
    /// they share.
    package func crash(_ crash: Crash) throws {
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let code = amalgam_power_disk_crash(disk, crash.position, crash.behavior.code, crash.seed, folder.path)
        if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    }

    /// The operations before a position, such as `write db.sqlite-wal 0 + 32`.
    package func description(of positions: Range<Int64>) -> [String] {
        positions.map { position in
            let entry = amalgam_power_disk_entry(disk, position)
            let name = String(cString: entry.name)
            return switch entry.operation {
            case AMALGAM_POWER_CREATE: "create \(name)"
            case AMALGAM_POWER_WRITE: "write \(name) \(entry.offset) + \(entry.size)"
            case AMALGAM_POWER_TRUNCATE: "truncate \(name) to \(entry.offset)"
            case AMALGAM_POWER_SYNC: "sync \(name)"
            case AMALGAM_POWER_DELETE: "delete \(name)"
            default: "sync the folder"
            }
        }
    }
}

/// A power failure after an operation of the log.
package struct Crash: Hashable, Sendable {
    /// What happens to operations that weren't synced.
    package enum Behavior: String, CaseIterable, Sendable {
        case losesAll, keepsAll, keepsOrder, reorders, tears, choosesFiles, choosesOne
        /// Any of the others, by the seed.
        case any

        var code: amalgam_power_behavior {
            switch self {
            case .losesAll: AMALGAM_POWER_LOSES_ALL
            case .keepsAll: AMALGAM_POWER_KEEPS_ALL
            case .keepsOrder: AMALGAM_POWER_KEEPS_ORDER
            case .reorders: AMALGAM_POWER_REORDERS
            case .tears: AMALGAM_POWER_TEARS
            case .choosesFiles: AMALGAM_POWER_CHOOSES_FILES
            case .choosesOne: AMALGAM_POWER_CHOOSES_ONE
            case .any: AMALGAM_POWER_ANY
            }
        }
    }

    /// The number of operations that have happened.
    package var position: Int64
    package var behavior: Behavior
    /// Chooses one of the possible states.
    package var seed: UInt64

    package init(position: Int64, behavior: Behavior, seed: UInt64) {
        self.position = position
        self.behavior = behavior
        self.seed = seed
    }
}

/// The path of a folder without symbolic links, as SQLite's VFS finds it.
private func realPath(of folder: URL) -> String {
    guard let path = realpath(folder.path, nil) else { return folder.path }
    defer { free(path) }
    return String(cString: path)
}

/// Pseudorandom numbers that are reproducible by a seed: SplitMix64.
package struct Random: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    package mutating func next(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
