#if canImport(Darwin)
import AmalgamCore
import Darwin
import Dispatch
import Synchronization

/// Reports writes to the files of a database, with dispatch sources over kqueue.
///
/// The folder, the WAL file and the rollback journal are watched for writes, and the enclosing folders for moves. The
/// database file isn't watched: a watch needs a descriptor, and closing a descriptor of the database file would release
/// SQLite's locks on the file (<https://sqlite.org/howtocorrupt.html>). The WAL file and the journal have no locks.
final class FileWatcher: @unchecked Sendable {
    // Sendable: the sources are guarded by a mutex, and may be used from any thread.
    private typealias Source = any DispatchSourceFileSystemObject

    private struct State: @unchecked Sendable {
        /// The sources by path.
        var sources: [String: Source] = [:]
        var handler: (@Sendable (Result<Void, any Error>) -> Void)?
        var isCancelled = false
    }

    private let files: WatchedFiles
    private let identity: FileIdentity?
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// Starts to watch the files.
    ///
    /// - Parameters:
    ///   - path: the absolute path of a database file.
    ///   - queue: a serial queue, on which the handler runs.
    /// - Throws: `SQLITE_CANTOPEN` if the process can't open more files, or can't open the folder.
    init(path: String, queue: DispatchQueue) throws {
        files = WatchedFiles(path: path)
        identity = FileIdentity(path)
        self.queue = queue
        try watchAll()
    }

    deinit { cancel() }

    /// - Parameter handler: called after each event, and with the error that ends the watch, if any.
    func activate(_ handler: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        state.withLock { $0.handler = handler }
    }

    func cancel() {
        let sources = state.withLock { state in
            state.isCancelled = true
            state.handler = nil
            defer { state.sources = [:] }
            return Array(state.sources.values)
        }
        for source in sources { source.cancel() }
    }

    // MARK: Watches

    /// Watches the existing files that aren't watched yet.
    private func watchAll() throws {
        let written: DispatchSource.FileSystemEvent = [.write, .extend]
        try watch(files.folder, written, isRequired: true)
        try watch(files.wal, written, isRequired: false)
        try watch(files.journal, written, isRequired: false)
        for folder in files.ancestors { try watch(folder, [], isRequired: false) }
    }

    private func watch(
        _ path: String, _ events: DispatchSource.FileSystemEvent, isRequired: Bool
    ) throws {
        if state.withLock({ $0.isCancelled || $0.sources[path] != nil }) { return }
        // A close releases the locks of the process on the file. SQLite takes none on a WAL file or a journal.
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
        if descriptor < 0 {
            if !isRequired && (errno == ENOENT || errno == EACCES || errno == EPERM) { return }
            throw WatchedFiles.error(path, String(cString: strerror(errno)))
        }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: events.union([.delete, .rename, .revoke]), queue: queue)
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in self?.filesDidChange(path) }
        state.withLock { $0.sources[path] = source }
        source.activate()
    }

    /// - Throws: `SQLITE_READONLY_DBMOVED` if the database file was moved, replaced or removed.
    private func checkDatabase() throws {
        guard let identity, FileIdentity(files.database) == identity else { throw files.isGone }
    }

    /// Stops watching a file that was moved or removed.
    private func unwatchIfGone(_ path: String) throws {
        let source = state.withLock { $0.sources[path] }
        guard let source, !source.data.isDisjoint(with: [.delete, .rename, .revoke]) else { return }
        state.withLock { $0.sources[path] = nil }
        source.cancel()
        if path == files.folder { throw files.isGone }
    }

    private func filesDidChange(_ path: String) {
        let handler = state.withLock { $0.handler }
        do {
            try unwatchIfGone(path)
            if path == files.folder || files.ancestors.contains(path) { try checkDatabase() }
            // A new file may have been written before it is watched, so its creation counts as a write.
            try watchAll()
            handler?(.success(()))
        } catch {
            cancel()
            handler?(.failure(error))
        }
    }
}
#endif
