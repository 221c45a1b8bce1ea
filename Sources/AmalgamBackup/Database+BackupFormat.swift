import AmalgamCore
import CAmalgam

// The page size and the text encoding of a database whose content a backup replaces.
extension Database {
    /// Runs a closure that replaces the content of a schema by a backup.
    ///
    /// SQLite can't change the page size of a database in WAL mode. If the destination is in WAL mode and has no content
    /// yet, as the file of a new pool, the closure runs in another journal mode. The tables of the audit log, which an
    /// audited connection creates when it is opened, aren't content.
    ///
    /// - Throws: the error of the closure, or of the return to WAL mode.
    func withPageSize<T>(
        of source: Database, _ sourceSchema: String, in schema: String, _ body: () throws -> T
    ) throws -> T {
        guard try mustLeaveWAL(for: source, sourceSchema, in: schema) else { return try body() }
        let pragma = "PRAGMA \(schema.quotedDatabaseIdentifier).journal_mode"
        // If another connection uses the file, the mode stays, and the backup throws the error of the page sizes.
        _ = try? String.fetchOne(self, sql: "\(pragma) = DELETE")
        let result = Result { try body() }
        let mode = Result { try String.fetchOne(self, sql: "\(pragma) = WAL") }
        // If both have failed, the caller needs the error of the backup.
        let value = try result.get()
        if try mode.get() != "wal" { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        return value
    }

    /// - Returns: false for databases that can't be read, whose errors the backup throws.
    /// - Throws: `SQLITE_BUSY`
    private func mustLeaveWAL(for source: Database, _ sourceSchema: String, in schema: String) throws -> Bool {
        let (name, sourceName) = (schema.quotedDatabaseIdentifier, sourceSchema.quotedDatabaseIdentifier)
        guard filePath(schema) != nil,
            // Before its first read, a connection doesn't know the page size of its file.
            try Self.ifReadable({
                try source.makeStatement(sql: "SELECT rootpage FROM \(sourceName).sqlite_master LIMIT 1").execute()
            }) != nil,
            try Self.ifReadable({ try String.fetchOne(self, sql: "PRAGMA \(name).journal_mode") }) == "wal",
            try Self.ifReadable({ try Int.fetchOne(self, sql: Self.contentCount(in: name)) }) == 0
        else { return false }
        return amalgam_page_size(source.sqliteConnection, sourceSchema) != amalgam_page_size(sqliteConnection, schema)
    }

    /// The SQL that counts the schema objects of a schema, except those of the audit log and of SQLite.
    private static func contentCount(in quotedSchema: String) -> String {
        """
        SELECT COUNT(*) FROM \(quotedSchema).sqlite_master
        WHERE tbl_name NOT GLOB 'amalgam_audit*' AND tbl_name NOT GLOB 'sqlite_*'
        """
    }

    /// Returns nil if reading fails, but throws `SQLITE_BUSY` after a connection has waited for a lock. Otherwise, the
    /// backup would wait again.
    private static func ifReadable<T>(_ body: () throws -> T?) throws -> T? {
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw error
        } catch {
            return nil
        }
    }

    /// Throws if the content of a schema can't have another text encoding, because all schemas of a connection must have
    /// the same encoding.
    ///
    /// - Throws: `SQLITE_ERROR`; `SQLITE_BUSY`
    func checkEncoding(of source: Database, in schema: String) throws {
        // The first statement makes SQLite read the encoding. Content that can't be read is replaced nevertheless.
        for db in [self, source] { _ = try Self.ifReadable { try db.makeStatement(sql: "SELECT 1") } }
        if textEncoding == source.textEncoding { return }
        let count = (try? Int.fetchOne(self, sql: "SELECT COUNT(*) FROM pragma_database_list")) ?? 1
        if count == 1 && schema.equalsIgnoringCase("main") { return }
        throw DatabaseError(
            message: """
                The text encoding of the source differs from that of the destination, and all databases of a \
                connection must have the same encoding. Use a destination without attached databases and temporary \
                tables.
                """)
    }

    /// Called after the content of the database was replaced. SQLite reads the text encoding only once, and would refuse
    /// to read content with another encoding.
    func contentEncodingMayHaveChanged() {
        if let sqliteConnection { amalgam_forget_encoding(sqliteConnection) }
    }
}
