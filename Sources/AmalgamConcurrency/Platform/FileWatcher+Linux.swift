#if os(Linux) || os(Android)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
import AmalgamCore
import Dispatch

/// Tells when the files of a database are written, by inotify: <https://man7.org/linux/man-pages/man7/inotify.7.html>.
///
/// The database file and the WAL file are watched for writes, and their folder for files that come and go: a WAL file
/// that is created or replaced gets a watch, and a journal that is deleted is a commit. The folder is not watched for
/// writes, so that its other files cause no event. The folders around it are watched for being moved: where the process
/// must not watch one of them, each event has the path of the database checked. Nothing is opened but the inotify descriptor: closing a descriptor of
/// the database file would release the locks that SQLite holds on it (<https://sqlite.org/howtocorrupt.html>).
final class FileWatcher: @unchecked Sendable {
    // Sendable: a dispatch source may be used from any thread.
    private let files: WatchedFiles
    private let descriptor: CInt
    private let source: any DispatchSourceRead
    private let folderWatch: CInt
    private let identity: FileIdentity?

    /// The folders around the folder, that are watched.
    private let ancestorWatches: Set<CInt>

    /// Begins to watch. What happens from now on is told once the watcher is activated.
    ///
    /// - Parameters:
    ///   - path: the absolute path of a database file.
    ///   - queue: a serial queue, on which the handler runs.
    /// - throws: `SQLITE_CANTOPEN` when a limit of inotify is reached, or the folder must not be read.
    init(path: String, queue: DispatchQueue) throws {
        files = WatchedFiles(path: path)
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        if descriptor < 0 { throw Self.error(path, errno) }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        let folderMask =
            IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
        folderWatch = inotify_add_watch(descriptor, files.folder, UInt32(folderMask))
        if folderWatch < 0 { throw Self.error(files.folder, errno) }
        ancestorWatches = try Self.watch(files.ancestors, descriptor)
        identity = FileIdentity(path)
        try watchFiles()
    }

    deinit { cancel() }

    /// - Parameter handler: called after each event, or with the error that ends the watch.
    func activate(_ handler: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        source.setEventHandler { [weak self] in
            guard let self else { return }
            do {
                if try self.readEvents() { handler(.success(())) }
            } catch {
                self.cancel()
                handler(.failure(error))
            }
        }
        source.activate()
    }

    func cancel() {
        source.cancel()
        // A source that was never activated cannot be released.
        source.activate()
    }

    /// Watches folders for being moved. One that the process must not watch is left out.
    private static func watch(_ folders: [String], _ descriptor: CInt) throws -> Set<CInt> {
        var watches: Set<CInt> = []
        for folder in folders {
            let watch = inotify_add_watch(descriptor, folder, UInt32(IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD))
            if watch >= 0 {
                watches.insert(watch)
            } else if errno != EACCES && errno != ENOENT {
                throw error(folder, errno)
            }
        }
        return watches
    }

    /// - Throws: `SQLITE_READONLY_DBMOVED` when another file, or none, is at the path of the database.
    private func checkDatabase() throws {
        guard let identity, FileIdentity(files.database) == identity else { throw files.isGone }
    }

    /// Watches the files that are there. For one that has a watch already, nothing changes.
    private func watchFiles() throws {
        for path in [files.database, files.wal] {
            let watch = inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
            if watch < 0 && errno != ENOENT { throw Self.error(path, errno) }
        }
    }

    // MARK: Events

    /// Reads what has happened.
    ///
    /// - Returns: whether it may have to do with a commit.
    private func readEvents() throws -> Bool {
        var isRelevant = false
        try withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count <= 0 { return }
                var events = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                while let event = Event(&events) {
                    if try handle(event) { isRelevant = true }
                }
            }
        }
        return isRelevant
    }

    private func handle(_ event: Event) throws -> Bool {
        if event.has(IN_Q_OVERFLOW) {
            try checkDatabase()
            try watchFiles()
            return true
        }
        if event.watch == folderWatch { return try handleFolder(event) }
        if ancestorWatches.contains(event.watch) {
            if event.has(IN_MOVE_SELF) { try checkDatabase() }
            return false
        }
        if ancestorWatches.count < files.ancestors.count { try checkDatabase() }
        return event.has(IN_MODIFY)
    }

    private func handleFolder(_ event: Event) throws -> Bool {
        if event.has(IN_DELETE_SELF | IN_IGNORED | IN_UNMOUNT) { throw files.isGone }
        if event.has(IN_MOVE_SELF) {
            try checkDatabase()
            return false
        }
        switch event.name {
        case WatchedFiles.name(of: files.database):
            throw files.isGone
        case WatchedFiles.name(of: files.wal):
            // A new one may have been written before it is watched.
            try watchFiles()
            return true
        case WatchedFiles.name(of: files.journal):
            return event.has(IN_DELETE)
        default:
            return false
        }
    }

    private static func error(_ path: String, _ code: CInt) -> DatabaseError {
        let reason =
            switch code {
            case EMFILE:
                "no more inotify instances or file descriptors are allowed (EMFILE): raise fs.inotify.max_user_instances "
                    + "or the limit of open files"
            case ENOSPC: "no more inotify watches are allowed (ENOSPC): raise fs.inotify.max_user_watches"
            default: String(cString: strerror(code))
            }
        return WatchedFiles.error(path, reason)
    }
}

/// A `struct inotify_event`, and the name behind it.
private struct Event {
    let watch: CInt
    private let mask: UInt32
    let name: Substring

    /// Takes the first event of a buffer.
    init?(_ bytes: inout UnsafeRawBufferPointer) {
        let header = MemoryLayout<inotify_event>.size
        guard bytes.count >= header else { return nil }
        let event = bytes.load(as: inotify_event.self)
        let end = header + Int(event.len)
        watch = event.wd
        mask = event.mask
        name = Substring(decoding: bytes[header..<end].prefix { $0 != 0 }, as: UTF8.self)
        bytes = UnsafeRawBufferPointer(rebasing: bytes[end...])
    }

    func has(_ bits: CInt) -> Bool { mask & UInt32(bits) != 0 }
}
#endif
