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

    /// Merges all segments of the index into one, which makes it as small and fast as possible. It rewrites the whole
    /// index.
    ///
    /// ```swift
    /// let index = FTS4Index("document")
    /// try index.optimize(db)   // INSERT INTO "document"("document") VALUES ('optimize')
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the command fails.
    public func optimize(_ db: Database) throws { try run(db, "optimize") }

    /// Performs a part of the work of ``optimize(_:)``.
    ///
    /// ```swift
    /// let index = FTS4Index("document")
    /// while try index.merge(db, pageCount: 500) {}
    /// // INSERT INTO "document"("document") VALUES ('merge=500,8'), and so on
    /// ```
    ///
    /// - Parameters:
    ///   - pageCount: The number of index pages to write, at most.
    ///   - partCount: The minimum number of segments of one level to merge, 2...16.
    /// - Returns: Whether segments were merged. If so, call it again, because there may be more to merge.
    /// - Throws: A ``DatabaseError`` if the command fails.
    public func merge(_ db: Database, pageCount: Int = 500, partCount: Int = 8) throws -> Bool {
        let count = db.totalChangesCount
        try run(db, "merge=\(pageCount),\(partCount)")
        // The command itself counts as one change.
        return db.totalChangesCount - count >= 2
    }

    /// Rebuilds the index from the content, in the table or in its external content table.
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
    /// - Throws: `SQLITE_CORRUPT_VTAB` if the index doesn't match the content. ``rebuild(_:)`` repairs it.
    public func checkIntegrity(_ db: Database) throws { try run(db, "integrity-check") }

    /// Sets the number of segments of one level that start an automatic merge: 2...16. 0, the default, disables
    /// automatic merges.
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
