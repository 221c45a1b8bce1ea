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

/// Reports writes to the files of a database, with inotify: <https://man7.org/linux/man-pages/man7/inotify.7.html>.
///
/// The database file and the WAL file are watched for writes. Their folder is watched for created and deleted files: a
/// new WAL file gets a watch, and the deletion of a journal is a commit. Writes to other files of the folder aren't
/// reported. The enclosing folders are watched for moves. If one of the enclosing folders can't be watched, each write
/// to a watched file causes a check whether the path of the database still leads to the same file. The database file
/// isn't opened, because closing a descriptor would release SQLite's locks on the file
/// (<https://sqlite.org/howtocorrupt.html>).
final class FileWatcher: @unchecked Sendable {
    // Sendable: a dispatch source may be used from any thread.
    private let files: WatchedFiles
    private let descriptor: CInt
    private let source: any DispatchSourceRead
    private let folderWatch: CInt
    private let identity: FileIdentity?

    /// The watches of the enclosing folders.
    private let ancestorWatches: Set<CInt>

    /// Starts to watch the files. Events are reported after the watcher is activated.
    ///
    /// - Parameters:
    ///   - path: the absolute path of a database file.
    ///   - queue: a serial queue, on which the handler runs.
    /// - Throws: `SQLITE_CANTOPEN` if a limit of inotify is reached, or the folder can't be read.
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

    /// - Parameter handler: called after each event, and with the error that ends the watch, if any.
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
        // Dispatch traps when a source is released that was never activated.
        source.activate()
    }

    /// Watches folders for moves. Skips folders that the process can't watch.
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

    /// - Throws: `SQLITE_READONLY_DBMOVED` if the database file was moved, replaced or removed.
    private func checkDatabase() throws {
        guard let identity, FileIdentity(files.database) == identity else { throw files.isGone }
    }

    /// Watches the existing files. A file that is already watched keeps its watch.
    private func watchFiles() throws {
        for path in [files.database, files.wal] {
            let watch = inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
            if watch < 0 && errno != ENOENT { throw Self.error(path, errno) }
        }
    }

    // MARK: Events

    /// Reads the pending events.
    ///
    /// - Returns: whether one of the events may belong to a commit.
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
            // A new file may have been written before it is watched, so its creation counts as a write.
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

/// A `struct inotify_event`, and the file name after it.
private struct Event {
    let watch: CInt
    private let mask: UInt32
    let name: Substring

    /// Removes and decodes the first event of a buffer.
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
