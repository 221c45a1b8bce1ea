import Amalgam

/// The tables of the database, and the check that a database belongs to this application.
enum Schema {
    /// `PRAGMA application_id`: "Amlg".
    private static let applicationID = 0x416D_6C67

    /// The version of the schema, which `PRAGMA user_version` stores.
    private static let version = 3

    /// The body is the last column: SQLite reads the columns before it without reading the pages that contain the text.
    ///
    /// The full-text index stores no text: it reads `document`. Triggers update the index after updates and deletions.
    /// There is none for insertions: FTS5 writes its pending terms to the file whenever a statement with such a trigger
    /// begins, so indexing a new folder would take 50 % longer. Code that inserts a document also adds it to the index.
    ///
    /// Its rank is a better one for matches in titles and paths. The ranking of queries with typos has the same weights.
    ///
    /// The index contains the stems of words, so that `otter` also finds `otters`. Suggestions need whole words: these
    /// are in a second index, which only knows which documents contain them. It makes indexing a third longer.
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
        INSERT INTO documentText (documentText, rank) VALUES ('rank', 'bm25(8.0, 4.0)');
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

    /// Checks that a database is empty, or belongs to this application.
    ///
    /// - Throws: a `Failure` if the database has a different content.
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
