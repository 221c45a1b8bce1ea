#if Replication && (os(Linux) || os(macOS))
import AmalgamConcurrency
import Foundation

/// The comparison of the database itself with its replica. `checkLineage` compares Litestream's local files only, which
/// stay when the database is replaced.
extension LocalState {
    private var ownersFile: URL { ownFolder.appendingPathComponent("owners") }

    /// The values that the row of the owner may have, in the order of the replacements. Nil if no service has written
    /// the row since the database was restored, or took the replica over.
    var owners: [String]? {
        (try? String(contentsOf: ownersFile, encoding: .utf8)).map { $0.split(separator: "\n").map(String.init) }
    }

    /// Notes that a transaction replaces the value of the row: the two values are the last ones. The caller orders the
    /// calls of this method and of ``noteUpload(of:)``, which read the values before they store them.
    func noteReplacement(of current: String, by value: String) throws {
        let others = (owners ?? []).filter { $0 != current && $0 != value }
        try storeOwners(others + (current == value ? [value] : [current, value]))
    }

    /// Notes that a value is in the replica, and forgets the earlier ones. The later ones stay: the row may have them.
    func noteUpload(of value: String) throws {
        let values = owners ?? []
        try storeOwners(values.firstIndex(of: value).map { Array(values[$0...]) } ?? [value] + values)
    }

    /// Stores the values that the row may have, also for a crash of the machine.
    private func storeOwners(_ values: [String]) throws {
        let temporary = ownersFile.path + ".new"
        try Data(values.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: temporary))
        for (path, mode) in [(temporary, O_WRONLY), (ownFolder.path, O_RDONLY | O_DIRECTORY)] {
            let descriptor = open(path, mode | O_CLOEXEC)
            defer { close(descriptor) }
            guard descriptor >= 0, fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
            if path == temporary, rename(temporary, ownersFile.path) != 0 { throw CocoaError(.fileWriteUnknown) }
        }
    }

    /// Forgets the values of an earlier database, or of one that is a new owner.
    func forgetOwners() throws {
        if FileManager.default.fileExists(atPath: ownersFile.path) {
            try FileManager.default.removeItem(at: ownersFile)
        }
    }

    /// Throws an error if the WAL file has lost frames that are in the replica, by a crash of the machine. A file that
    /// was restarted since the last upload has other salts, and isn't compared.
    func checkFrames(_ files: [ReplicaFile], _ replica: Replica, _ wal: WALState) throws {
        guard let last = files.map(\.maximum).max(),
            let position = engineFiles.first(where: { $0.maximum == last })?.walPosition,
            position.salts.elementsEqual(wal.salts), UInt64(wal.size) < position.end
        else { return }
        throw replaced(replica)
    }

    func replaced(_ replica: Replica) -> ReplicationError {
        diverged(
            replica,
            "has transactions that \(database.path) doesn't have: the database was replaced by another one or by an earlier "
                + "copy, or has lost its last transactions")
    }
}
#endif
