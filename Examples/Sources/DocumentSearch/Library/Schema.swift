import Amalgam

/// The tables of the database, and how a database is recognised as ours.
enum Schema {
    /// `PRAGMA application_id`: "Amlg".
    private static let applicationID = 0x416D_6C67

    /// `PRAGMA user_version`.
    private static let version = 2

    /// The body comes last: SQLite reads the columns before it without a look at the pages that hold the text.
    ///
    /// The full-text index stores no text of its own: it reads `document`. Triggers keep the index in step with updates and
    /// deletions. There is none for insertions: FTS5 writes its pending terms to the file whenever a statement with such a
    /// trigger begins, which made the indexing of a new folder half as long again. Who inserts a document adds it to the
    /// index as well.
    ///
    /// The index has the stems of words, so that people find `otters` for `otter`. Suggestions are whole words: these are in
    /// a second index, which knows which documents have them, and nothing more. It makes indexing a third longer.
    private static let sql = """
        CREATE TABLE document (
            id INTEGER PRIMARY KEY,
            path TEXT NOT NULL UNIQUE,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            hash INTEGER NOT NULL,
            title TEXT NOT NULL,
            metadata TEXT NOT NULL CHECK (json_valid(metadata)),
            body TEXT NOT NULL
        ) STRICT;

        CREATE VIRTUAL TABLE documentText USING fts5 (
            title, path, body, content = 'document', content_rowid = 'id', tokenize = 'porter unicode61'
        );
        CREATE VIRTUAL TABLE documentWords USING fts5 (
            title, body, content = 'document', content_rowid = 'id', detail = none, columnsize = 0
        );
        CREATE VIRTUAL TABLE documentTerms USING fts5vocab ('documentWords', 'row');

        CREATE TRIGGER documentDeleted AFTER DELETE ON document BEGIN
            INSERT INTO documentText (documentText, rowid, title, path, body)
            VALUES ('delete', old.id, old.title, old.path, old.body);
            INSERT INTO documentWords (documentWords, rowid, title, body)
            VALUES ('delete', old.id, old.title, old.body);
        END;
        CREATE TRIGGER documentUpdated AFTER UPDATE OF title, path, body ON document BEGIN
            INSERT INTO documentText (documentText, rowid, title, path, body)
            VALUES ('delete', old.id, old.title, old.path, old.body);
            INSERT INTO documentText (rowid, title, path, body) VALUES (new.id, new.title, new.path, new.body);
            INSERT INTO documentWords (documentWords, rowid, title, body)
            VALUES ('delete', old.id, old.title, old.body);
            INSERT INTO documentWords (rowid, title, body) VALUES (new.id, new.title, new.body);
        END;

        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    static func create(_ db: Database) throws {
        if try Int.fetchOne(db, sql: "PRAGMA user_version") != version { try db.execute(sql: sql) }
    }

    /// - throws: a `Failure` for a database that holds something else.
    static func checkIdentity(_ db: Database) throws {
        if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 { return }
        guard try Int.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
            throw Failure("This database belongs to another program.", advice: "Choose another file for --db.")
        }
        guard try Int.fetchOne(db, sql: "PRAGMA user_version") == version else {
            throw Failure("This database was made by another version.", advice: "Choose another file for --db.")
        }
    }
}
