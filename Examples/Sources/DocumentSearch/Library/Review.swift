import Amalgam

/// An edit of one document, as different readers see it.
struct Review {
    let path: String
    let columnCount: Int

    /// The log entry of the edit.
    let entry: AuditLog.Entry
    /// The number of log entries of the document.
    let entryCount: Int

    /// The snapshot was taken before the edit.
    let snapshotDuringWrite: View
    let snapshotAfterCommit: View
    let poolAfterCommit: View

    /// The state of the document for a reader.
    struct View: Equatable {
        /// The last line of the text.
        var lastLine: String
        /// The number of documents that the full-text index finds for the new line.
        var matches: Int
    }
}

extension Library {
    /// Marks a document as reviewed: in its title, in its metadata, and with a line at the end of its text.
    func review(documentID: Int64) throws -> Review {
        let snapshot = try pool.makeSnapshot()
        let number = try snapshot.read { db in try reviewCount(db, documentID) + 1 }
        func view(_ db: Database) throws -> Review.View { try self.view(db, documentID, line(number)) }

        let duringWrite = try edit(reason: "review \(number)") { db in
            try addReview(db, documentID, number)
            return try snapshot.read(view)
        }
        return try pool.read { db in
            let history = AuditLog.history(of: Document.databaseTableName, key: AuditLog.Key(documentID))
            return try Review(
                path: Document.filter { $0.id == documentID }.select(\.path, as: String.self).fetchOne(db)!,
                columnCount: db.columns(in: Document.databaseTableName).count,
                entry: history.reversed().fetchOne(db)!, entryCount: history.fetchCount(db),
                snapshotDuringWrite: duringWrite, snapshotAfterCommit: snapshot.read(view),
                poolAfterCommit: view(db))
        }
    }

    private func line(_ number: Int) -> String { "Amalgam demo: review \(number)." }

    private func reviewCount(_ db: Database, _ id: Int64) throws -> Int {
        let reviews = Document.Columns.metadata["$.reviews"]
        return try Document.filter { $0.id == id }.select(reviews, as: Int?.self).fetchOne(db)! ?? 0
    }

    /// Adds a review to a document. Only the first review changes the title, as the log shows.
    private func addReview(_ db: Database, _ id: Int64, _ number: Int) throws {
        try db.execute(
            literal: """
                UPDATE document SET
                    title = rtrim(title, ' ✓') || ' ✓',
                    metadata = json_set(metadata, '$.reviews', \(number)),
                    body = rtrim(body, char(10)) || char(10) || \(line(number)) || char(10)
                WHERE id = \(id)
                """)
    }

    private func view(_ db: Database, _ id: Int64, _ line: String) throws -> Review.View {
        let sql = "SELECT substr(body, -200) FROM document WHERE id = ?"
        let ending = try String.fetchOne(db, sql: sql, arguments: [id])!
        let lastLine = ending.split(whereSeparator: \.isNewline).last ?? ""
        return try Review.View(lastLine: String(lastLine), matches: hitCount(db, Query(phrase: line)))
    }
}
