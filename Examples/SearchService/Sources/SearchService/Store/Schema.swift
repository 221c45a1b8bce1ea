import Amalgam

/// The tables of the database.
struct Schema {
    /// `PRAGMA application_id`: "AmSS".
    static let applicationID = 0x416D_5353

    /// The tokenizer of the full-text index.
    let tokenizer: FTS5TokenizerDescriptor

    var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("documents") { db in
            try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
            try Self.createDocuments(db)
            try Self.createRevisions(db)
            try createIndexes(db)
        }
        return migrator
    }

    /// The body is the last column: SQLite reads the other columns without reading the pages of the text.
    ///
    /// Identifiers aren't used again, because the history of a deleted document remains in the audit log.
    private static func createDocuments(_ db: Database) throws {
        try db.create(table: "document", options: .strict) { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("path", .text).notNull().unique()
            t.column("language", .text)
            t.column("modified", .text).notNull().indexed()
            t.column("title", .text).notNull().indexed()
            t.column("metadata", .text).notNull().check { Database.jsonIsValid($0) }
            t.column("body", .text).notNull()
        }
        try db.create(table: "source", options: .strict) { t in
            t.primaryKey("documentID", .integer).references("document", onDelete: .cascade)
            t.column("size", .integer).notNull()
            t.column("modified", .integer).notNull()
            t.column("hash", .integer).notNull()
        }
        try db.create(table: "setting", options: .strict) { t in
            t.primaryKey("name", .text)
            t.column("value", .text).notNull()
        }
    }

    private static func createRevisions(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE revision (
                    documentID INTEGER PRIMARY KEY REFERENCES document ON DELETE CASCADE,
                    version INTEGER NOT NULL
                ) STRICT;
                CREATE TRIGGER documentInserted AFTER INSERT ON document BEGIN
                    INSERT INTO revision (documentID, version) VALUES (new.id, 1);
                END;
                CREATE TRIGGER documentUpdated AFTER UPDATE ON document BEGIN
                    UPDATE revision SET version = version + 1 WHERE documentID = new.id;
                END;
                """)
    }

    /// The first index is for searching, also for the first letters of a word. It contains stems, so the second one
    /// contains whole words, for suggestions. The second one only knows which documents contain a word, which makes it
    /// small.
    private func createIndexes(_ db: Database) throws {
        try db.create(virtualTable: "documentText", using: FTS5()) { t in
            t.tokenizer = tokenizer
            t.synchronize(withTable: "document", localeColumn: "language")
            t.prefixes = [1, 2, 3]
            t.column("title")
            t.column("body")
            t.settings = [.rank(.bm25([8, 1]))]
        }
        try db.create(virtualTable: "documentWords", using: FTS5()) { t in
            t.synchronize(withTable: "document")
            t.column("title")
            t.column("body")
            t.detail = "none"
            t.columnSize = 0
        }
        try db.create(virtualTable: "documentTerms", using: FTS5VocabTable(of: "documentWords"))
    }
}
