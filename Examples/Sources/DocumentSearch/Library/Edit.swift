import Amalgam
import Foundation

extension Library {
    /// Edits documents on behalf of the user. The audit log records the changes, and is committed with the edit, or not
    /// at all.
    ///
    /// Indexing isn't audited: its content is in the files, and the log would store it again.
    func edit<T>(reason: String, _ body: (Database) throws -> T) throws -> T {
        try pool.write { db in
            try db.audit(.table(Document.databaseTableName))
            defer { try? db.stopAuditing(Document.databaseTableName) }
            return try db.auditing(as: NSUserName(), reason: reason) { try body(db) }
        }
    }
}
