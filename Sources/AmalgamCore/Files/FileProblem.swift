import Foundation

/// Describes why a database file can't be opened, for error messages.
enum FileProblem {
    /// Returns the path of a database file and the reason why it can't be opened. If the path is a folder, or if its
    /// folder doesn't exist, also says what to do.
    ///
    /// - Parameter systemError: The `errno` of the failed call, or 0 if it is unknown.
    static func description(of path: String, systemError: CInt) -> String {
        "\(path): \(reason(for: path, systemError: systemError))"
    }

    private static func reason(for path: String, systemError: CInt) -> String {
        if isFolder(path) { return "it is a folder: give the path of a file" }
        let folder = folder(of: path)
        if !FileManager.default.fileExists(atPath: folder) {
            return "the folder \(folder) doesn't exist: create it first"
        }
        if !isFolder(folder) { return "\(folder) is a file, and can't contain the database" }
        switch systemError {
        case EACCES, EPERM: return "the process has no permission to open it"
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
