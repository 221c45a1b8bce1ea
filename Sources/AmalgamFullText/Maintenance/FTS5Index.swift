public import AmalgamCore
public import AmalgamQuery

/// The index of an ``FTS5`` table: how it is kept small, fast, and right.
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

    /// The index of a table.
    public init(_ tableName: String) {
        self.tableName = tableName
    }

    /// The index of the table of a record.
    public init(_ type: (some TableRecord).Type) {
        self.init(type.databaseTableName)
    }
}

extension FTS5Index {
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
    /// // INSERT INTO "document"("document", rank) VALUES ('merge', -500), and so on with 500
    /// ```
    ///
    /// - Parameters:
    ///   - pageCount: how much may be written at a time: about this number of pages of the index, one at least.
    ///   - startsOver: whether parts that were merged already count, too. It is to be so in the first of several calls.
    /// - Returns: whether something was merged: if so, there may be more to do.
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for a number of pages below one.
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

    /// Makes the index anew of the texts: when the tokenizer has changed, or the texts of an external content table.
    ///
    /// - throws: a ``DatabaseError`` for a contentless table, which has no texts.
    public func rebuild(_ db: Database) throws { try run(db, "rebuild") }

    /// Removes all rows of a contentless table, or of one with external content, without looking at the texts.
    ///
    /// - throws: a ``DatabaseError`` for other tables: delete their rows.
    public func deleteAll(_ db: Database) throws { try run(db, "delete-all") }

    /// Compares the index with the texts.
    ///
    /// - Parameter comparesContent: whether texts of an external content table are compared. Those of the full-text table
    ///   always are.
    /// - throws: `SQLITE_CORRUPT_VTAB` when the index is not that of the texts: ``rebuild(_:)`` makes it so.
    public func checkIntegrity(_ db: Database, comparesContent: Bool = true) throws {
        try run(db, "integrity-check", comparesContent ? 1 : 0)
    }

    /// Writes what is waiting in memory to the index: it becomes part of the transaction. FTS5 does so by itself at the
    /// end of the transaction.
    public func flush(_ db: Database) throws { try run(db, "flush") }

    /// Runs a command of FTS5.
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
