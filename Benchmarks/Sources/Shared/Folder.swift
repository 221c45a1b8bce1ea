import Foundation

/// The folder that all programs share for one benchmark: fixtures that are created once, and each program's own files.
struct Folder {
    var path: String

    func path(of file: String) -> String {
        "\(path)/\(file)"
    }

    /// Returns the path of a database with the content of `script`. The first program that needs it creates it.
    ///
    /// It is filled under another name, so that a stopped program doesn't leave an incomplete fixture behind.
    func fixture(_ file: String, script: [String]) throws -> String {
        let path = path(of: file)
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let draft = try fresh(file + ".draft")
        let queue = try DatabaseQueue(path: draft, configuration: .unsynchronized)
        try queue.writeWithoutTransaction { db in
            for sql in script { try db.execute(sql: sql) }
        }
        try queue.close()
        try FileManager.default.moveItem(atPath: draft, toPath: path)
        return path
    }

    /// Returns the path of a database that doesn't exist yet.
    func fresh(_ file: String) throws -> String {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let path = path(of: file + suffix)
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        }
        return path(of: file)
    }
}
