import Amalgam

/// The progress of the indexing.
struct IndexProgress {
    var files = 0
    var totalFiles: Int
    /// The number of indexed bytes.
    var bytes = 0
    var documents = 0
}

/// The results of the indexing.
struct IndexSummary {
    var added = 0
    var changed = 0
    var unchanged = 0
    var removed = 0
    var skipped: [TextFile.Skip: Int] = [:]
    var bytes = 0
    var duration = Duration.zero

    var indexed: Int { added + changed }
}

extension Library {
    /// Updates the documents to match the files of a folder, in one transaction.
    ///
    /// Files with an unchanged size and modification time are skipped, without being read. Documents are removed if
    /// their files can't be read any more, or don't exist.
    func index(folder: String, progress: (IndexProgress) -> Void) throws -> IndexSummary {
        let start = ContinuousClock.now
        let list = try FileList(folder: folder)
        var summary = try pool.write { db in
            let indexer = try Indexer(db)
            var state = IndexProgress(totalFiles: list.files.count)
            for file in list.files {
                try indexer.visit(file)
                state.files += 1
                state.bytes = indexer.summary.bytes
                state.documents = indexer.summary.indexed
                progress(state)
            }
            try indexer.removeVanished()
            return indexer.summary
        }
        summary.skipped[.unreadable, default: 0] += list.unreadableCount
        summary.duration = start.duration(to: .now)
        return summary
    }
}

/// Writes files to the database, inside one transaction.
private final class Indexer {
    private struct Known: Decodable, FetchableRecord {
        var path: String
        var id: Int64
        var size: Int
        var modified: Int64
        var hash: Int64
    }

    private(set) var summary = IndexSummary()

    /// The documents whose file hasn't been visited yet.
    private var known: [String: Known] = [:]

    private let db: Database
    private let insert: Statement
    private let addToIndexes: [Statement]
    private let update: Statement
    private let touch: Statement
    private let remove: Statement

    init(_ db: Database) throws {
        self.db = db
        insert = try db.makeStatement(
            sql: """
                INSERT INTO document (path, size, modified, hash, title, metadata, body)
                VALUES (:path, :size, :modified, :hash, :title, :metadata, :body)
                """)
        addToIndexes = try [
            "INSERT INTO documentText (rowid, title, path, body) SELECT id, title, path, body FROM document WHERE id = ?",
            "INSERT INTO documentWords (rowid, title, body) SELECT id, title, body FROM document WHERE id = ?",
        ].map { try db.makeStatement(sql: $0) }
        update = try db.makeStatement(
            sql: """
                UPDATE document SET size = :size, modified = :modified, hash = :hash,
                    title = :title, metadata = :metadata, body = :body
                WHERE path = :path
                """)
        touch = try db.makeStatement(sql: "UPDATE document SET modified = ? WHERE id = ?")
        remove = try db.makeStatement(sql: "DELETE FROM document WHERE id = ?")
        let documents = try Known.fetchCursor(db, sql: "SELECT path, id, size, modified, hash FROM document")
        try documents.forEach { known[$0.path] = $0 }
    }

    func visit(_ file: FileList.File) throws {
        let known = known[file.path]
        if let known, known.size == file.size, known.modified == file.modified { return keep(file) }
        do {
            let content = try TextFile(file)
            if let known, known.hash == content.hash {
                try touch.execute(arguments: [file.modified, known.id])
                return keep(file)
            }
            try save(file, content, isNew: known == nil)
            self.known[file.path] = nil
        } catch let skip as TextFile.Skip {
            summary.skipped[skip, default: 0] += 1
        }
    }

    private func keep(_ file: FileList.File) {
        summary.unchanged += 1
        known[file.path] = nil
    }

    private func save(_ file: FileList.File, _ content: TextFile, isNew: Bool) throws {
        let title = Title.of(content.text, path: file.path)
        try (isNew ? insert : update).execute(arguments: [
            "path": file.path, "size": file.size, "modified": file.modified, "hash": content.hash, "title": title,
            "metadata": try Metadata(path: file.path, text: content.text).json, "body": content.text,
        ])
        summary.bytes += file.size
        if !isNew { return summary.changed += 1 }
        summary.added += 1
        let id = db.lastInsertedRowID
        for statement in addToIndexes { try statement.execute(arguments: [id]) }
    }

    func removeVanished() throws {
        for document in known.values { try remove.execute(arguments: [document.id]) }
        summary.removed = known.count
    }
}
