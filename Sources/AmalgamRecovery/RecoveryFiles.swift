import AmalgamCore
import CAmalgam
import Foundation

/// The files of one recovery: a private folder next to the new file, with the copies of the damaged file, its WAL file and its
/// journal, and with the result until it is moved to its path. Only SQLite opens the files.
struct RecoveryFiles {
    private let source: String
    private let target: String
    private let folder: String

    /// The path of the copy of the damaged file.
    var copy: String { folder + "/damaged.sqlite" }

    /// The path of the result before the end.
    var result: String { folder + "/recovered.sqlite" }

    private static let suffixes = ["", "-wal", "-journal", "-shm"]

    init(from source: String, into target: String) throws {
        if !SQLiteBuild.hasRecovery { throw Self.notBuilt }
        try Self.check(source)
        try Self.check(target)
        self.source = source
        self.target = Self.absolute(target)
        for suffix in Self.suffixes where Self.exists(self.target + suffix) {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "There is a file at \(self.target + suffix) already: a recovery writes to a new one.")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder), !isFolder.boolValue else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "There is no file at \(source).")
        }
        folder = self.target + "-recovery-" + UUID().uuidString.prefix(8)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "A folder for the recovery can't be created at \(folder): \(error.localizedDescription)")
        }
    }

    private static let notBuilt = DatabaseError(
        resultCode: .SQLITE_ERROR,
        message: """
            This build of SQLite has no recovery of damaged files, which needs SQLite's canonical source tree and the option \
            ENABLE_DBPAGE_VTAB: run scripts/bootstrap --default, and build again.
            """)

    private static func check(_ path: String) throws {
        if path.isEmpty || path == ":memory:" || path.utf8.contains(0) {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "A recovery needs the path of a file.")
        }
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Whether there is a file or a symbolic link at a path.
    private static func exists(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }

    /// Copies the damaged file.
    ///
    /// - Parameter progress: Receives the copied fraction. If it throws, the copy ends.
    /// - Returns: The number of bytes that can't be read.
    func copyDamagedFile(_ progress: (Double) throws -> Void) throws -> Int {
        try withoutActuallyEscaping(progress) { progress in
            let observer = CopyObserver(progress)
            var unreadableByteCount: Int64 = 0
            let code = amalgam_recover_copy(
                source, copy, Unmanaged.passUnretained(observer).toOpaque(),
                { owner, copied, total in
                    Unmanaged<CopyObserver>.fromOpaque(owner!).takeUnretainedValue().goesOn(copied, total) ? 1 : 0
                }, &unreadableByteCount)
            if let error = observer.error { throw error }
            if code != SQLITE_OK {
                var error = DatabaseError(code: code)
                error.context = source
                throw error
            }
            return Int(unreadableByteCount)
        }
    }

    /// Moves the result to its path, with the permissions of the damaged file.
    func moveResult() throws {
        let manager = FileManager.default
        // The attributes of a symbolic link are its own.
        let file = URL(fileURLWithPath: source).resolvingSymlinksInPath().path
        if let permissions = (try? manager.attributesOfItem(atPath: file))?[.posixPermissions] {
            try? manager.setAttributes([.posixPermissions: permissions], ofItemAtPath: result)
        }
        do {
            try manager.moveItem(atPath: result, toPath: target)
        } catch {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "The recovered file can't be moved to \(target): \(error.localizedDescription)")
        }
    }

    func removeFolder() { try? FileManager.default.removeItem(atPath: folder) }
}

/// Passes the progress of a copy to a closure, and stores its error.
private final class CopyObserver {
    private let progress: (Double) throws -> Void
    private(set) var error: (any Error)?

    init(_ progress: @escaping (Double) throws -> Void) { self.progress = progress }

    func goesOn(_ copied: Int64, _ total: Int64) -> Bool {
        do {
            try progress(total > 0 ? Double(copied) / Double(total) : 1)
            return true
        } catch {
            self.error = error
            return false
        }
    }
}
