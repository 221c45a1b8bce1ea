internal import AmalgamCore

/// Notes the columns of redacted tables after each statement that changes the schema, so that a renamed column is known.
///
/// Like its connection, the object is used by one thread at a time.
final class RedactedColumnObserver: DatabaseAttachment {
    private static let key = AttachmentKey<RedactedColumnObserver>()

    // Unsafe for speed: the database owns its attachments.
    private unowned(unsafe) let database: Database

    private init(_ database: Database) { self.database = database }

    /// Notes the current columns of a connection, and those after later changes of the schema.
    ///
    /// - Throws: an error of reading the schema.
    static func observe(_ db: Database) throws {
        // Makes SQLite compare the schema in memory with the file.
        _ = try db.tableExists("sqlite_master", in: "main")
        db.attachment(key, orInsert: RedactedColumnObserver(db)).schemaDidChange()
    }

    func schemaDidChange() { database.auditRecorder?.trail.noteColumns(database) }

    /// A commit makes the states before the last one obsolete.
    func accessDidEnd() {
        guard let trail = database.auditRecorder?.trail, trail.rules.hasSeveralSchemaStates else { return }
        trail.noteColumns(database)
    }
}
