import Amalgam
import Foundation

extension SearchService {
    /// Makes a key, and stores its hash in a file.
    ///
    /// - Returns: the key.
    /// - Throws: a `ServiceError` if the file can't be written.
    public static func makeKey(at file: URL) throws -> String { try AccessKey.create(at: file) }

    /// Replaces the content of a database with that of a backup. The backup is checked first.
    ///
    /// - Throws: a `ServiceError` if the backup is damaged, or belongs to another program; then the database stays.
    public static func restore(_ backup: String, to database: String) throws {
        guard FileManager.default.fileExists(atPath: backup) else { throw ServiceError("There is no file \(backup).") }
        var configuration = Configuration()
        configuration.readonly = true
        let source = try DatabaseQueue(path: backup, configuration: configuration)
        try source.read { db in
            try Store.checkIdentity(db)
            let problems = try String.fetchAll(db, sql: "PRAGMA quick_check(1)")
            if problems != ["ok"] { throw ServiceError("The backup is damaged: \(problems.first ?? "")") }
        }
        let destination = try DatabaseQueue(path: database)
        try source.backup(to: destination)
        try destination.close()
        try source.close()
    }
}
