import CAmalgam

/// The file that a connection has open. Further connections open the same file by this value.
///
/// The path that the application passed may lead to another file later: after a change of the working folder or of a
/// symbolic link, and after the file was moved or replaced. `path` is absolute, and has no symbolic links. The identity
/// detects a moved or replaced file.
package struct DatabaseFile: Sendable {
    package let path: String
    let identity: FileIdentity?

    /// Checks that a connection has opened this file, and no other file.
    ///
    /// - Throws: `SQLITE_READONLY_DBMOVED` if the file was moved or replaced.
    func check(_ connection: SQLiteConnection) throws {
        guard let identity, FileIdentity(connection, "main", path) != identity else { return }
        throw DatabaseError(
            resultCode: .SQLITE_READONLY_DBMOVED,
            message: "the file \(path) was moved or replaced while a connection had it open")
    }
}

extension Database {
    /// The file of the main database; nil if the database is temporary or in memory, or if the connection is closed.
    package var file: DatabaseFile? {
        filePath().map { DatabaseFile(path: $0, identity: fileIdentity()) }
    }

    /// Returns the identity of a schema's file; nil if the schema has no file, or if the connection is closed.
    package func fileIdentity(_ schema: String = "main") -> FileIdentity? {
        guard let sqliteConnection, let path = filePath(schema) else { return nil }
        return FileIdentity(sqliteConnection, schema, path)
    }
}

extension FileIdentity {
    /// Asks for the identity of a connection's file: by SQLite's descriptor, or by the path for the VFS of an application.
    fileprivate init?(_ connection: SQLiteConnection, _ schema: String, _ path: String) {
        var identity = amalgam_file_identity()
        if amalgam_file_identify(connection, schema, &identity) != 0 {
            self.init(device: identity.device, number: identity.number)
        } else {
            self.init(path)
        }
    }
}
