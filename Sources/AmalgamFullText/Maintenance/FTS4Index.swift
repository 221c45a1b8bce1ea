public import AmalgamCore
public import AmalgamQuery

/// The index of an ``FTS4`` or ``FTS3`` table: how it is kept small, fast, and right.
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

    /// The index of a table.
    public init(_ tableName: String) {
        self.tableName = tableName
    }

    /// The index of the table of a record.
    public init(_ type: (some TableRecord).Type) {
        self.init(type.databaseTableName)
    }

    /// Merges the parts of the index into one: the smallest and fastest index. It writes the whole index anew.
    ///
    /// ```swift
    /// try index.optimize(db)   // INSERT INTO "document"("document") VALUES ('optimize')
    /// ```
    public func optimize(_ db: Database) throws { try run(db, "optimize") }

    /// Does a part of the work of ``optimize(_:)``.
    ///
    /// ```swift
    /// while try index.merge(db, pageCount: 500) {}
    /// // INSERT INTO "document"("document") VALUES ('merge=500,8'), and so on
    /// ```
    ///
    /// - Parameters:
    ///   - pageCount: how many pages of the index are written at a time.
    ///   - partCount: how many parts of one level are merged at least, 2...16.
    /// - Returns: whether something was merged: if so, there may be more to do.
    public func merge(_ db: Database, pageCount: Int = 500, partCount: Int = 8) throws -> Bool {
        let count = db.totalChangesCount
        try run(db, "merge=\(pageCount),\(partCount)")
        // The command itself counts as one change.
        return db.totalChangesCount - count >= 2
    }

    /// Makes the index anew of the texts, in the table or in its content table.
    public func rebuild(_ db: Database) throws { try run(db, "rebuild") }

    /// Compares the index with the texts of the table, or of its content table.
    ///
    /// - throws: `SQLITE_CORRUPT_VTAB` when the index is not that of the texts: ``rebuild(_:)`` makes it so.
    public func checkIntegrity(_ db: Database) throws { try run(db, "integrity-check") }

    /// Says how many parts of one level are merged by themselves: 2...16; 0: none are, as at first.
    public func setAutomerge(_ db: Database, _ partCount: Int) throws { try run(db, "automerge=\(partCount)") }

    private func run(_ db: Database, _ command: String) throws {
        let table = tableName.quotedDatabaseIdentifier
        try db.execute(sql: "INSERT INTO \(table)(\(table)) VALUES (?)", arguments: [command])
    }
}
