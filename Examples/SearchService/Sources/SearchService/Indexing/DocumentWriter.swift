import Amalgam

/// Writes documents of a corpus to the database, inside one transaction.
///
/// New documents aren't audited: the log would store their text a second time. Changes and deletions are, so that an edit
/// that is replaced by a new version of the file isn't lost.
struct DocumentWriter {
    private struct Known: Decodable, FetchableRecord {
        var id: Int64
        var hash: Int64
    }

    private let db: Database
    private let find: Statement
    private let insert: Statement
    private let update: Statement
    private let saveSource: Statement

    init(_ db: Database) throws {
        self.db = db
        find = try db.makeStatement(
            sql: "SELECT id, hash FROM document JOIN source ON documentID = id WHERE path = ?")
        insert = try db.makeStatement(
            sql: """
                INSERT INTO document (path, language, modified, title, metadata, body)
                VALUES (:path, :language, :modified, :title, :metadata, :body)
                """)
        update = try db.makeStatement(
            sql: """
                UPDATE document SET language = :language, modified = :modified, title = :title, metadata = :metadata,
                    body = :body
                WHERE path = :path
                """)
        saveSource = try db.makeStatement(
            sql: """
                INSERT INTO source (documentID, size, modified, hash) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET size = excluded.size, modified = excluded.modified, hash = excluded.hash
                """)
    }

    /// Inserts or updates documents. If several have one path, the last one counts.
    ///
    /// - Returns: the identifiers of the documents.
    func save(_ documents: [IndexedDocument]) throws -> [Int64] {
        var ids: [Int64] = []
        var new: [IndexedDocument] = []
        var paths = Set<String>()
        for document in documents.reversed().filter({ paths.insert($0.path).inserted }).reversed() {
            if let id = try saveKnown(document) { ids.append(id) } else { new.append(document) }
        }
        try withoutAudit {
            for document in new { ids.append(try saveNew(document)) }
        }
        return ids
    }

    func delete(_ ids: some Sequence<Int64>) throws {
        try db.auditing(as: "indexer", reason: "the source was deleted") {
            for id in ids { _ = try Document.deleteOne(db, key: id) }
        }
    }

    /// - Returns: nil if no document has this path.
    private func saveKnown(_ document: IndexedDocument) throws -> Int64? {
        guard let known = try Known.fetchOne(find, arguments: [document.path]) else { return nil }
        if known.hash != document.hash {
            try db.auditing(as: "indexer", reason: "the source has changed") {
                try update.execute(arguments: arguments(document))
            }
        }
        try saveSource(document, id: known.id)
        return known.id
    }

    private func saveNew(_ document: IndexedDocument) throws -> Int64 {
        try insert.execute(arguments: arguments(document))
        let id = db.lastInsertedRowID
        try saveSource(document, id: id)
        return id
    }

    private func saveSource(_ document: IndexedDocument, id: Int64) throws {
        try saveSource.execute(
            arguments: [id, document.stamp.size, document.stamp.modified, document.hash])
    }

    private func arguments(_ document: IndexedDocument) -> StatementArguments {
        [
            "path": document.path, "language": document.language, "modified": document.modified,
            "title": document.title, "metadata": document.metadata, "body": document.body,
        ]
    }

    private func withoutAudit(_ body: () throws -> Void) throws {
        try db.stopAuditing("document")
        do {
            try body()
        } catch {
            try db.audit(Store.auditedDocuments)
            throw error
        }
        try db.audit(Store.auditedDocuments)
    }
}
