package import AmalgamCore
import CAmalgam
package import Foundation

// The connections of dry runs and other rehearsals, which must not change the files of the application.
extension Database {
    /// Replaces each attached file by a copy, and makes later `ATTACH` statements open their files read-only.
    ///
    /// The copies are new files in a folder, which the caller removes after the close. An encrypted file is copied to
    /// memory instead, because its key isn't known, and its content must not be written as clear text.
    ///
    /// - Throws: `SQLITE_BUSY` if an attached file is locked; errors of copying.
    package func replaceAttachedFiles(byCopiesIn folder: URL) throws {
        let schemas = try Row.fetchAll(self, sql: "PRAGMA database_list")
        for schema in schemas {
            let name: String = schema["name"]
            if name == "main" || filePath(name) == nil { continue }
            try replaceAttachedFile(name, byCopyIn: folder)
        }
        set(SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false)
    }

    private func replaceAttachedFile(_ name: String, byCopyIn folder: URL) throws {
        if amalgam_cipher_reserve(sqliteConnection, name) > 0 {
            let bytes = try serialize(schema: name)
            try attach(":memory:", replacing: name)
            if !bytes.isEmpty { try deserialize(bytes, schema: name) }
        } else {
            let path = folder.appendingPathComponent(UUID().uuidString + ".sqlite").path
            try copyFile(of: name, to: path)
            try attach(path, replacing: name)
        }
    }

    private func copyFile(of schema: String, to path: String) throws {
        let copy = try Database(path: path, description: "\(description).\(schema)", configuration: Configuration())
        defer { copy.close() }
        try copy.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        try withBackup(to: copy, schema: schema) { backup in
            while try !backup.step().isCompleted {}
        }
    }

    private func attach(_ path: String, replacing schema: String) throws {
        let name = schema.quotedDatabaseIdentifier
        // With SQLCipher, the empty key stands for a file without encryption. Without SQLCipher, it has no meaning.
        try execute(sql: "DETACH DATABASE \(name); ATTACH DATABASE ? AS \(name) KEY ''", arguments: [path])
    }
}
