import Foundation

/// Describes why a database file can't be opened, for error messages.
enum FileProblem {
    /// Returns the path of a database file and the reason why it can't be opened. If the path is a folder, or if its
    /// folder doesn't exist, also says what to do.
    ///
    /// - Parameters:
    ///   - systemError: The `errno` of the failed call, or 0 if it is unknown.
    ///   - mayCreate: Whether SQLite was asked to create a missing file.
    static func description(of path: String, systemError: CInt, mayCreate: Bool) -> String {
        "\(path): \(reason(for: path, systemError: systemError, mayCreate: mayCreate))"
    }

    private static func reason(for path: String, systemError: CInt, mayCreate: Bool) -> String {
        if isFolder(path) { return "it is a folder: give the path of a file" }
        let folder = folder(of: path)
        if !FileManager.default.fileExists(atPath: folder) {
            return "the folder \(folder) doesn't exist: create it first"
        }
        if !isFolder(folder) { return "\(folder) is a file, and can't contain the database" }
        switch systemError {
        case EACCES, EPERM: return "the process has no permission to open it"
        // If the system doesn't let SQLite create the file, SQLite tries to open it for reading. This is the second error.
        case ENOENT where mayCreate:
            return FileManager.default.isWritableFile(atPath: folder)
                ? "the file doesn't exist, and can't be created"
                : "the file doesn't exist, and the process has no permission to create files in \(folder)"
        case ENOENT: return "the file doesn't exist"
        case 0: return "the system gives no reason"
        default: return String(cString: strerror(systemError))
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func folder(of path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return FileManager.default.currentDirectoryPath }
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}
