import AmalgamCore

/// The paths of the files whose changes may be commits to a database.
struct WatchedFiles: Sendable {
    let folder: String
    let database: String
    let wal: String
    let journal: String

    /// The folders that enclose `folder`, except for the root, which can't be moved.
    let ancestors: [String]

    /// - Parameter path: the absolute path of the database file.
    init(path: String) {
        database = path
        wal = path + "-wal"
        journal = path + "-journal"
        let end = path.lastIndex(of: "/") ?? path.startIndex
        folder = end == path.startIndex ? "/" : String(path[..<end])
        ancestors = Self.ancestors(of: folder)
    }

    private static func ancestors(of folder: String) -> [String] {
        var ancestors: [String] = []
        var rest = folder[...]
        while let end = rest.lastIndex(of: "/"), end != rest.startIndex {
            rest = rest[..<end]
            ancestors.append(String(rest))
        }
        return ancestors
    }

    static func name(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    }

    /// The error for a file that the system can't watch.
    static func error(_ path: String, _ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "cannot watch \(path): \(reason)")
    }

    /// The error for a database file that was moved, replaced or removed. Processes that open the path of the database
    /// afterwards don't use this file, so their commits can't be reported.
    var isGone: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_READONLY_DBMOVED,
            message: "cannot watch \(database): the file was moved, replaced or removed")
    }
}
