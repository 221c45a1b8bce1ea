import Amalgam

/// An edit of one document, and who sees what of it when.
struct Review {
    let path: String
    let columnCount: Int
    let trail: [AuditEntry]

    /// The snapshot was taken before the edit.
    let snapshotDuringWrite: View
    let snapshotAfterCommit: View
    let poolAfterCommit: View

    /// What a reader sees of the edit.
    struct View: Equatable {
        /// The last line of the text.
        var lastLine: String
        /// How many documents the full-text index finds for the new line.
        var matches: Int
    }
}

extension Library {
    /// Marks a document as reviewed: in its title, in its metadata, and with a line at the end of its text.
    func review(documentID: Int64) throws -> Review {
        let lastAuditID = try lastAuditID()
        let snapshot = try pool.makeSnapshot()
        let number = try snapshot.read { db in try reviewCount(db, documentID) + 1 }
        func view(_ db: Database) throws -> Review.View { try self.view(db, documentID, line(number)) }

        let duringWrite = try pool.write { db in
            try audited(db) { try addReview(db, documentID, number) }
            return try snapshot.read(view)
        }
        let (path, columnCount) = try pool.read { db in try identity(db, documentID) }
        return try Review(
            path: path, columnCount: columnCount, trail: trail(documentID: documentID, after: lastAuditID),
            snapshotDuringWrite: duringWrite, snapshotAfterCommit: snapshot.read(view),
            poolAfterCommit: pool.read(view))
    }

    private func line(_ number: Int) -> String { "Amalgam demo: review \(number)." }

    private func reviewCount(_ db: Database, _ id: Int64) throws -> Int {
        let sql = "SELECT coalesce(metadata ->> '$.reviews', 0) FROM document WHERE id = ?"
        return try Int.fetchOne(db, sql: sql, arguments: [id])!
    }

    /// The second review of a document leaves its title as it is: the trail tells.
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

    private func identity(_ db: Database, _ id: Int64) throws -> (path: String, columnCount: Int) {
        let sql = "SELECT path, (SELECT count(*) FROM pragma_table_info('document')) FROM document WHERE id = ?"
        let row = try Row.fetchOne(db, sql: sql, arguments: [id])!
        return (row[0], row[1])
    }
}
