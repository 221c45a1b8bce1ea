#if Replication && (os(Linux) || os(macOS))
import AmalgamConcurrency
import AmalgamCore
import Foundation

/// The files next to a database that replication needs: those of Litestream in `.NAME-litestream`, and those of this
/// module in `.NAME-replication`.
struct LocalState {
    let database: URL
    private let engineFolder: URL
    let ownFolder: URL

    init(database path: String) {
        database = URL(fileURLWithPath: path)
        let (folder, name) = (database.deletingLastPathComponent(), database.lastPathComponent)
        engineFolder = folder.appendingPathComponent(".\(name)-litestream")
        ownFolder = folder.appendingPathComponent(".\(name)-replication")
    }

    init(_ pool: DatabasePool) {
        // The working folder may have changed since the pool was opened.
        self.init(database: URL(fileURLWithPath: pool.file?.path ?? pool.path).resolvingSymlinksInPath().path)
    }

    // MARK: Litestream's files

    private var transactionFolder: URL { engineFolder.appendingPathComponent("ltx/0") }

    /// The transactions that Litestream has read from the WAL file. The last ones may not be uploaded yet.
    var engineFiles: [TransactionFile] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: transactionFolder.path)) ?? []
        return names.compactMap { TransactionFile(transactionFolder.appendingPathComponent($0).path) }
    }

    /// Throws an error if the replica has transactions that the database doesn't descend from.
    ///
    /// - Parameter files: the files of the replica. They are listed before this call: Litestream writes each
    ///   transaction to a local file before the upload.
    func checkLineage(_ files: [ReplicaFile], _ replica: Replica) throws {
        guard let last = files.map(\.maximum).max() else { return }
        let own = engineFiles
        guard let ownLast = own.map(\.maximum).max() else {
            if restoredTransaction == last { return }
            throw diverged(replica, "has transactions up to \(last), and \(database.path) wasn't restored from them")
        }
        if last > ownLast {
            throw diverged(replica, "is ahead: its last transaction is \(last), that of \(database.path) is \(ownLast)")
        }
        // Litestream uploads its local files unchanged.
        let local = Dictionary(own.map { ($0.maximum, $0) }, uniquingKeysWith: { $1 })
        for file in files where file.level == 0 {
            guard let local = local[file.maximum], try !isEqual(local, file, replica) else { continue }
            if !local.isWhole { throw damaged(local, replica) }
            throw diverged(replica, "has a transaction \(file.maximum) that differs from that of \(database.path)")
        }
    }

    /// Compares a local file with that of a replica: by its size, and by its checksum if the replica is a folder. The
    /// listing of a store has no checksums.
    private func isEqual(_ local: TransactionFile, _ file: ReplicaFile, _ replica: Replica) throws -> Bool {
        guard local.size == file.size else { return false }
        guard let folder = replica.address?.folder else { return true }
        let identity = TransactionFile(folder + "/ltx/0/" + file.name)?.identity
        return identity == nil || identity == local.identity
    }

    func diverged(_ replica: Replica, _ fact: String) -> ReplicationError {
        ReplicationError(
            .diverged,
            "The replica \(replica) \(fact). Uploads would replace these transactions. "
                + "Either restore the replica to a new file and use this file, or replicate to a new path. "
                + "If this database shall replace the content of the replica, call takeOver(by:).")
    }

    private func damaged(_ file: TransactionFile, _ replica: Replica) -> ReplicationError {
        ReplicationError(
            .damagedFiles,
            "Litestream's local file \(file.path) is damaged, so that the replica \(replica) can't be compared with "
                + "\(database.path). If no other machine replicates to this path, call takeOver(by:), which replaces the "
                + "local files, and start the service again.")
    }

    func isEngineFile(_ path: String) -> Bool { path.hasPrefix(engineFolder.path + "/") }

    /// Removes what Litestream knows of an earlier file at the path.
    func removeEngineFiles() throws {
        if FileManager.default.fileExists(atPath: engineFolder.path) {
            try FileManager.default.removeItem(at: engineFolder)
        }
    }

    // MARK: Files of this module

    private func createFolder() throws { try FileManager.default.createPrivateDirectory(atPath: ownFolder.path) }

    private var restoredFile: URL { ownFolder.appendingPathComponent("restored") }

    /// The transaction of the replica to which the database was restored. Nil if it wasn't restored.
    private var restoredTransaction: UInt64? {
        (try? String(contentsOf: restoredFile, encoding: .utf8)).flatMap { UInt64($0) }
    }

    func noteRestore(to transaction: UInt64) throws {
        try createFolder()
        try Data("\(transaction)".utf8).write(to: restoredFile, options: .atomic)
    }

    /// Forgets the restore of an earlier file at the path.
    func forgetRestore() throws {
        if FileManager.default.fileExists(atPath: restoredFile.path) {
            try FileManager.default.removeItem(at: restoredFile)
        }
    }

    /// Acquires the right to replicate the database, for this process.
    func lock() throws -> FileLock {
        try createFolder()
        if let lock = try FileLock(path: ownFolder.appendingPathComponent("lock").path) { return lock }
        throw ReplicationError(.inUse, "Another service replicates \(database.path).")
    }

    private var engineFile: URL { ownFolder.appendingPathComponent("engine") }

    /// Notes the folder of the engine's configuration and control socket, for a later process.
    func noteEngine(_ folder: PrivateFolder) throws {
        try Data(folder.path.utf8).write(to: engineFile, options: .atomic)
    }

    /// Waits for the end of an engine that a killed process has left, and kills it after a time.
    ///
    /// - Parameter folder: the folder of this process, if any.
    func endEarlierEngine(_ limit: Duration, _ folder: PrivateFolder? = nil) async throws {
        // A folder of another user may have any socket, which would answer with any process.
        guard let path = try? String(contentsOf: engineFile, encoding: .utf8), PrivateFolder.isOwn(path),
            path != folder?.path
        else { return }
        let socket = ControlSocket(path: path + "/" + PrivateFolder.socketName)
        let deadline = ContinuousClock.now + limit
        while let process = try? socket.information() {
            if ContinuousClock.now > deadline { kill(process.pid, SIGKILL) }
            try await Task.sleep(for: .milliseconds(50))
        }
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(at: engineFile)
    }

    func forgetEngine() { try? FileManager.default.removeItem(at: engineFile) }
}
#endif
