public import AmalgamCore
public import AmalgamQuery

/// The full-text index of an ``FTS4`` or ``FTS3`` table, with the commands that maintain it.
///
/// ```swift
/// let index = FTS4Index("document")
/// try index.optimize(db)
/// try index.checkIntegrity(db)
/// ```
///
/// See <https://www.sqlite.org/fts3.html#special_insert_commands>.
public struct FTS4Index: Sendable {
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

    /// Merges all segments of the index into one, which makes the index as small and fast as possible. The whole index
    /// is rewritten.
    ///
    /// ```swift
    /// let index = FTS4Index("document")
    /// try index.optimize(db)   // INSERT INTO "document"("document") VALUES ('optimize')
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the command fails.
    public func optimize(_ db: Database) throws { try run(db, "optimize") }

    /// Merges some segments of the index. Repeated calls do the work of ``optimize(_:)`` in small steps.
    ///
    /// ```swift
    /// let index = FTS4Index("document")
    /// while try index.merge(db, pageCount: 500) {}
    /// // INSERT INTO "document"("document") VALUES ('merge=500,8'), and so on
    /// ```
    ///
    /// - Parameters:
    ///   - pageCount: The number of index pages to write, at most.
    ///   - partCount: Segments of a level are merged only if the level has at least this many: 2 to 16.
    /// - Returns: Whether segments were merged. If so, call this method again, because there may be more to merge.
    /// - Throws: A ``DatabaseError`` if the command fails.
    public func merge(_ db: Database, pageCount: Int = 500, partCount: Int = 8) throws -> Bool {
        let count = db.totalChangesCount
        try run(db, "merge=\(pageCount),\(partCount)")
        // The command itself counts as one change.
        return db.totalChangesCount - count >= 2
    }

    /// Rebuilds the index from the content of the table, or of its external content table.
    ///
    /// ```swift
    /// let index = FTS4Index("document")
    /// try index.rebuild(db)   // INSERT INTO "document"("document") VALUES ('rebuild')
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the command fails.
    public func rebuild(_ db: Database) throws { try run(db, "rebuild") }

    /// Compares the index with the content of the table, or of its external content table.
    ///
    /// ```swift
    /// let index = FTS4Index("document")
    /// try index.checkIntegrity(db)   // INSERT INTO "document"("document") VALUES ('integrity-check')
    /// ```
    ///
    /// - Throws: `SQLITE_CORRUPT_VTAB` if the index doesn't match the content. ``rebuild(_:)`` repairs the index.
    public func checkIntegrity(_ db: Database) throws { try run(db, "integrity-check") }

    /// Sets how many segments a level of the index must have before SQLite merges them automatically: 2 to 16. With 0,
    /// the default, there are no automatic merges.
    ///
    /// ```swift
    /// let index = FTS4Index("document")
    /// try index.setAutomerge(db, 8)   // INSERT INTO "document"("document") VALUES ('automerge=8')
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the command fails.
    public func setAutomerge(_ db: Database, _ partCount: Int) throws { try run(db, "automerge=\(partCount)") }

    private func run(_ db: Database, _ command: String) throws {
        let table = tableName.quotedDatabaseIdentifier
        try db.execute(sql: "INSERT INTO \(table)(\(table)) VALUES (?)", arguments: [command])
    }
}
