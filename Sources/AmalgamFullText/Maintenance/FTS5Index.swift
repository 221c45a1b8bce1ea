public import AmalgamCore
public import AmalgamQuery

/// The full-text index of an ``FTS5`` table, with its settings and the commands that maintain it.
///
/// ```swift
/// let index = FTS5Index("document")
/// try index.set(db, .secureDelete(true))
/// try index.optimize(db)
/// try index.checkIntegrity(db)
/// try index.size(db).byteCount   // 8192
/// ```
///
/// See <https://www.sqlite.org/fts5.html#special_insert_commands>.
public struct FTS5Index: Sendable {
    /// The full-text table.
    public let tableName: String

    /// Creates a handle of the index of a table.
    public init(_ tableName: String) {
        self.tableName = tableName
    }

    /// Creates a handle of the index of a record's table.
    public init(_ type: (some TableRecord).Type) {
        self.init(type.databaseTableName)
    }
}

extension FTS5Index {
    /// Merges all segments of the index into one, which makes the index as small and fast as possible. The whole index
    /// is rewritten.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// try index.optimize(db)   // INSERT INTO "document"("document") VALUES ('optimize')
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the command fails.
    public func optimize(_ db: Database) throws { try run(db, "optimize") }

    /// Merges some segments of the index. Repeated calls do the work of ``optimize(_:)`` in small steps.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// _ = try index.merge(db, pageCount: 500, startsOver: true)
    /// // INSERT INTO "document"("document", rank) VALUES ('merge', -500)
    /// while try index.merge(db, pageCount: 500) {}
    /// // INSERT INTO "document"("document", rank) VALUES ('merge', 500), and so on
    /// ```
    ///
    /// - Parameters:
    ///   - pageCount: The approximate number of index pages to write, at most. It must be positive.
    ///   - startsOver: Whether to begin a merge of the segments of all levels into one, like ``optimize(_:)``. Pass
    ///     true only in the first of several calls.
    /// - Returns: Whether segments were merged. If so, call this method again, because there may be more to merge.
    /// - Throws: A ``DatabaseError`` if the command fails; `SQLITE_MISUSE` if `pageCount` isn't positive.
    public func merge(_ db: Database, pageCount: Int = 500, startsOver: Bool = false) throws -> Bool {
        guard pageCount > 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "merging writes one page at least, and not \(pageCount)")
        }
        let count = db.totalChangesCount
        try run(db, "merge", startsOver ? -pageCount : pageCount)
        // The command itself counts as one change.
        return db.totalChangesCount - count >= 2
    }

    /// Rebuilds the index from the content. Call this method if the tokenizer or the external content table has
    /// changed.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// try index.rebuild(db)   // INSERT INTO "document"("document") VALUES ('rebuild')
    /// ```
    ///
    /// If the table has the tokenizer ``FTS5TokenizerDescriptor/snowball(language:stopWords:diacritics:wrapping:)`` with
    /// another version of the stemmers, this method also replaces the version in the table's definition, which needs a
    /// connection that isn't defensive (`PRAGMA writable_schema`).
    ///
    /// - Throws: A ``DatabaseError`` for a contentless table, which has no content.
    public func rebuild(_ db: Database) throws {
        guard let update = try StemmerUpdate(of: tableName, in: db) else { return try run(db, "rebuild") }
        try db.inSavepoint {
            try update.run(db)
            try run(db, "rebuild")
            return .commit
        }
    }

    /// Removes all rows from the index of a contentless or external content table, without reading the content.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// try index.deleteAll(db)   // INSERT INTO "document"("document") VALUES ('delete-all')
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` for a table with its own content. Delete the rows of such a table with DELETE.
    public func deleteAll(_ db: Database) throws { try run(db, "delete-all") }

    /// Compares the index with the content.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// try index.checkIntegrity(db)   // INSERT INTO "document"("document", rank) VALUES ('integrity-check', 1)
    /// ```
    ///
    /// - Parameter comparesContent: Whether the index is compared with an external content table. If the full-text
    ///   table stores the content itself, the index is compared with this content in any case.
    /// - Throws: `SQLITE_CORRUPT_VTAB` if the index doesn't match the content. ``rebuild(_:)`` repairs the index.
    public func checkIntegrity(_ db: Database, comparesContent: Bool = true) throws {
        try run(db, "integrity-check", comparesContent ? 1 : 0)
    }

    /// Writes the tokens of new rows from memory to the index, inside the current transaction. FTS5 does so
    /// automatically at the end of the transaction.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// try index.flush(db)   // INSERT INTO "document"("document") VALUES ('flush')
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the command fails.
    public func flush(_ db: Database) throws { try run(db, "flush") }

    /// Runs a special INSERT command.
    func run(_ db: Database, _ command: String, _ value: (any DatabaseValueConvertible)? = nil) throws {
        let table = tableName.quotedDatabaseIdentifier
        if let value {
            try db.execute(
                sql: "INSERT INTO \(table)(\(table), rank) VALUES (?, ?)", arguments: [command, value])
        } else {
            try db.execute(sql: "INSERT INTO \(table)(\(table)) VALUES (?)", arguments: [command])
        }
    }
}
